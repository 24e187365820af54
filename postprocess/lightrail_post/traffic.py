"""Who sends how much to whom, and for which parallel dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import LogNorm, Normalize

from . import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .result import Run


def traffic_matrix(run: Run) -> Figure:
    """Payload between endpoints as a heat map, logarithmic. Returns a Figure."""
    rows = run.tables["traffic_matrix"]
    rows = rows[rows["size_bytes"] > 0]
    if rows.empty:
        return style.nothing("no traffic matrix was recorded (<table name=\"traffic_matrix\">)")
    senders, receivers = np.unique(rows["from"]), np.unique(rows["to"])
    matrix = np.zeros((len(senders), len(receivers)))
    np.add.at(matrix, (np.searchsorted(senders, rows["from"]), np.searchsorted(receivers, rows["to"])),
              rows["size_bytes"].to_numpy())
    divisor, unit = style.byte_unit(matrix.max())
    atoms = run.endpoint_atoms()
    same_server = atoms.reindex(senders).to_numpy()[:, None] == atoms.reindex(receivers).to_numpy()[None, :]
    inside = matrix[same_server].sum()

    width = 7.2 if len(receivers) <= 64 else 10
    figure, axes = style.new_figure(width, np.clip(width * len(senders) / len(receivers), 2.0, 6) + 1.2)
    axes.spines[["top", "right"]].set_visible(True)
    low, high = matrix[matrix > 0].min() / divisor, matrix.max() / divisor
    shown = axes.imshow(np.where(matrix > 0, matrix / divisor, np.nan), cmap="viridis",
                        interpolation="nearest", aspect="auto",
                        norm=LogNorm(low, high) if high > 3 * low else Normalize(0, high))
    names = run.endpoint_names()
    for axis, ends, rotation in ((axes.xaxis, receivers, 90), (axes.yaxis, senders, 0)):
        step = max(1, -(-len(ends) // 32))
        axis.set_ticks(range(0, len(ends), step), names.reindex(ends).tolist()[::step], rotation=rotation,
                       fontsize=7)
    axes.set_xlabel("receiver")
    axes.set_ylabel("sender")
    bar = figure.colorbar(shown, ax=axes, label=f"payload over the whole run [{unit}]")
    if high > 3 * low:
        # Powers of ten are too few for a short range.
        ticks = np.geomspace(low, high, 5)
        bar.set_ticks(ticks, labels=[f"{tick:.3g}" for tick in ticks])
        bar.minorticks_off()
    total = matrix.sum()
    finding = (f"All {style.format_bytes(total)} stay inside a server" if inside == total else
               f"{style.percent(inside, total)} of {style.format_bytes(total)} stays inside a server")
    style.set_title(axes, finding, f"payload sent by recorded endpoints, {run.label}; white: none")
    return figure


def traffic_by_dimension(run: Run) -> Figure:
    """Bytes of all GPUs by parallel dimension, bars. Returns a Figure."""
    rows = run.summary.get("dimensions")
    rows = rows[rows["size_bytes"] > 0].sort_values("size_bytes") if rows is not None else None
    if rows is None or rows.empty:
        return style.nothing("no GPU sent anything")
    divisor, unit = style.byte_unit(rows["size_bytes"].max())
    figure, axes = style.new_figure(8, 1.8 + 0.4 * len(rows))
    axes.barh(rows["name"], rows["size_bytes"] / divisor, color=style.COMPUTE)
    for i, (size, messages) in enumerate(zip(rows["size_bytes"], rows["messages"])):
        axes.text(size / divisor, i, f" {style.format_bytes(size)}, {messages:,} messages", va="center",
                  fontsize=8)
    axes.set_xlim(0, rows["size_bytes"].max() / divisor * 1.45)
    axes.set_xlabel(f"payload sent by all GPUs over the whole run [{unit}]")
    axes.set_ylabel("parallel dimension")
    largest = rows.iloc[-1]
    share = style.percent(largest["size_bytes"], rows["size_bytes"].sum())
    style.set_title(axes, f"{share} of the traffic is {largest['name']}", run.label)
    return figure
