"""Figure of `lightrail plan --out`: what a faster step costs."""

import pandas as pd

from .style import new_figure, nothing, set_title

FIXED = ["gpus", "network_dollars", "network_watts", "rank", "estimate_ps", "formula_ps", "trains_ps",
         "tokens_per_s_per_gpu", "memory_bytes", "plan"]


def read_plans(path):
    """The plans of a CSV that `lightrail plan --out` has written -> DataFrame with `step_s`, as fine as each
    was run, and `cluster`, the values of --over as text ("" without)."""
    table = pd.read_csv(path)
    step = table["trains_ps"].where(table["trains_ps"] >= 0, table["formula_ps"])
    names = [name for name in table.columns if name not in FIXED]
    cluster = [" ".join(f"{name}={row[name]}" for name in names) for _, row in table.iterrows()]
    return table.assign(step_s=step * 1e-12, cluster=cluster)


def front(points):
    """Of (cost, time) pairs those that no other is as cheap and as fast as, and better in one; cheapest
    first."""
    best, kept = float("inf"), []
    for cost, time in sorted(set(points)):
        if time < best:
            best = time
            kept.append((cost, time))
    return kept


def _axis(table):
    """Column, its scale and what it is called: the network's cost where clusters have prices, their GPUs
    where there are several, memory else."""
    if table["network_dollars"].notna().all() and table["network_dollars"].nunique() > 1:
        return table["network_dollars"], 1e-6, "network [M$]"
    if table["gpus"].nunique() > 1:
        return table["gpus"], 1, "GPUs"
    return table["memory_bytes"], 2.0**-30, "memory of a GPU [GiB]"


def plans(table):
    """Step of every plan over what it costs, with the front of those that nothing beats in both; the
    DataFrame of read_plans() -> Figure, whose title is computed from the rows."""
    if table.empty:
        return nothing("no plan fits")
    column, scale, label = _axis(table)
    table = table.assign(cost=column * scale)
    figure, axes = new_figure(8.5, 4.6)
    for name, rows in table.groupby("cluster", sort=False):
        axes.plot(rows["cost"], rows["step_s"], "o", markersize=4, alpha=0.5, label=name or None)
    points = front(zip(table["cost"], table["step_s"]))
    axes.plot(*zip(*points), "-k", linewidth=1.2, drawstyle="steps-post", label="nothing is cheaper and as fast")
    axes.set(xlabel=label, ylabel="step [s]", yscale="log")
    axes.legend(frameon=False, fontsize=8)
    (cheap, slow), (dear, fast) = points[0], points[-1]
    finding = (f"{100 * (1 - fast / slow):.0f} % shorter steps for {dear / cheap:.2f} times as much"
               if len(points) > 1 else "The cheapest is the fastest")
    set_title(axes, finding, f"{len(table)} plans on {table['cluster'].nunique()} cluster(s); "
                             "in trains where they were run so, else by formula")
    return figure
