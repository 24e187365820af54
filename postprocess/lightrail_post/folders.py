"""Results of a study's folder, NAME.sweep of `lightrail sweep --jobs`, in the order of its points."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from .result import open_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .result import Run


def result_paths(path):
    """Of a result file itself; of a study's folder those of its complete points. FileNotFoundError: a folder
    without a table of points, or without a complete one."""
    path = Path(path)
    if not path.is_dir():
        return [path]
    tables = [table for table in sorted(path.glob("*.csv")) if {"point", "status"} <= set(pd.read_csv(table, nrows=0))]
    if len(tables) != 1:
        raise FileNotFoundError(f"{path} is a folder with {len(tables)} tables of points (expected one, which "
                                "lightrail sweep --jobs writes)")
    table = tables[0]
    points = pd.read_csv(table)
    kept = points["result"].notna() if "result" in points else pd.Series(False, points.index)
    complete = points[(points["status"] == "complete") & kept].sort_values("point")
    if complete.empty:
        raise FileNotFoundError(f"{table}: no point is complete and has kept its result")
    if len(complete) < len(points):
        print(f"{path}: {len(points) - len(complete)} of {len(points)} points are left out, which are not complete or "
              "have kept no result", file=sys.stderr)
    return [path / result for result in complete["result"]]


def open_runs(paths: Sequence[str | Path]) -> list[Run]:
    """Results that the paths name: files, and folders of studies with all of their points."""
    return [open_run(result) for path in paths for result in result_paths(path)]
