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
    span = run.info["interval_ps"]
    busy = rows.pivot_table(index="link", columns="interval", values="t_busy_ps", aggfunc="sum", fill_value=0)
    busy = busy.reindex(columns=range(busy.columns.max() + 1), fill_value=0)
    end = run.info.get("sim_end_ps", (busy.columns.max() + 1) * span)
    length = np.minimum(span, np.maximum(end - busy.columns.to_numpy() * span, 1))
    return (busy / length).clip(upper=1.0)


def _classes(run, use):
    """Links by what they join, busiest class first: [(label, frame)]."""
    links = run.links.loc[use.index]
    label = links["from_kind"] + " → " + links["to_kind"] + "\n" + links["class"]
    groups = [(name, use.loc[members.index]) for name, members in links.groupby(label.to_numpy(), sort=True)]
    return sorted(groups, key=lambda item: -item[1].to_numpy().mean())


def _squeezed(frame):
    """At most MOST_ROWS_A_CLASS rows: means of neighbouring links."""
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
    span = run.info["interval_ps"]
    divisor, unit = style.time_unit(span * image.shape[1])
    figure, axes = style.new_figure(11, 2.2 + 0.62 * len(blocks) + 0.03 * len(image))
    shown = axes.imshow(image, aspect="auto", interpolation="nearest", cmap="viridis", vmin=0,
                        vmax=max(1.0, image.max()),
                        extent=(0, span * image.shape[1] / divisor, len(image), 0))
    edges = np.cumsum([0] + [len(block) for block in blocks])
    for edge in edges[1:-1]:
        axes.axhline(edge, color="white", linewidth=1.2)
    axes.set_yticks((edges[:-1] + edges[1:]) / 2,
                    [f"{name} ({len(frame)})" for name, frame in groups], fontsize=8)
    axes.set_xlabel(f"simulated time, in intervals of {style.format_time(span)} [{unit}]")
    axes.set_ylabel("directed links (number)")
    figure.colorbar(shown, ax=axes, label="use of the link [% of the interval]", pad=0.01)
    name, busiest = groups[0]
    mean, peak = 100 * busiest.to_numpy().mean(), 100 * use.to_numpy().max()
    style.set_title(axes, f"{name.splitlines()[0]} links are the busiest: {mean:.1f} % on average, peak of any link {peak:.0f} %",
                    f"{len(use)} links that carried data, {run.label}; classes of more than "
                    f"{MOST_ROWS_A_CLASS} links show means of neighbours")
    return figure
