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


def _measures(run):
    times = message_times(run)
    if len(times) == 0:
        raise ValueError(f"{run.path}: no message times")
    return {"step": run.summary["step_time_ps"], "median": np.median(times), "p99": np.percentile(times, 99),
            "messages": len(times), "events": run.info["events"]}


def _spread(values):
    """Standard deviation over the mean [%]; NaN of a single value."""
    return 100 * values.std(ddof=1) / values.mean()


def grain_row(trains: Sequence[Run], packets: Sequence[Run]) -> dict[str, float]:
    """Errors of runs with trains against those at packet level [%], and how many times fewer events.

    Both are of the same seeds; what is compared is the mean over them. `spread_pct` is what the step at
    packet level varies by from seed to seed (standard deviation), `noise_pct` the standard error of
    `step_pct`; both are NaN where there is one seed.
    """
    coarse, exact = (pd.DataFrame([_measures(run) for run in runs]) for runs in (trains, packets))
    if set(coarse["messages"]) != set(exact["messages"]):
        raise ValueError(f"{trains[0].path}: {coarse['messages'][0]} message times, {exact['messages'][0]} at "
                         "packet level")
    row = {f"{name}_pct": _change(coarse[name].mean(), exact[name].mean()) for name in ("step", "median", "p99")}
    row["spread_pct"] = _spread(exact["step"])
    row["noise_pct"] = np.hypot(_spread(exact["step"]), _spread(coarse["step"])) / np.sqrt(len(exact))
    row["fewer_events"] = exact["events"].sum() / coarse["events"].sum()
    return row


def _by_cell(runs):
    """Runs by (cell, kind) and seed, of files CELL.KIND.h5 or CELL.KIND.SEED.h5."""
    found = {}
    for run in runs:
        cell, kind, *seed = Path(run.path).name.removesuffix(".h5").split(".")
        found.setdefault((cell, kind), {})[seed[0] if seed else ""] = run
    return found


def grain_table(runs: Sequence[Run]) -> pd.DataFrame:
    """DataFrame by cell of grain_row() and `beyond`: the names of the bounds that the cell does not keep.

    A run's file is called CELL.trains.h5 or CELL.packets.h5, or with its seed CELL.trains.1.h5; every cell
    needs both of the same seeds.
    """
    by_cell = _by_cell(runs)
    rows = {}
    for (cell, kind), trains in sorted(by_cell.items()):
        if kind != "trains":
            continue
        packets = by_cell.get((cell, "packets"), {})
        for seed, run in trains.items():
            if seed not in packets:
                raise ValueError(f"{run.path}: there is no {'.'.join(filter(None, (cell, 'packets', seed)))}.h5 to "
                                 "compare with")
        row = grain_row(list(trains.values()), [packets[seed] for seed in trains])
        row["beyond"] = ", ".join(NAMES[key] for key, bound in BOUNDS.items() if row[key] > bound)
        rows[cell.replace("_", " ")] = row
    if not rows:
        raise ValueError("no file is called CELL.trains.h5")
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("cell")


def markdown(table):
    """The table as docs/grain.md has it; a spread where there are several seeds."""
    lines = ["| cell | step time | median | 99th percentile | spread by seed | fewer events | beyond its bound |",
             "|---|---|---|---|---|---|---|"]
    for cell, row in table.iterrows():
        errors = " | ".join(f"{row[key]:.2f} %" for key in BOUNDS)
        spread = "" if np.isnan(row["spread_pct"]) else f"{row['spread_pct']:.2f} %"
        lines.append(f"| {cell} | {errors} | {spread} | {row['fewer_events']:.1f} | {row['beyond']} |")
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
