"""How busy links are, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from . import style
from .spans import covered

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .result import Run

MOST_ROWS_A_CLASS = 24


def link_use(run: Run) -> pd.DataFrame:
    """DataFrame: link (directed id) x interval -> share of the interval in which the link serialised.

    The last interval counts only up to the end of the run; those before it in which nothing was carried count
    too. Links without a row never carried anything: 0. Empty: nothing was recorded.

    >>> use = link_use(run)
    >>> bool((use.to_numpy() <= 1).all())
    True
    >>> link_name(run, use.mean(axis=1).idxmax())  # doctest: +ELLIPSIS
    '... → ...'
    """
    rows = run.tables["link_use"]
    if rows.empty:
        return pd.DataFrame()
    busy = rows.pivot_table(index="link", columns="interval", values="t_busy_ps", aggfunc="sum", fill_value=0)
    last = max(busy.columns.max() + 1, -(-run.info.get("sim_end_ps", 0) // run.info["interval_ps"]))
    busy = busy.reindex(columns=range(last), fill_value=0)
    return (busy / np.diff(interval_edges(run, busy.shape[1]))).clip(upper=1.0)


def interval_edges(run, count):
    """Boundaries of the first `count` recording intervals [ps]; the last interval ends with the run."""
    edges = np.arange(count + 1, dtype=np.int64) * run.info["interval_ps"]
    end = run.info.get("sim_end_ps", edges[-1])
    if edges[-2] < end < edges[-1]:
        edges[-1] = end
    return edges


def mean_use(run, use):
    """Share of the run in which each link serialised: intervals count by their length."""
    lengths = np.diff(interval_edges(run, use.shape[1]))
    return use.dot(lengths) / lengths.sum()


def link_classes(run, use):
    """Links by what they join: [(label, frame)], busiest link of all first; inside a class busiest link
    first."""
    links = run.links.loc[use.index]
    label = (links["from_kind"] + " → " + links["to_kind"] + ", " + links["class"]).to_numpy()
    mean = mean_use(run, use)
    order = mean.sort_values(ascending=False, kind="stable").index
    groups = [(name, use.loc[order.intersection(part.index, sort=False)])
              for name, part in links.groupby(label)]
    return sorted(groups, key=lambda item: -mean[item[1].index[0]])


def _squeezed(frame):
    """At most MOST_ROWS_A_CLASS rows: the busiest links by themselves, of the others the largest use of any
    in blocks of similar use, so that one link that differs is seen."""
    if len(frame) <= MOST_ROWS_A_CLASS:
        return frame.to_numpy()
    alone = MOST_ROWS_A_CLASS // 2
    rest = np.array_split(frame.to_numpy()[alone:], MOST_ROWS_A_CLASS - alone)
    return np.vstack([frame.to_numpy()[:alone], [part.max(axis=0) for part in rest]])


def link_name(run, link):
    row = run.links.loc[link]
    return f"{row['from_name']} → {row['to_name']}"


def links_finding(run, use):
    """The link that is busiest over the run, and the busiest interval of any."""
    mean, peak = mean_use(run, use), use.max(axis=1)
    busiest = mean.idxmax()
    text = f"{link_name(run, busiest)} is the busiest link: used {100 * mean[busiest]:.0f} % of the time"
    if use.shape[1] == 1:
        return text
    if peak[busiest] >= peak.max() - 0.005:
        return f"{text}, {100 * peak.max():.0f} % in its busiest interval"
    return f"{text}; {link_name(run, peak.idxmax())} {100 * peak.max():.0f} % in one interval"


def communication_by_dimension(run, edges_ps):
    """DataFrame: dimension x interval -> share of the interval that recorded GPUs spend in its communication,
    on average; two at a time count as one. Empty without the table ops."""
    ops = run.tables["ops"] if "ops" in run.tables else pd.DataFrame()
    ops = ops[ops["dimension"] >= 0] if len(ops) else ops
    if ops.empty:
        return pd.DataFrame()
    gpus, shares = run.tables["ops"]["gpu"].nunique(), {}
    for dimension, rows in ops.groupby("dimension"):
        busy = sum(covered(mine["t_start_ps"], mine["t_end_ps"], edges_ps) for _, mine in rows.groupby("gpu"))
        shares[run.dimensions[dimension]] = busy / np.diff(edges_ps) / gpus
    return pd.DataFrame(shares).T


def _draw_limits(run, use, edges_ps, axes, divisor):
    """Use of the busiest link of each interval, and what recorded GPUs communicate meanwhile."""
    axes.stairs(100 * use.max(axis=0).to_numpy(), edges_ps / divisor, color="black", label="busiest link")
    shares = communication_by_dimension(run, edges_ps)
    for name, row in shares.iterrows():
        axes.stairs(100 * row.to_numpy(), edges_ps / divisor, color=style.dimension_colour(run, name),
                    label=f"GPUs in {name}")
    axes.set_ylim(0, 105)
    axes.set_ylabel("share of the\ninterval [%]", fontsize=8)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8)


def link_use_heatmap(run: Run) -> Figure:
    """Use of links over time, grouped by what they join. Returns a Figure."""
    use = link_use(run)
    if use.empty:
        return style.nothing("no link use was recorded (<table name=\"link_use\">)")
    groups = link_classes(run, use)
    blocks = [_squeezed(frame) for _, frame in groups]
    image = np.vstack(blocks) * 100
    edges_ps = interval_edges(run, image.shape[1])
    divisor, unit = style.time_unit(edges_ps[-1])
    height = 1.9 + 0.34 * len(blocks) + 0.03 * len(image)
    figure, (axes, limits) = plt.subplots(2, 1, figsize=(11, height + 1.4), layout="constrained",
                                          sharex=True, height_ratios=[height, 1.4])
    for each in (axes, limits):
        each.spines[["top", "right"]].set_visible(False)
    _draw_limits(run, use, edges_ps, limits, divisor)
    shown = axes.pcolormesh(edges_ps / divisor, np.arange(len(image) + 1), image, cmap="viridis", vmin=0,
                            vmax=100 if image.max() > 30 else max(1.0, image.max()))
    axes.invert_yaxis()
    edges = np.cumsum([0] + [len(block) for block in blocks])
    for edge in edges[1:-1]:
        axes.axhline(edge, color="white", linewidth=1.2)
    axes.set_yticks((edges[:-1] + edges[1:]) / 2,
                    [f"{name}, {len(frame)} links".replace(", ", "\n", 1) for name, frame in groups], fontsize=8)
    axes.tick_params(labelbottom=True)
    axes.set_xlabel(f"simulated time, in intervals of {style.format_time(run.info['interval_ps'])} [{unit}]")
    axes.set_ylabel("directed links")
    figure.colorbar(shown, ax=axes, label="use of the link\n[% of the interval]", pad=0.01)
    style.set_title(axes, links_finding(run, use),
                    f"{len(use)} links that carried data, busiest first in each class (above {MOST_ROWS_A_CLASS}: "
                    f"{MOST_ROWS_A_CLASS // 2} of them, then the largest use in blocks), {run.label}")
    return figure
