"""What every stream of every recorded GPU did, over time."""

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.patches import Patch

from . import style


def _colour_keys(ops, run):
    """Per row the key of the legend: a parallel dimension for communication, else the kind."""
    kind = ops["kind"].astype(str).to_numpy()
    dimension = ops["dimension"].to_numpy()
    keys = kind.astype(object)
    for i, name in enumerate(run.dimensions):
        keys[(dimension == i) & np.isin(kind, ["collective", "send", "recv"])] = f"communication, {name}"
    return keys


def _colours(keys):
    """Legend in a fixed order: kinds first, then dimensions."""
    plain = [k for k in style.KIND_COLOURS if k in keys]
    dimensions = sorted(k for k in keys if k not in style.KIND_COLOURS)
    colours = {k: style.KIND_COLOURS[k] for k in plain}
    for i, key in enumerate(dimensions):
        colours[key] = style.DIMENSION_COLOURS[i % len(style.DIMENSION_COLOURS)]
    return colours


def _finding(run, gpus, iteration):
    steps = run.tables["steps"]
    mine = steps[(steps["iteration"] == iteration) & steps["gpu"].isin(gpus)]
    if mine.empty:
        return f"{len(gpus)} GPUs recorded"
    step = (mine["t_end_ps"] - mine["t_start_ps"]).to_numpy()
    compute, exposed = mine["t_compute_ps"].sum() / step.sum(), mine["t_exposed_ps"].sum() / step.sum()
    who = f"GPU {gpus[0]} computes" if len(gpus) == 1 else f"{len(gpus)} GPUs compute"
    return (f"{who} for {100 * compute:.0f} % of the {style.format_time(step.max())} step and wait for "
            f"communication for {100 * exposed:.0f} %")


def timeline(run, gpus=None, iteration=None, span_ps=None, max_gpus=8):
    """One row per GPU and stream, one bar per operation.

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
    origin = ops["t_start_ps"].min()
    if span_ps:
        ops = ops[(ops["t_end_ps"] > origin + span_ps[0]) & (ops["t_start_ps"] < origin + span_ps[1])]
    low, high = span_ps if span_ps else (0, ops["t_end_ps"].max() - origin)
    divisor, unit = style.time_unit(high - low)

    rows = sorted(set(zip(ops["gpu"], ops["stream"])))
    place = {row: len(rows) - 1 - i for i, row in enumerate(rows)}
    keys = _colour_keys(ops, run)
    colours = _colours(set(keys))
    figure, axes = style.new_figure(12, 1.8 + 0.26 * len(rows))
    start = (ops["t_start_ps"].to_numpy() - origin) / divisor
    end = (ops["t_end_ps"].to_numpy() - origin) / divisor
    y = np.array([place[row] for row in zip(ops["gpu"], ops["stream"])])
    for key, colour in colours.items():
        of_key = np.flatnonzero(keys == key)
        corners = np.stack([np.stack([start[of_key], y[of_key] - 0.42], -1),
                            np.stack([end[of_key], y[of_key] - 0.42], -1),
                            np.stack([end[of_key], y[of_key] + 0.42], -1),
                            np.stack([start[of_key], y[of_key] + 0.42], -1)], 1)
        axes.add_collection(PolyCollection(corners, facecolors=colour, edgecolors="none"))
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
    style.set_title(axes, _finding(run, gpus, iteration), f"operations by GPU and stream, {run.label}")
    return figure
