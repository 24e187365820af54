"""What every stream of every recorded GPU did, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.patches import Patch

from . import style
from .operations import colour_keys, extent, finding, key_colours, waits_for_launches
from .spans import added_up

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.figure import Figure

    from .result import Run

ROW = 0.84  # height of a stream's row
BINS = 600  # of a stream with more operations than can be told apart
DENSE = 400  # operations of a stream that are drawn as bars of their own


def _dense_bars(start, end, keys, order, edges, y):
    """Of one stream, by key the corners of one bar a bin and key, stacked: as high as its share of the
    time."""
    bottom = np.full(len(edges) - 1, y - ROW / 2)
    for key in order:
        of_key = keys == key
        height = ROW * np.clip(added_up(start[of_key], end[of_key], edges) / np.diff(edges), 0, 1)
        filled = height > 1e-6
        yield key, _corners(edges[:-1][filled], edges[1:][filled], bottom[filled], (bottom + height)[filled])
        bottom = bottom + height


def _corners(left, right, bottom, top):
    return np.stack([np.stack([left, bottom], -1), np.stack([right, bottom], -1), np.stack([right, top], -1),
                     np.stack([left, top], -1)], 1)


def timeline(run: Run, gpus: Iterable[int] | None = None, iteration: int | None = None, span_ps: tuple[int,
             int] | None = None, max_gpus: int = 8) -> Figure:
    """One row per GPU and stream, one bar per operation; a stream with more than DENSE operations shows in
    each of BINS columns the shares of its time, stacked.

    gpus: endpoint ids, default the first max_gpus recorded; iteration: default the last;
    span_ps: (start, end) relative to the start of the iteration, default all of it. Returns a Figure.
    """
    ops = run.tables["ops"]
    if ops.empty:
        return style.nothing("no operations were recorded (<table name=\"ops\">)")
    iteration = ops["iteration"].max() if iteration is None else iteration
    gpus = sorted(ops["gpu"].unique())[:max_gpus] if gpus is None else list(gpus)
    ops = ops[(ops["iteration"] == iteration) & ops["gpu"].isin(gpus) & (ops["t_end_ps"] > ops["t_start_ps"])]
    if ops.empty:
        return style.nothing(f"GPUs {gpus} recorded no operation in iteration {iteration}")
    origin, end = extent(run, gpus, iteration, ops)
    if span_ps:
        ops = ops[(ops["t_end_ps"] > origin + span_ps[0]) & (ops["t_start_ps"] < origin + span_ps[1])]
    low, high = span_ps if span_ps else (0, end - origin)
    divisor, unit = style.time_unit(high - low)

    rows = sorted(set(zip(ops["gpu"], ops["stream"])))
    place = {row: len(rows) - 1 - i for i, row in enumerate(rows)}
    keys = colour_keys(ops, run)
    colours = key_colours(keys, run)
    figure, axes = style.new_figure(12, 1.8 + 0.26 * len(rows))
    start = (ops["t_start_ps"].to_numpy() - origin).clip(low, high) / divisor
    end = (ops["t_end_ps"].to_numpy() - origin).clip(low, high) / divisor
    y = np.array([place[row] for row in zip(ops["gpu"], ops["stream"])])
    edges = np.linspace(low, high, BINS + 1) / divisor
    counts = np.bincount(y, minlength=len(rows))
    drawn: dict[str, list] = {key: [] for key in colours}
    for at in np.flatnonzero(counts > DENSE):
        of_row = y == at
        for key, corners in _dense_bars(start[of_row], end[of_row], keys[of_row], colours, edges, at):
            drawn[key].append(corners)
    for key in colours:
        of_key = np.flatnonzero((keys == key) & (counts[y] <= DENSE))
        drawn[key].append(_corners(start[of_key], end[of_key], y[of_key] - ROW / 2, y[of_key] + ROW / 2))
        axes.add_collection(PolyCollection(np.concatenate(drawn[key]), facecolors=colours[key],
                                           edgecolors="none"))
    names = run.endpoint_names()
    axes.set_yticks(range(len(rows)), [f"{names.get(g, g)}  {run.stream_name(g, s)}"
                                       for g, s in reversed(rows)], fontsize=7)
    for row, above in zip(rows[1:], rows):
        if row[0] != above[0]:
            axes.axhline(place[row] + 0.5, color="#888888", linewidth=0.6)
    axes.set_xlim(low / divisor, high / divisor)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlabel(f"time since the start of iteration {iteration} [{unit}]")
    axes.set_ylabel("GPU and stream")
    axes.legend(handles=[Patch(color=c, label=k.replace("_", " ")) for k, c in colours.items()],
                loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8)
    dense = (f" (over {DENSE} of them: shares of the time, stacked)" if counts.max() > DENSE else "")
    if waits_for_launches(run, gpus, iteration):
        dense += ", each with the launches between its kernels"
    span = (origin + low, origin + high) if span_ps else None
    style.set_title(axes, finding(run, gpus, iteration, ops, span),
                    f"operations by GPU and stream{dense}, {run.label}")
    return figure
