"""Who sends how much to whom, and for which parallel dimension."""

import numpy as np
from matplotlib.colors import LogNorm

from . import style


def traffic_matrix(run):
    """Payload between endpoints as a heat map, logarithmic. Returns a Figure."""
    rows = run.tables["traffic_matrix"]
    rows = rows[rows["size_bytes"] > 0]
    if rows.empty:
        return style.nothing("no traffic matrix was recorded (<table name=\"traffic_matrix\">)")
    ends = np.union1d(rows["from"], rows["to"])
    place = {end: i for i, end in enumerate(ends)}
    matrix = np.zeros((len(ends), len(ends)))
    np.add.at(matrix, (rows["from"].map(place).to_numpy(), rows["to"].map(place).to_numpy()), rows["size_bytes"].to_numpy())
    divisor, unit = style.byte_unit(matrix.max())
    atoms = run.endpoint_atoms().reindex(ends).to_numpy()
    inside = matrix[atoms[:, None] == atoms[None, :]].sum()

    figure, axes = style.new_figure(8, 6.6)
    axes.spines[["top", "right"]].set_visible(True)
    low, high = matrix[matrix > 0].min() / divisor, matrix.max() / divisor
    shown = axes.imshow(np.where(matrix > 0, matrix / divisor, np.nan), cmap="viridis", interpolation="nearest",
                        norm=LogNorm(low, high) if high > 1.5 * low else None)
    names = run.endpoint_names().reindex(ends).tolist()
    step = max(1, -(-len(ends) // 24))
    axes.set_xticks(range(0, len(ends), step), names[::step], rotation=90, fontsize=7)
    axes.set_yticks(range(0, len(ends), step), names[::step], fontsize=7)
    axes.set_xlabel("receiver")
    axes.set_ylabel("sender")
    figure.colorbar(shown, ax=axes, label=f"payload over the whole run [{unit}]", shrink=0.85)
    total = matrix.sum()
    finding = (f"All {style.format_bytes(total)} stay inside a server" if inside == total else
               f"{style.percent(inside, total)} of {style.format_bytes(total)} stays inside a server")
    style.set_title(axes, finding, f"payload sent by recorded endpoints, {run.label}; white: none")
    return figure


def traffic_by_dimension(run):
    """Bytes of all GPUs by parallel dimension, bars. Returns a Figure."""
    rows = run.summary.get("dimensions")
    rows = rows[rows["size_bytes"] > 0].sort_values("size_bytes") if rows is not None else None
    if rows is None or rows.empty:
        return style.nothing("no GPU sent anything")
    divisor, unit = style.byte_unit(rows["size_bytes"].max())
    figure, axes = style.new_figure(8, 1.8 + 0.4 * len(rows))
    axes.barh(rows["name"], rows["size_bytes"] / divisor, color=style.COMPUTE)
    for i, (size, messages) in enumerate(zip(rows["size_bytes"], rows["messages"])):
        axes.text(size / divisor, i, f" {style.format_bytes(size)}, {messages:,} messages", va="center", fontsize=8)
    axes.set_xlim(0, rows["size_bytes"].max() / divisor * 1.45)
    axes.set_xlabel(f"payload sent by all GPUs over the whole run [{unit}]")
    axes.set_ylabel("parallel dimension")
    largest = rows.iloc[-1]
    style.set_title(axes, f"{largest['name']} makes {style.percent(largest['size_bytes'], rows['size_bytes'].sum())} of the traffic",
                    run.label)
    return figure
