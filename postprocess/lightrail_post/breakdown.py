"""Where the step time goes: compute, exposed communication, hosts that launch kernels, idle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from . import style
from .result import that_count
from .varied import labels_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from .result import Run

PARTS = (("t_compute_ps", "compute", style.COMPUTE), ("t_exposed_ps", "exposed communication", style.EXPOSED),
         ("t_idle_ps", "idle", style.IDLE))
# Of idle time what waits for nothing but its launch apart.
PARTS_WITH_HOSTS = (*PARTS[:2], ("t_host_ps", "waiting for launches", style.KIND_COLOURS["host"]),
                    ("t_rest_ps", "idle", style.REST))
MOST_BARS = 40


def _rows_to_show(steps, run):
    """(labels, frame): one row a GPU; above MOST_BARS the mean of each server, above that of blocks of
    servers."""
    if len(steps) <= MOST_BARS:
        return run.endpoint_names().reindex(steps["gpu"]).tolist(), steps
    atoms = run.endpoint_atoms().reindex(steps["gpu"]).to_numpy()
    server = pd.factorize(atoms)[0]
    per_row = -(-(server.max() + 1) // MOST_BARS)
    means = steps.groupby(server // per_row).mean(numeric_only=True)
    labels = [f"server {i}" if per_row == 1
              else f"servers {i * per_row}-{min((i + 1) * per_row - 1, server.max())}" for i in means.index]
    return labels, means


def step_breakdown(run: Run, iteration: int | None = None) -> Figure:
    """Stacked bars of one iteration (default: the last), one a GPU or a server. Returns a Figure."""
    steps = that_count(run, run.tables["steps"])
    if steps.empty:
        return style.nothing("no GPU finished an iteration")
    iteration = steps["iteration"].max() if iteration is None else iteration
    steps = steps[steps["iteration"] == iteration].sort_values("gpu")
    steps = steps.assign(t_rest_ps=steps["t_idle_ps"] - steps["t_host_ps"])
    total = (steps["t_end_ps"] - steps["t_start_ps"]).sum()
    labels, shown = _rows_to_show(steps, run)
    step_ps = steps["t_end_ps"].max() - steps["t_start_ps"].min()
    divisor, unit = style.time_unit(step_ps)

    figure, axes = style.new_figure(10, 1.8 + 0.24 * len(shown))
    y = np.arange(len(shown))[::-1]
    left = np.zeros(len(shown))
    for column, name, colour in PARTS_WITH_HOSTS if steps["t_host_ps"].sum() > 0 else PARTS:
        width = shown[column].to_numpy() / divisor
        axes.barh(y, width, left=left, color=colour, height=0.8,
                  label=f"{name} ({style.percent(steps[column].sum(), total)})")
        left += width
    axes.set_yticks(y, labels, fontsize=8)
    axes.set_ylim(-0.6, len(shown) - 0.4)
    axes.set_xlabel(f"time in iteration {iteration} [{unit}]")
    axes.set_ylabel("GPU" if len(shown) == len(steps) else "server, mean of its GPUs")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=9)
    exposed = steps["t_exposed_ps"].sum()
    style.set_title(axes, f"{style.percent(exposed, total)} of the {style.format_time(step_ps)} step is exposed communication",
                    f"{len(steps)} GPUs, {_spread(steps, run)}{run.label}")
    return figure


def _spread(steps, run):
    """Which GPU waits least: where GPUs wait for each other, that is the one that comes last."""
    share = (steps["t_exposed_ps"] / (steps["t_end_ps"] - steps["t_start_ps"])).to_numpy()
    if share.max() - share.min() < 0.02:
        return ""
    names = run.endpoint_names().reindex(steps["gpu"]).tolist()
    return (f"from {100 * share.min():.0f} % on {names[share.argmin()]} to {100 * share.max():.0f} % "
            f"on {names[share.argmax()]}, ")


def compare_steps(runs: Sequence[Run], labels: Sequence[str] | None = None) -> tuple[Figure, pd.DataFrame]:
    """Last step of several runs side by side. Returns (Figure, DataFrame with one row a run).

    `step_ps` lasts from the first GPU's start to the last GPU's end. The parts are means over GPUs and add up
    to `gpu_ps`, the mean time that a GPU spent in the step: their shares of it are those of the summary.
    ValueError: a run without a step.
    """
    labels = labels or labels_of(runs)
    rows = []
    for run in runs:
        if run.steps.empty:
            raise ValueError(f"{run.path}: has no step to compare: no iteration has ended (results of serving: "
                             "serving, of weeks of a job: goodput)")
        last = run.steps.iloc[-1]
        parts = {name: last[name] / last["gpus"] for name in ("compute_ps", "exposed_ps", "idle_ps")}
        rows.append({"step_ps": last["t_end_ps"] - last["t_start_ps"], **parts,
                     "gpu_ps": last["gpu_time_ps"] / last["gpus"]})
    table = pd.DataFrame(rows, index=labels)
    divisor, unit = style.time_unit(table["step_ps"].max())
    figure, axes = style.new_figure(9, 2 + 0.5 * len(runs))
    y = np.arange(len(runs))[::-1]
    left = np.zeros(len(runs))
    for (_, name, colour), column in zip(PARTS, ("compute_ps", "exposed_ps", "idle_ps")):
        width = table[column].to_numpy() / divisor
        axes.barh(y, width, left=left, color=colour, label=name, height=0.7)
        left += width
    for position, (_, row) in zip(y, table.iterrows()):
        shares = ", ".join(style.percent(row[column], row["gpu_ps"])
                           for column in ("compute_ps", "exposed_ps", "idle_ps"))
        axes.text(row["gpu_ps"] / divisor, position, f" {style.format_time(row['step_ps'])} ({shares})",
                  va="center", fontsize=9)
    axes.set_yticks(y, labels)
    axes.set_xlabel(f"time of a GPU in the step, mean over GPUs by part [{unit}]")
    axes.set_xlim(0, table["step_ps"].max() / divisor * 1.5)  # room for the figures beside the longest bar
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=9)
    fastest, slowest = table["step_ps"].idxmin(), table["step_ps"].idxmax()
    ratio = table["step_ps"].max() / table["step_ps"].min()
    finding = "all runs take the same time" if ratio < 1.001 else f"{fastest} is {ratio:.2f} times as fast as {slowest}"
    style.set_title(axes, finding, "last iteration of each run; beside the bars the step from the first GPU's start to the last one's end")
    return figure, table
