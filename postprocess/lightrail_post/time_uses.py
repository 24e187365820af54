"""What the time of GPUs went into: the table exposed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from . import style
from .result import that_count

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .result import Run

COLOURS = {"compute": style.COMPUTE, "bubble": "#333333", "host": "#CCCCCC", "copy": "#F0E442",
           "storage": "#882255", "idle": "#F4F4F4"}
MOST_ROWS = 32


def rows_of_step(run: Run, iteration: int | None = None, job: str | None = None) -> pd.DataFrame:
    """Rows of the table exposed, of an iteration (default: the last of each GPU, since jobs have theirs), of
    all GPUs or of a job's. Empty: nothing was recorded. ValueError: no such job."""
    rows = run.tables["exposed"] if "exposed" in run.tables else pd.DataFrame()
    if job is not None:
        gpus = run.gpus_of(job)
        rows = rows[rows["gpu"].isin(gpus)] if len(rows) else rows
    if rows.empty:
        return rows
    rows = that_count(run, rows)
    wanted = rows.groupby("gpu")["iteration"].transform("max") if iteration is None else iteration
    return rows[rows["iteration"] == wanted]


def time_use(run: Run, iteration: int | None = None, job: str | None = None) -> pd.DataFrame:
    """DataFrame: role x what ("compute", "tp", "pp bubble") -> share of the time of the role's GPUs in an
    iteration (default: the last of each job). A row adds up to 1. Largest part first. Empty: nothing was
    recorded."""
    rows = rows_of_step(run, iteration, job)
    if rows.empty:
        return rows
    role_of_gpu = np.array(run.programs["role"], dtype=object)[run.programs["program_of_gpu"]]
    table = rows.assign(role=role_of_gpu[rows["gpu"]], what=use_labels(run, rows)).pivot_table(
        index="role", columns="what", values="time_ps", aggfunc="sum", fill_value=0, sort=False)
    table = table.div(table.sum(axis=1), axis=0)
    table = table.loc[[role for role in dict.fromkeys(run.programs["role"]) if role in table.index]]
    return table[table.mean().sort_values(ascending=False, kind="stable").index]


def time_parts(run: Run, iteration: int | None = None, job: str | None = None) -> pd.Series:
    """Series: what ("compute", "tp", "pp bubble") -> mean time of a GPU in an iteration (default: the last of
    each job) [ps], the largest first. Empty: nothing was recorded."""
    rows = rows_of_step(run, iteration, job)
    if rows.empty:
        return pd.Series(dtype=float)
    sums = rows["time_ps"].groupby(np.array(use_labels(run, rows), dtype=object)).sum()
    return (sums / rows["gpu"].nunique()).sort_values(ascending=False, kind="stable")


def use_labels(run, rows):
    """As `lightrail explain` calls them."""
    labels = []
    for use, dimension, group in zip(rows["use"].astype(str), rows["dimension"], rows["group"]):
        name = run.dimensions[dimension] if dimension >= 0 else ""
        if group >= 0 and run.group_kinds[group] != name:
            name = f"{name} ({run.group_kinds[group]})" if name else run.group_kinds[group]
        labels.append(name if use == "communication" else f"{name} {use}".strip())
    return labels


def use_colour(run, what):
    """Of a column of time_use()."""
    use = what.split(" ")[-1]
    return COLOURS[use] if use in COLOURS else style.dimension_colour(run, what.split(" ")[0])


def time_use_bars(run: Run, iteration: int | None = None) -> Figure:
    """Stacked bars of one iteration (default: the last), one a role. Returns a Figure."""
    table = time_use(run, iteration)
    if table.empty:
        return style.nothing("no use of time was recorded (<table name=\"exposed\">)")
    shown = table.iloc[:MOST_ROWS]
    figure, axes = style.new_figure(10, 1.9 + 0.28 * len(shown))
    y = np.arange(len(shown))[::-1]
    left = np.zeros(len(shown))
    for what in shown.columns:
        width = 100 * shown[what].to_numpy()
        axes.barh(y, width, left=left, height=0.8, color=use_colour(run, what), edgecolor="white", linewidth=0.4,
                  hatch="///" if "(" in what else None, label=what)
        left += width
    axes.set_yticks(y, [str(role) for role in shown.index], fontsize=8)
    axes.set_xlim(0, 100)
    axes.set_xlabel("share of the GPUs' time [%]")
    axes.set_ylabel("role")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=9)
    waits = table.drop(columns="compute", errors="ignore")
    finding = "GPUs only compute"
    if not waits.empty and waits.shape[1] > 0:
        most = waits.mean().idxmax()
        finding = f"beside compute, most time goes into {most}: {waits[most].min() * 100:.0f} to " \
                  f"{waits[most].max() * 100:.0f} % by role"
    more = "" if len(shown) == len(table) else f", the first {MOST_ROWS} of {len(table)} roles"
    style.set_title(axes, finding, f"communication that no kernel hides, by dimension; the pipeline's bubble "
                                   f"apart{more}, {run.label}")
    return figure
