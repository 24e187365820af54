"""A figure of any study."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pandas as pd
from matplotlib.ticker import MaxNLocator

from . import style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
ROOM_ABOVE = 0.06  # of the height, for the markers of the highest points
LONGEST_FINDING = 90  # letters that fit above the figure
QUANTITY = re.compile(r"^\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(\S.*)?$")
UNITS = {"bytes": "B", "usd": "$", "w": "W", "j": "J", "s": "s"}


def _as_axis(column):
    """(values, unit): numbers of one unit ("400 Gb/s") as numbers, other texts as they are."""
    if pd.api.types.is_numeric_dtype(column):
        return column, ""
    found = [QUANTITY.match(str(value)) for value in column]
    units = {match[2] or "" for match in found if match}
    if all(found) and len(units) == 1:
        return pd.Series([float(match[1]) for match in found], column.index), units.pop()
    return column.astype(str), ""


def _scaled(column, name):
    """(values, label) of a figure of the summary, whose unit ends its name."""
    values, unit = _as_axis(column)
    title = name.replace("_", " ")
    if unit:
        return values, f"{title} [{unit}]"
    if name.endswith("_ps"):
        divisor, unit = style.time_unit(values.abs().max())
        return values / divisor, f"{title.removesuffix(' ps')} [{unit}]"
    if name.endswith("_fraction"):
        return 100 * values, f"{title.removesuffix(' fraction')} [%]"
    last = name.rsplit("_", 1)[-1]
    if last == "usd" and values.max() >= 1e6:
        return values / 1e6, f"{title.removesuffix(' usd')} [M$]"
    return values, f"{title.removesuffix(' ' + last)} [{UNITS[last]}]" if last in UNITS and "_" in name else title


def _words(name):
    return name.replace("_", " ")


def _finding(rows, y, named):
    if rows[y].nunique() < 2:
        return f"{_words(y)} is the same in all {len(rows)} points"
    least, most = rows.loc[rows[y].idxmin()], rows.loc[rows[y].idxmax()]
    where = [", ".join(f"{_words(name)} {row[name]}" for name in named) for row in (least, most)]
    if least[y] > 0:
        text = f"{where[1]}: {most[y] / least[y]:.3g} times as much as {where[0]}"
        return text if len(text) <= LONGEST_FINDING else f"from least to most {most[y] / least[y]:.3g} times as much"
    return f"least with {where[0]}, most with {where[1]}"


def plot(study: pd.DataFrame, x: str, y: str = "step_time_ps", by: str | Sequence[str] = ()) -> Figure:
    """Figure of column `y` of a study (sweep()) over column `x`, a line for each combination of the columns
    `by`; over texts that are no quantities of one unit: bars. Units come from the names. Points that are not
    complete are left out, and counted. KeyError: no such column. ValueError: no complete point.

    >>> figure = post.plot(study, x="layers", y="step_time_ps", by="sequence")
    >>> figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()
    ('layers', 'step time [ms]')
    >>> figure.axes[0].get_title(loc="left")  # doctest: +ELLIPSIS
    'layers 4, sequence 1024: ... times as much as layers 2, sequence 512'
    """
    by = [by] if isinstance(by, str) else list(by)
    for name in (x, y, *by):
        if name not in study:
            raise KeyError(f"the study has no column '{name}' (one of {', '.join(study.columns)})")
    rows = study[study["status"] == "complete"] if "status" in study else study
    rows = rows[rows[y].notna()]
    if rows.empty:
        raise ValueError(f"no point of the study is complete and has {y}")
    if not pd.api.types.is_numeric_dtype(rows[y]):
        raise ValueError(f"column '{y}' has texts, which have no height")
    across, across_label = _scaled(rows[x], x)
    heights, label = _scaled(rows[y], y)
    figure, axes = style.new_figure(8, 4.5)
    groups = list(rows.groupby(by, sort=False).groups.items()) if by else [("", rows.index)]
    names = list(dict.fromkeys(across))
    for i, (values, index) in enumerate(groups):
        line = ", ".join(f"{name} {value}" for name, value in zip(
            by, values if isinstance(values, tuple) else (values,))) if by else None
        look = {"color": COLOURS[i % len(COLOURS)], "label": line}
        if pd.api.types.is_numeric_dtype(across):
            order = across[index].sort_values().index
            axes.plot(across[order], heights[order], ["-", "--", ":"][i // len(COLOURS) % 3], marker="o", **look)
        else:
            width = 0.8 / len(groups)
            places = [names.index(name) + (i - (len(groups) - 1) / 2) * width for name in across[index]]
            axes.bar(places, heights[index], width, **look)
    if not pd.api.types.is_numeric_dtype(across):
        axes.set_xticks(range(len(names)), names)
    elif (across == across.round()).all():  # no half servers
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(across_label)
    axes.set_ylabel(label)
    bottom, top = min(0, heights.min()), heights.max()
    axes.set_ylim(bottom, top + ROOM_ABOVE * (top - bottom) if top > bottom else None)
    if by:
        axes.legend(frameon=False)
    left_out = len(study) - len(rows)
    style.set_title(axes, _finding(rows, y, [x, *by]), f"{len(rows)} points" + (f", {left_out} not complete" if left_out else ""))
    return figure
