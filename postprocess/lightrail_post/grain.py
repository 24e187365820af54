"""What trains cost in accuracy: runs with trains against the same at packet level, a pair a cell."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from .result import Run

BOUNDS = {"step": 1.0, "median": 3.0, "p99": 10.0}  # [%]
NAMES = {"step": "step time", "median": "median message time", "p99": "99th percentile"}
COLOURS = {"step": "#0072B2", "median": "#D55E00", "p99": "#009E73"}
HEADER = "| cell | seeds | step time | median | 99th percentile | spread by seed | fewer events | beyond its bound |"
FLOOR = 1e-2  # [%] smaller errors are drawn here
# Student's t with 1, 2, ... degrees of freedom: 97.5 %.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
           2.145, 2.131)


def message_times(run):
    """Array [ps]: of every receive, or where there is none until the end of every message, sorted."""
    ops = run.tables["ops"] if "ops" in run.tables else pd.DataFrame({"kind": []})
    receives = ops[ops["kind"] == "recv"]
    if not receives.empty:
        return np.sort((receives["t_end_ps"] - receives["t_start_ps"]).to_numpy())
    return np.sort(run.tables["messages"]["t_end_ps"].to_numpy())


def _measures(run):
    times = message_times(run)
    if len(times) == 0:
        raise ValueError(f"{run.path}: no message times")
    return {"step": run.summary["step_time_ps"], "median": np.median(times), "p99": np.percentile(times, 99),
            "messages": len(times), "events": run.info["events"]}


def _half_width(errors):
    """Of the 95 % confidence interval of the mean; 0 of a single value, which has none."""
    count = len(errors)
    if count < 2:
        return 0.0
    return STUDENT[min(count - 1, len(STUDENT)) - 1] * errors.std(ddof=1) / np.sqrt(count)


def grain_row(trains: Sequence[Run], packets: Sequence[Run]) -> dict[str, float]:
    """Errors of runs with trains against those at packet level [%], and how many times fewer events.

    Both are of the same seeds, in pairs: `step_pct` is the mean of a pair's error, `step_ci_pct` half of its
    95 % confidence interval (0 of one seed). `spread_pct` is what the step at packet level varies by from
    seed to seed (standard deviation; NaN of one seed).
    """
    coarse, exact = (pd.DataFrame([_measures(run) for run in runs]) for runs in (trains, packets))
    if set(coarse["messages"]) != set(exact["messages"]):
        raise ValueError(f"{trains[0].path}: {coarse['messages'][0]} message times, {exact['messages'][0]} at "
                         "packet level")
    row = {"seeds": len(exact)}
    for name in BOUNDS:
        errors = 100 * (coarse[name] / exact[name] - 1)
        row[f"{name}_pct"], row[f"{name}_ci_pct"] = errors.mean(), _half_width(errors)
    row["spread_pct"] = 100 * exact["step"].std(ddof=1) / exact["step"].mean()
    row["fewer_events"] = exact["events"].sum() / coarse["events"].sum()
    return row


def _judged(row):
    """Names of the bounds that are exceeded for certain, and of those that more seeds would have to decide."""
    beyond, undecided = [], []
    for name, bound in BOUNDS.items():
        error, half = abs(row[f"{name}_pct"]), row[f"{name}_ci_pct"]
        if error - half > bound:
            beyond.append(NAMES[name])
        elif error + half > bound:
            undecided.append(NAMES[name])
    return ", ".join(beyond), ", ".join(undecided)


def _by_cell(runs):
    """Runs by (cell, kind) and seed, of files CELL.KIND.h5 or CELL.KIND.SEED.h5."""
    found = {}
    for run in runs:
        cell, kind, *seed = Path(run.path).name.removesuffix(".h5").split(".")
        found.setdefault((cell, kind), {})[seed[0] if seed else ""] = run
    return found


def grain_table(runs: Sequence[Run]) -> pd.DataFrame:
    """DataFrame by cell of grain_row(), `beyond` and `undecided`: names of bounds.

    A bound is exceeded where the whole confidence interval is beyond it, and undecided where it is in the
    interval: the runs differ by less than ties and hashes move either of them.

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
        row["beyond"], row["undecided"] = _judged(row)
        rows[cell.replace("_", " ")] = row
    if not rows:
        raise ValueError("no file is called CELL.trains.h5")
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("cell")


def _percent(error, half, is_one_seed):
    return f"{error:+.2f} %" if is_one_seed else f"{error:+.2f} ± {half:.2f} %"


def markdown(table):
    """The table as docs/grain.md has it."""
    lines = [HEADER, "|---|---|---|---|---|---|---|---|"]
    for cell, row in table.iterrows():
        one = row["seeds"] == 1
        errors = " | ".join(_percent(row[f"{name}_pct"], row[f"{name}_ci_pct"], one) for name in BOUNDS)
        spread = "" if one else f"{row['spread_pct']:.2f} %"
        words = "; ".join(filter(None, (row["beyond"], row["undecided"] and f"undecided: {row['undecided']}")))
        lines.append(f"| {cell} | {row['seeds']} | {errors} | {spread} | {row['fewer_events']:.1f} | {words} |")
    return "\n".join(lines)


def read_markdown(text: str) -> pd.DataFrame:
    """DataFrame as grain_table() gives it, of the first table of markdown() in `text`, with its two decimals."""
    lines = text.splitlines()
    if HEADER not in lines:
        raise ValueError(f"no table of cells (expected the line '{HEADER}')")
    rows = {}
    for line in takewhile(lambda line: line.startswith("|"), lines[lines.index(HEADER) + 2:]):
        cell, seeds, *errors, spread, fewer, words = (word.strip() for word in line[1:-1].split("|"))
        row = {"seeds": int(seeds)}
        for name, error in zip(BOUNDS, errors, strict=True):
            mean, _, half = error.removesuffix(" %").partition(" ± ")
            row[f"{name}_pct"], row[f"{name}_ci_pct"] = float(mean), float(half or 0)
        row["spread_pct"] = float(spread.removesuffix(" %") or "nan")
        beyond, _, undecided = words.partition("undecided: ")
        rows[cell] = row | {"fewer_events": float(fewer), "beyond": beyond.rstrip("; "), "undecided": undecided}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("cell")


def grain_study(runs: Sequence[Run]) -> tuple[Figure, pd.DataFrame]:
    """Returns (Figure, DataFrame of grain_table()); bars are confidence intervals."""
    table = grain_table(runs)
    return grain_figure(table), table


def counts(table: pd.DataFrame) -> tuple[int, int]:
    """Cells that are beyond a bound, and of the others those that are undecided."""
    beyond = table["beyond"] != ""
    return int(beyond.sum()), int(((table["undecided"] != "") & ~beyond).sum())


def grain_figure(table: pd.DataFrame) -> Figure:
    """Figure of a table of grain_table(); bars are confidence intervals."""
    figure, panels = plt.subplots(1, 3, figsize=(14, 1.6 + 0.2 * len(table)), sharey=True, layout="constrained")
    places = np.arange(len(table))
    for axes, (name, bound) in zip(panels, BOUNDS.items()):
        error, half = table[f"{name}_pct"].abs(), table[f"{name}_ci_pct"]
        colours = ["#B00020" if value > bound else COLOURS[name] for value in error - half]
        low, high = ((error + sign * half).clip(lower=FLOOR) for sign in (-1, 1))
        axes.hlines(places, low, high, color=colours, linewidth=1.5)
        axes.scatter(error.clip(lower=FLOOR), places, color=colours, s=22, zorder=3)
        axes.axvline(bound, color="#444444", linewidth=1)
        axes.set_xscale("log")
        axes.set_xlim(FLOOR / 1.5, 100)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlabel(f"error of the {NAMES[name]} [%]; bound {bound:g} %")
        axes.grid(color="#DDDDDD", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_yticks(places, table.index, fontsize=8)
    panels[0].set_ylim(len(table) - 0.5, -0.5)
    beyond, undecided = counts(table)
    words = f", {undecided} undecided" if undecided else ""
    figure.suptitle(f"Trains as they are cut by default: {beyond} of {len(table)} cells beyond a bound{words}",
                    x=0.01, ha="left", fontsize=13, fontweight="bold")
    return figure
