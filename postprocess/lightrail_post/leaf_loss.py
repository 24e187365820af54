"""Figure of the study scenarios/sweeps/leaf_loss.xml: every step of a job that loses a leaf switch."""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from .style import nothing

FABRICS = {"rail-optimised": "rails", "fat-tree": "fat tree"}
PS_PER_MS = 1e9


def read_leaf_loss(folder):
    """(points, steps): FOLDER/leaf_loss.csv with those that failed, and leaf_loss_iterations.csv of those
    that came to their end, as DataFrames; empty where there is no such file."""
    tables = [Path(folder) / f"{name}.csv" for name in ("leaf_loss", "leaf_loss_iterations")]
    return tuple(pd.read_csv(path) if path.exists() else pd.DataFrame() for path in tables)


def leaf_loss(points, steps):
    """Time of each step, a panel a fabric and length of the outage; the DataFrames of read_leaf_loss() ->
    Figure, whose titles are computed from the rows. A job that ended has its error instead of steps."""
    if points.empty:
        return nothing("no study of the loss of a leaf")
    figure, panels = plt.subplots(1, len(points), figsize=(3.3 * len(points), 3.8), sharey=True,
                                  squeeze=False, layout="constrained")
    for axes, (_, point) in zip(panels[0], points.iterrows()):
        axes.spines[["top", "right"]].set_visible(False)
        name = f"{FABRICS[point['fabric']]}, leaf away {_how_long(point['repair'])}"
        mine = steps[steps["point"] == point["point"]] if len(steps) else steps
        if point["status"] != "complete" or mine.empty:
            axes.text(0.5, 0.5, _wrapped(str(point["error"])), transform=axes.transAxes, ha="center",
                      va="center", fontsize=8)
            axes.set(xticks=[])
            axes.set_title(f"{name}:\nthe job ends", loc="left", fontsize=10, fontweight="bold")
            continue
        times = mine.sort_values("iteration")["gpu_step_max_ps"].to_numpy() / PS_PER_MS
        axes.bar(range(len(times)), times, color="#0072B2")
        axes.set(xlabel="step", xticks=range(len(times)))
        axes.set_title(f"{name}:\n{times[0]:.0f} ms, longest {times.max():.0f}, last {times[-1]:.0f}", loc="left",
                       fontsize=10, fontweight="bold")
    panels[0][0].set(ylabel="step [ms]")
    return figure


def _how_long(repair):
    value, unit = repair.split()
    return "for good" if unit == "s" and float(value) >= 100 else repair


def _wrapped(text, width=34):
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)
