"""What is asked most of a result, a line each. Examples: `run` and `other` are two results of open_run()."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from . import style
from .link_uses import link_name, link_use, mean_use
from .time_uses import rows_of_step, time_parts, time_use, use_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .result import Run

APART = "GPUs start and end apart"


def exposed(run: Run, by: str = "dimension", job: str | None = None) -> pd.DataFrame:
    """What the time of GPUs went into in the last iteration; communication is what no kernel hides. `job`: of
    several, one; else the GPUs of all, each in the last iteration of its own.

    by="dimension": a row a part ("compute", "tp", "pp bubble"), the largest first, with `mean_ps`, the mean time
    of a GPU [ps], and `share` of it. by="role" and by="gpu": a row a role or GPU (endpoint id), a column a part,
    shares that add up to 1 in a row. ValueError: the run has no table exposed, another `by`,
    or no such job.

    >>> exposed(run).columns.tolist()
    ['mean_ps', 'share']
    >>> round(exposed(run)["share"].sum(), 6)
    1.0
    >>> exposed(run, by="role").index.tolist()
    ['stage 0', 'stage 1']
    """
    if by not in ("dimension", "role", "gpu"):
        raise ValueError(f"exposed() cannot split by '{by}' (one of dimension, role, gpu)")
    parts = time_parts(run, job=job)
    if parts.empty:
        raise ValueError(f'{run.path}: no use of time was recorded (<table name="exposed">)')
    if by == "dimension":
        return pd.DataFrame({"mean_ps": parts, "share": parts / parts.sum()})
    if by == "role":
        return time_use(run, job=job)[parts.index]
    rows = rows_of_step(run, job=job)
    table = rows.assign(part=use_labels(run, rows)).pivot_table(index="gpu", columns="part", values="time_ps",
                                                                aggfunc="sum", fill_value=0)[parts.index]
    return table.div(table.sum(axis=1), axis=0)


@dataclass(frozen=True)
class Bottleneck:
    """Where a step's time goes and what is busiest; a part that was not recorded is None."""

    step_ps: int
    part: str | None  # most of a GPU's time, and its share
    part_share: float | None
    path: str | None  # most of the critical path, and its share
    path_share: float | None
    link: str | None  # the busiest directed link, and its use over the run
    link_use: float | None

    def __str__(self) -> str:
        found = [f"{what} {100 * share:.0f} % {of}" for what, share, of in (
            (self.part, self.part_share, "of a GPU's time"), (self.path, self.path_share, "of the critical path"),
            (self.link, self.link_use, "of the run busy")) if what is not None and share is not None]
        return f"step {style.format_time(self.step_ps)}: {'; '.join(found) or 'nothing was recorded'}"


def _step_of(run, job):
    """The last step [ps]."""
    if job is None and len(run.jobs) > 1:
        raise ValueError(f"{run.path}: several jobs, say job= (one of {', '.join(run.jobs)})")
    steps = run.summary
    if job is not None:
        run.gpus_of(job)
        table = run.summary.get("jobs", pd.DataFrame(columns=["name"]))
        steps = next(iter(table[table["name"] == job].to_dict("records")), {})
    if "step_time_ps" not in steps:
        raise ValueError(f"{run.path}: no iteration has ended (status: {run.info['status']})")
    return int(steps["step_time_ps"])


def bottleneck(run: Run, job: str | None = None) -> Bottleneck:
    """What takes most of the step, of several jobs that of `job`; links are those of the whole run.
    ValueError: no iteration has ended, or there are several jobs and none, or another one, is named.

    >>> print(bottleneck(run))  # doctest: +ELLIPSIS
    step ... ms: compute ... % of a GPU's time; ... % of the critical path; ... → ... % of the run busy
    >>> bottleneck(run).link  # doctest: +ELLIPSIS
    '... → ...'
    """
    step = _step_of(run, job)
    parts, use = time_parts(run, job=job), link_use(run)
    path = run.summary.get("critical_path", {}).get("parts", pd.DataFrame())
    part = (None, None) if parts.empty else (parts.index[0], parts.iloc[0] / parts.sum())
    of_path = (None, None) if path.empty else (path["label"][0], path["time_ps"][0] / path["time_ps"].sum())
    link = (None, None)
    if not use.empty:
        mean = mean_use(run, use)
        link = (link_name(run, mean.idxmax()), mean.max())
    return Bottleneck(step, *part, *of_path, *link)


def parts_of_steps(runs: Sequence[Run]) -> pd.DataFrame:
    """A row a run: mean time of a GPU by part [ps], and APART, by which the step (from the first GPU's start
    to the last one's end) is longer than a GPU's mean time. A row adds up to the step. Runs without the table
    exposed or without a step have only zeros.

    >>> parts_of_steps([run, other]).sum(axis=1).round().astype(int).tolist() == [
    ...     run.summary["step_time_ps"], other.summary["step_time_ps"]]
    True
    """
    rows = []
    for run in runs:
        parts, step = time_parts(run), run.summary.get("step_time_ps")
        rows.append({} if step is None or parts.empty else {**parts, APART: step - parts.sum()})
    table = pd.DataFrame(rows).fillna(0.0)
    return table[table.sum().sort_values(ascending=False, kind="stable").index] if len(table.columns) else table


def compare(a: Run, b: Run) -> pd.DataFrame:
    """What differs between the steps of two runs: a row a part with `before_ps`, `after_ps` (mean time of a
    GPU) and `change_ps`, the largest change first. Changes add up to that of the step. ValueError: one of
    them has no step or no table exposed.

    >>> change = compare(run, other)["change_ps"]
    >>> abs(change.sum() - (other.summary["step_time_ps"] - run.summary["step_time_ps"])) < 1
    True
    """
    for run in (a, b):
        if "step_time_ps" not in run.summary or time_parts(run).empty:
            raise ValueError(f'{run.path}: no step with its use of time was recorded (<table name="exposed">)')
    parts = parts_of_steps([a, b]).rename_axis(columns="part")
    before, after = parts.loc[0], parts.loc[1]
    table = pd.DataFrame({"before_ps": before, "after_ps": after, "change_ps": after - before})
    return table.iloc[np.argsort(-table["change_ps"].abs().to_numpy(), kind="stable")]
