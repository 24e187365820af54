"""How busy links are, over time."""

import numpy as np
import pandas as pd

from . import style

MOST_ROWS_A_CLASS = 24


def link_use(run):
    """DataFrame: link (directed id) x interval -> share of the interval in which the link serialised.

    The last interval counts only up to the end of the run. Links without a row never carried anything: 0.
    """
    rows = run.tables["link_use"]
    if rows.empty:
        return pd.DataFrame()
    busy = rows.pivot_table(index="link", columns="interval", values="t_busy_ps", aggfunc="sum", fill_value=0)
    busy = busy.reindex(columns=range(busy.columns.max() + 1), fill_value=0)
    return (busy / np.diff(interval_edges(run, busy.shape[1]))).clip(upper=1.0)


def interval_edges(run, count):
    """Boundaries of the first `count` recording intervals [ps]; the last interval ends with the run."""
    edges = np.arange(count + 1, dtype=np.int64) * run.info["interval_ps"]
    end = run.info.get("sim_end_ps", edges[-1])
    if edges[-2] < end < edges[-1]:
        edges[-1] = end
    return edges


def _classes(run, use):
    """Links by what they join: [(label, frame)], busiest link of all first; inside a class busiest link
    first."""
    links = run.links.loc[use.index]
    label = (links["from_kind"] + " → " + links["to_kind"] + "\n" + links["class"]).to_numpy()
    order = use.mean(axis=1).sort_values(ascending=False, kind="stable").index
    groups = [(name, use.loc[order.intersection(part.index, sort=False)])
              for name, part in links.groupby(label)]
    return sorted(groups, key=lambda item: -item[1].iloc[0].mean())


def _squeezed(frame):
    """At most MOST_ROWS_A_CLASS rows: the means of links of similar use."""
    if len(frame) <= MOST_ROWS_A_CLASS:
        return frame.to_numpy()
    return np.stack([part.mean(axis=0) for part in np.array_split(frame.to_numpy(), MOST_ROWS_A_CLASS)])


def link_use_heatmap(run):
    """Use of links over time, grouped by what they join. Returns a Figure."""
    use = link_use(run)
    if use.empty:
        return style.nothing("no link use was recorded (<table name=\"link_use\">)")
    groups = _classes(run, use)
    blocks = [_squeezed(frame) for _, frame in groups]
    image = np.vstack(blocks) * 100
    edges_ps = interval_edges(run, image.shape[1])
    divisor, unit = style.time_unit(edges_ps[-1])
    figure, axes = style.new_figure(11, 1.9 + 0.34 * len(blocks) + 0.03 * len(image))
    shown = axes.pcolormesh(edges_ps / divisor, np.arange(len(image) + 1), image, cmap="viridis", vmin=0,
                            vmax=100 if image.max() > 30 else max(1.0, image.max()))
    axes.invert_yaxis()
    edges = np.cumsum([0] + [len(block) for block in blocks])
    for edge in edges[1:-1]:
        axes.axhline(edge, color="white", linewidth=1.2)
    axes.set_yticks((edges[:-1] + edges[1:]) / 2,
                    [f"{name}, {len(frame)} links" for name, frame in groups], fontsize=8)
    axes.set_xlabel(f"simulated time, in intervals of {style.format_time(run.info['interval_ps'])} [{unit}]")
    axes.set_ylabel("directed links")
    figure.colorbar(shown, ax=axes, label="use of the link\n[% of the interval]", pad=0.01)
    name, busiest = groups[0]
    mean, peak = 100 * busiest.iloc[0].mean(), 100 * use.to_numpy().max()
    over_time = f", {peak:.0f} % in the busiest interval" if use.shape[1] > 1 else ""
    style.set_title(axes, f"The busiest link is a {name.splitlines()[0]} link: used {mean:.0f} % of the time{over_time}",
                    f"{len(use)} links that carried data, busiest first in each class ("
                    f"means above {MOST_ROWS_A_CLASS} links), {run.label}")
    return figure
