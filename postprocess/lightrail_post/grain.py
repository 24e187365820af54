"""What trains cost in accuracy: runs with trains against the same at packet level, a pair a cell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from .result import Run

BOUNDS = {"step_pct": 1.0, "median_pct": 3.0, "p99_pct": 10.0}  # [%]
NAMES = {"step_pct": "step time", "median_pct": "median message time", "p99_pct": "99th percentile"}
COLOURS = {"step_pct": "#0072B2", "median_pct": "#D55E00", "p99_pct": "#009E73"}
FLOOR = 1e-2  # [%] smaller errors are drawn here


def message_times(run):
    """Array [ps]: of every receive, or where there is none until the end of every message, sorted."""
    ops = run.tables["ops"] if "ops" in run.tables else pd.DataFrame({"kind": []})
    receives = ops[ops["kind"] == "recv"]
    if not receives.empty:
        return np.sort((receives["t_end_ps"] - receives["t_start_ps"]).to_numpy())
    return np.sort(run.tables["messages"]["t_end_ps"].to_numpy())


def _change(new, old):
    return 100 * abs(new / old - 1)


def grain_row(trains, packets):
    """Errors of a run with trains against the one at packet level [%], and how many times fewer events."""
    times, exact = message_times(trains), message_times(packets)
    if len(times) != len(exact) or len(exact) == 0:
        raise ValueError(f"{trains.path}: {len(times)} message times, {len(exact)} at packet level")
    return {"step_pct": _change(trains.summary["step_time_ps"], packets.summary["step_time_ps"]),
            "median_pct": _change(np.median(times), np.median(exact)),
            "p99_pct": _change(np.percentile(times, 99), np.percentile(exact, 99)),
            "fewer_events": packets.info["events"] / trains.info["events"]}


def grain_table(runs: Sequence[Run]) -> pd.DataFrame:
    """DataFrame by cell of grain_row() and `beyond`: the names of the bounds that the cell does not keep.

    A run's file is called CELL.trains.h5 or CELL.packets.h5; every cell needs both.
    """
    by_file = {Path(run.path).name.removesuffix(".h5"): run for run in runs}
    rows = {}
    for name, run in sorted(by_file.items()):
        cell, _, kind = name.rpartition(".")
        if kind != "trains":
            continue
        if f"{cell}.packets" not in by_file:
            raise ValueError(f"{run.path}: there is no {cell}.packets.h5 to compare with")
        row = grain_row(run, by_file[f"{cell}.packets"])
        row["beyond"] = ", ".join(NAMES[key] for key, bound in BOUNDS.items() if row[key] > bound)
        rows[cell.replace("_", " ")] = row
    if not rows:
        raise ValueError("no file is called CELL.trains.h5")
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("cell")


def markdown(table):
    """The table as docs/grain.md has it."""
    lines = ["| cell | step time | median | 99th percentile | fewer events | beyond its bound |",
             "|---|---|---|---|---|---|"]
    for cell, row in table.iterrows():
        errors = " | ".join(f"{row[key]:.2f} %" for key in BOUNDS)
        lines.append(f"| {cell} | {errors} | {row['fewer_events']:.1f} | {row['beyond']} |")
    return "\n".join(lines)


def grain_study(runs: Sequence[Run]) -> tuple[Figure, pd.DataFrame]:
    """Returns (Figure, DataFrame of grain_table())."""
    table = grain_table(runs)
    figure, panels = plt.subplots(1, 3, figsize=(14, 1.6 + 0.2 * len(table)), sharey=True, layout="constrained")
    places = np.arange(len(table))
    for axes, (key, bound) in zip(panels, BOUNDS.items()):
        values = table[key].clip(lower=FLOOR)
        colours = ["#B00020" if value > bound else COLOURS[key] for value in table[key]]
        axes.scatter(values, places, color=colours, s=22, zorder=3)
        axes.axvline(bound, color="#444444", linewidth=1)
        axes.set_xscale("log")
        axes.set_xlim(FLOOR / 1.5, 100)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlabel(f"error of the {NAMES[key]} [%]; bound {bound:g} %")
        axes.grid(color="#DDDDDD", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_yticks(places, table.index, fontsize=8)
    panels[0].invert_yaxis()
    within = int((table["beyond"] == "").sum())
    figure.suptitle(f"Trains as they are cut by default: {within} of {len(table)} cells within all bounds",
                    x=0.01, ha="left", fontsize=13, fontweight="bold")
    return figure, table
