"""Figure of the study scenarios/sweeps/queue_pairs.xml: steps over hashed spines by queue pairs of a connection."""

import matplotlib.pyplot as plt

from .style import nothing, set_title

USES = {"turns": ("chunks in turns", "#0072B2", "o"), "split": ("messages split", "#D55E00", "s"),
        "least": ("chunks by the least busy", "#009E73", "^")}
PATHS = {"hashed": "-", "disjoint": "--"}


def queue_pairs(table):
    """Times over those with adaptive routing, means over seeds, by queue pairs of a connection: axes for each
    collective, a line for each use and kind of ways; the study's DataFrame (studies.read_study()) -> Figure,
    whose title is computed from the rows."""
    if table.empty:
        return nothing("no study of queue pairs")
    collectives = list(table["collective"].unique())
    even = table[table["routing"] == "adaptive"].groupby("collective")["step_s"].mean()
    hashed = table[table["routing"] == "ecmp"].groupby(["collective", "use", "paths", "qps"])["step_s"].mean()
    figure, all_axes = plt.subplots(1, len(collectives), figsize=(4.9 * len(collectives), 4.2),
                                    layout="constrained", sharey=True, squeeze=False)
    for axes, collective in zip(all_axes[0], collectives):
        ratio = hashed[collective] / even[collective]
        # One queue pair has no use and no ways: all lines begin there.
        one = ratio.xs(1, level="qps").mean() if 1 in ratio.index.get_level_values("qps") else None
        for use, (label, colour, marker) in USES.items():
            for paths, style in PATHS.items():
                keys = [key for key in ratio.index if key[:2] == (use, paths) and key[2] > 1]
                line = ratio[keys].droplevel([0, 1])
                if one is not None:
                    line.loc[1] = one
                line = line.sort_index()
                axes.plot(line.index, line, style, color=colour, marker=marker, markersize=5,
                          label=f"{label}, {paths} ways")
        axes.axhline(1, color="#888888", linewidth=0.8)
        counts = sorted(ratio.index.get_level_values("qps").unique())
        axes.set(xlabel="queue pairs of a connection", xscale="log", ylim=(0, None))
        axes.set_xticks(counts, [str(count) for count in counts])
        axes.minorticks_off()
        axes.spines[["top", "right"]].set_visible(False)
        best = ratio.idxmin()
        set_title(axes, f"{collective}: {ratio.max():.2f} to {ratio.min():.2f}",
                  f"best: {best[2]} queue pairs, {USES[best[0]][0]}, {best[1]} ways")
    all_axes[0][0].set_ylabel("time over adaptive routing's")
    all_axes[0][-1].legend(frameon=False, fontsize=8)
    return figure
