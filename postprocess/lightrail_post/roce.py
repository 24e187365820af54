"""Figure of the study scenarios/sweeps/roce.xml: InfiniBand against RoCE for the same step."""

from .style import new_figure, nothing, set_title

NETWORKS = {"infiniband": ("InfiniBand, credits", "#0072B2"),
            "pauses": ("RoCE, pauses", "#D55E00"),
            "pauses_dcqcn": ("RoCE, pauses and DCQCN", "#E69F00"),
            "go_back_n": ("RoCE, DCQCN, losses repaired by go-back-N", "#CC79A7"),
            "selective_repeat": ("... by selective repeat", "#009E73")}
ROUTINGS = {"adaptive": "adaptive", "ecmp": "ECMP"}


def _span(least, most):
    """Both ends of a range, or one number where they are the same as printed."""
    ends = f"{least:+.1f}", f"{most:+.1f}"
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def _case(routing, spine, buffer):
    text = f"{'full spine' if spine == 1 else f'spine {spine:g}:1'}, {ROUTINGS[routing]}"
    return text if buffer == "200 MB" else f"{text},\n{buffer} a switch"


def roce(table):
    """Step times by network, a group of bars for each spine, routing and memory of a switch; the study's
    DataFrame (studies.read_study()) -> Figure, whose title is computed from the rows."""
    if table.empty:
        return nothing("no study of InfiniBand against RoCE")
    cases = list(table.groupby(["routing", "spine", "buffer"], sort=False).groups)
    step = table.set_index(["network", "routing", "spine", "buffer"])["step_s"]
    figure, axes = new_figure(9.5, 4.4)
    width = 0.8 / len(NETWORKS)
    for place, (network, (label, colour)) in enumerate(NETWORKS.items()):
        bars = [(x + (place - (len(NETWORKS) - 1) / 2) * width, 1e3 * step[(network, *case)])
                for x, case in enumerate(cases) if (network, *case) in step.index]
        places, steps = zip(*bars) if bars else ((), ())
        drawn = axes.bar(places, steps, width * 0.92, color=colour, label=label)
        axes.bar_label(drawn, fmt="%.0f", fontsize=7, padding=1)
    axes.set_xticks(range(len(cases)), [_case(*case) for case in cases])
    axes.set(ylabel="step [ms]", ylim=(0, 1.25 * 1e3 * step.max()))
    axes.legend(frameon=False, fontsize=8, ncols=2, loc="upper left")
    first = cases[0]
    others = [step[(network, *first)] for network in NETWORKS
              if network != "infiniband" and (network, *first) in step.index]
    least, most = (100 * (of(others) / step[("infiniband", *first)] - 1) for of in (min, max))
    apart = step.max() / step.min()
    set_title(axes,
              f"{_case(*first)}: RoCE {_span(least, most)} % of InfiniBand; all in all {apart:.2f} apart",
              f"Mixtral 8x7B, {len(table)} points, without PXN")
    return figure
