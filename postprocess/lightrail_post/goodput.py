"""Weeks of a job (`lightrail goodput`): effective time over the checkpoint interval."""

from collections.abc import Sequence

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from . import style
from .result import Run
from .varied import labels_of

PS_PER_MINUTE = 60e12


def _with_intervals(runs):
    """Those that have played checkpoint intervals, with their names (labels_of()), by what saving takes, then
    by GPUs."""
    weeks = [{**run.summary["goodput"], "run": label} for run, label in zip(runs, labels_of(runs))
             if "goodput" in run.summary]
    return sorted((w for w in weeks if len(w["intervals"])),
                  key=lambda w: (w["write_ps"], w["blocking_ps"], w["gpus"]))


def best_intervals(runs: Sequence[Run]) -> pd.DataFrame:
    """DataFrame, a row a run by its name: gpus, blocking_s, write_s, the run's own interval and its share of
    effective time, the interval played best and its share, the exact form's best interval, Young's (minutes)."""
    return pd.DataFrame([{
        "run": w["run"], "gpus": w["gpus"], "blocking_s": w["blocking_ps"] * 1e-12, "write_s": w["write_ps"] * 1e-12,
        "every_min": w["every_ps"] / PS_PER_MINUTE, "effective": w["effective"],
        "best_min": w["best_every_ps"] / PS_PER_MINUTE, "best_effective": w["intervals"]["mean"].max(),
        "exact_min": w["closed_best_every_s"] / 60, "young_min": w["young_s"] / 60,
    } for w in _with_intervals(runs)]).set_index("run")


def _saving(weeks):
    """"0.59 s blocked, 51 s beside training"."""
    beside = f", {weeks['write_ps'] * 1e-12:.3g} s beside training" if weeks["write_ps"] else ""
    return f"{weeks['blocking_ps'] * 1e-12:.3g} s blocked{beside}"


def effective_over_interval(runs: Sequence[Run]) -> Figure:
    """Share of effective time over the checkpoint interval, a panel for each way of saving, a colour for each
    number of GPUs: mean and 5 to 95 % of the played runs, the exact form, the best interval. Returns a
    Figure."""
    weeks = _with_intervals(runs)
    if not weeks:
        return style.nothing("no run has played checkpoint intervals (lightrail goodput with <checkpoint>)")
    ways = list(dict.fromkeys(_saving(w) for w in weeks))
    sizes = sorted({w["gpus"] for w in weeks})
    figure, panels = plt.subplots(1, len(ways), figsize=(5.5 * len(ways), 4.5), sharey=True, squeeze=False,
                                  layout="constrained")
    for axes, way in zip(panels[0], ways):
        axes.spines[["top", "right"]].set_visible(False)
        for w in (w for w in weeks if _saving(w) == way):
            colour = style.DIMENSION_COLOURS[sizes.index(w["gpus"]) % len(style.DIMENSION_COLOURS)]
            rows = w["intervals"]
            minutes = rows["every_ps"] / PS_PER_MINUTE
            axes.fill_between(minutes, 100 * rows["p5"], 100 * rows["p95"], color=colour, alpha=0.25, lw=0)
            axes.plot(minutes, 100 * rows["closed_form"], color=colour, lw=1)
            name = f"{w['gpus']:,} GPUs"
            axes.plot(minutes, 100 * rows["mean"], "o", color=colour, ms=3.5,
                      label=name if name not in axes.get_legend_handles_labels()[1] else None)
            best = rows["mean"].idxmax()
            axes.plot(minutes[best], 100 * rows["mean"][best], "*", color=colour, ms=14, mec="black", mew=0.6)
            axes.plot(w["every_ps"] / PS_PER_MINUTE, 100 * w["effective"], "D", color=colour, ms=6, mec="black", mew=0.6)
            if w["young_s"] > 0:
                axes.axvline(w["young_s"] / 60, color=colour, ls=":", lw=1)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlabel("training between two checkpoints [min]")
        largest = max((w for w in weeks if _saving(w) == way), key=lambda w: w["gpus"])
        best = largest["intervals"].loc[largest["intervals"]["mean"].idxmax()]
        style.set_title(axes, f"{largest['gpus']:,} GPUs: {100 * best['mean']:.1f} % if they save each "
                              f"{best['every_ps'] / PS_PER_MINUTE:.2g} min", way)
    panels[0][0].set_ylabel("effective time [%]")
    panels[0][-1].legend(frameon=False, loc="lower right",
                         title="points: played, band: 5 to 95 % of runs,\nline: exact form, dotted: Young,\n"
                               "star: best, diamond: the scenario's own",
                         title_fontsize=8, fontsize=9)
    return figure
