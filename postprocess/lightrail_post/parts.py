"""Where the steps of several runs go: compute, exchange of experts, other communication, host, bubble."""

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

PARTS = {"compute": style.COMPUTE, "expert exchange": style.EXPOSED, "other communication": "#E69F00",
         "host": "#999999", "bubble": "#333333", "rest": style.IDLE}


def _part(use, dimension):
    if use == "communication":
        return "expert exchange" if dimension == "ep" else "other communication"
    return use if use in PARTS else "rest"


def step_parts(runs: Sequence[Run], names: Sequence[str] | None = None) -> pd.DataFrame:
    """DataFrame by run: the mean time of a GPU in the last iteration that went into each of PARTS [ms], and
    `step_ms`. Communication is what no kernel hides.

    `names`: of the runs (default: of their files, or of the settings that differ).
    A run without the table `exposed` is refused (ValueError).
    """
    names = list(names or labels_of(runs))
    rows = []
    for run in runs:
        uses = run.tables["exposed"] if "exposed" in run.tables else pd.DataFrame()
        if uses.empty:
            raise ValueError(f"{run.path}: no use of time was recorded (<table name=\"exposed\">)")
        uses = that_count(run, uses)
        uses = uses[uses["iteration"] == uses["iteration"].max()]
        parts = [_part(use, run.dimensions[dimension] if dimension >= 0 else "")
                 for use, dimension in zip(uses["use"].astype(str), uses["dimension"])]
        sums = uses["time_ps"].groupby(np.array(parts)).sum() / uses["gpu"].nunique() / 1e9
        rows.append({part: float(sums.get(part, 0)) for part in PARTS} | {
            "step_ms": run.summary["step_time_ps"] / 1e9})
    return pd.DataFrame(rows, index=pd.Index(names, name="run"))


def markdown(table):
    """The table of step_parts() as a page has it: step time, then shares of a GPU's time."""
    shown = [part for part in PARTS if table[part].max() > 0]
    lines = ["| | step | " + " | ".join(shown) + " |", "|---" * (len(shown) + 2) + "|"]
    for name, row in table.iterrows():
        time = row[list(PARTS)].sum()
        shares = " | ".join(f"{100 * row[part] / time:.1f} %" for part in shown)
        lines.append(f"| {name} | {style.format_time(row['step_ms'] * 1e9)} | {shares} |")
    return "\n".join(lines)


def step_parts_bars(table: pd.DataFrame) -> Figure:
    """A bar a run of the table of step_parts(), shares of a GPU's time, the step time beside. -> Figure."""
    figure, axes = style.new_figure(10, 1.9 + 0.42 * len(table))
    y = np.arange(len(table))[::-1]
    time = table[list(PARTS)].sum(axis=1).to_numpy()
    left = np.zeros(len(table))
    for part, colour in PARTS.items():
        width = 100 * table[part].to_numpy() / time
        if width.max() <= 0:
            continue
        axes.barh(y, width, left=left, height=0.75, color=colour, edgecolor="white", linewidth=0.5, label=part)
        for place, start, share in zip(y, left, width):
            if share >= 4:
                axes.text(start + share / 2, place, f"{share:.0f}", ha="center", va="center", fontsize=8,
                          color="black" if part in ("rest", "other communication") else "white")
        left += width
    for place, ms in zip(y, table["step_ms"]):
        axes.text(101, place, style.format_time(ms * 1e9), va="center", fontsize=9)
    axes.set_yticks(y, list(table.index), fontsize=9)
    axes.set_xlim(0, 100)
    axes.set_xlabel("share of a GPU's time [%]; right: the step")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12 - 0.6 / len(table)), ncol=len(PARTS), frameon=False,
                fontsize=9)
    share = 100 * table["compute"].to_numpy() / time
    style.set_title(axes, f"GPUs compute for {share.min():.0f} to {share.max():.0f} % of a step",
                    "communication that no kernel hides")
    return figure
