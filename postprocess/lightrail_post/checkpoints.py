"""Checkpoints of a training run: what its steps wait for them, and what goes on beside the steps."""

from collections.abc import Mapping

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from . import style
from .result import Run, that_count

PS_PER_S = 1e12


def _steps(run):
    """Start and end [s] of every iteration, over all GPUs."""
    by_step = that_count(run, run.tables["steps"]).groupby("iteration", observed=True)
    return pd.DataFrame({"start": by_step["t_start_ps"].min(), "end": by_step["t_end_ps"].max()}) / PS_PER_S


def _saves(run):
    """A row a save: bytes, begin and end [s] of its writes; the n-th write of every GPU is of save n."""
    table = run.tables["storage"]
    writes = table[table["is_write"] == 1].sort_values(["from", "t_start_ps"])
    by_save = writes.groupby(writes.groupby("from").cumcount())
    return pd.DataFrame({"size_bytes": by_save["size_bytes"].sum(),
                         "start": by_save["t_start_ps"].min() / PS_PER_S,
                         "end": by_save["t_end_ps"].max() / PS_PER_S})


def checkpoint_table(runs: Mapping[str, Run]) -> pd.DataFrame:
    """DataFrame, a row a run: steps, mean_step_s, saves, saved_gb (of one save), blocked_s (time of a GPU in
    its steps that went into copies and storage, the mean for a save), write_s (first to last byte of a save,
    the mean)."""
    rows = []
    for name, run in runs.items():
        steps, saves, waits = _steps(run), _saves(run), run.tables["exposed"]
        blocked = waits[waits["use"].isin(["copy", "storage"])]["time_ps"].sum() / PS_PER_S
        gpus = max(waits["gpu"].nunique(), 1)
        rows.append({"run": name, "steps": len(steps), "mean_step_s": (steps["end"] - steps["start"]).mean(),
                     "saves": len(saves), "saved_gb": saves["size_bytes"].mean() / 1e9,
                     "blocked_s": blocked / gpus / max(len(saves), 1),
                     "write_s": (saves["end"] - saves["start"]).mean()})
    return pd.DataFrame(rows).set_index("run")


def checkpoint_steps(runs: Mapping[str, Run]) -> Figure:
    """Every step's time, a panel a run, with the time in which a checkpoint is written shaded. Returns a Figure."""
    if not any(len(_saves(run)) for run in runs.values()):
        return style.nothing("no run has written a checkpoint (<checkpoint> of a training workload)")
    table = checkpoint_table(runs)
    figure, panels = plt.subplots(1, len(runs), figsize=(3.6 * len(runs), 3.8), sharey=True, squeeze=False,
                                  layout="constrained")
    for axes, (name, run) in zip(panels[0], runs.items()):
        axes.spines[["top", "right"]].set_visible(False)
        steps = _steps(run)
        for save in _saves(run).itertuples():
            axes.axvspan(save.start, save.end, color=style.DIMENSION_COLOURS[3], alpha=0.3, lw=0)
        axes.bar(steps["start"], steps["end"] - steps["start"], width=steps["end"] - steps["start"], align="edge",
                 color=style.DIMENSION_COLOURS[0], edgecolor="white", lw=0.8)
        axes.set_title(f"{name}\nmean step {table['mean_step_s'][name]:.2f} s", loc="left", fontsize=10)
        axes.set_xlabel("simulated time [s]")
    panels[0][0].set_ylabel("time of a step [s]")
    panels[0][0].set_ylim(bottom=0)
    figure.text(0.01, -0.03, "blue: a checkpoint is written to storage", fontsize=9)
    return figure
