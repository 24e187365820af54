"""Figures of the studies in scenarios/sweeps, from the tables that `lightrail sweep --jobs` writes.

Titles are computed from the rows.

Every function takes a study's DataFrame (read_study()) and returns a Figure; step times are in seconds.
Studies that are step times over one varied value differ in what LINES says of them; lines() draws them all.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from .fold import fold  # noqa: F401 - the figures of these tables
from .leaf_loss import leaf_loss, read_leaf_loss
from .pxn import pxn_all_to_all, pxn_step  # noqa: F401
from .queue_pairs import queue_pairs  # noqa: F401
from .roce import roce  # noqa: F401
from .style import new_figure, nothing, set_title
from .two_jobs import read_two_jobs, two_jobs

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
FABRICS = {"fat_tree": "fat tree", "rail_optimised": "rail-optimised", "mixnet": "MixNet",
           "topoopt": "TopoOpt", "oversubscribed": "fat tree 3:1"}


def read_study(folder, name):
    """Rows of scenarios/sweeps/tables/NAME.csv that ran to their end, with `step_s`; empty where there is no
    such file."""
    path = Path(folder) / f"{name}.csv"
    if not path.exists():
        return pd.DataFrame()
    table = pd.read_csv(path)
    table = table[table["status"] == "complete"].copy()
    table["step_s"] = table["step_time_ps"] * 1e-12
    return table


@dataclass
class Lines:
    """A study drawn as step time over `x`, a line for each combination of the columns `by`."""

    subject: str  # "no study of SUBJECT" stands where there is no table
    x: str
    x_label: str
    by: list
    label: Callable  # values of `by` -> text of the line
    finding: Callable  # step times indexed by `by` and `x` -> title
    detail: str
    axes: dict = field(default_factory=dict)  # for Axes.set
    ticks: bool = False  # a tick for every value of x


def _delay(at):
    one, back = at["off", 0.0], at["off", 5.67]
    return (f"25 ms dark cost {100 * (one[25000] / one[1] - 1):.0f} %; NICs back after 5.67 s make the step "
            f"{back[25000] / one[25000]:.0f} times as long")


def _degree(at):
    best = {rate: steps.idxmin()[1] for rate, steps in at["off"].groupby(level=0)}
    return "Fastest with " + ", ".join(f"{best[rate]} at {rate} Gb/s"
                                       for rate in sorted(best)) + " of eight NICs on circuits"


def _skew(at):
    ratio = at["mixnet"] / at["fat_tree"]
    skews = ratio.index.get_level_values("skew")
    low, high = (ratio[skews == skew].max() for skew in (skews.min(), skews.max()))
    return f"MixNet takes {low:.2f} times the fat tree's step with even experts, {high:.2f} with the most skew"


def _prediction(at):
    drifts = at.index.get_level_values("drift")
    most = drifts.max()
    others = [name for name in ("past", "learned") if name in at.index.get_level_values("predict")]
    saved = [f"{PREDICTIONS[name]} {100 * (1 - at[name, most] / at['off', most]):.1f} %" for name in others]
    return f"What is saved of the step at a drift of {most:g}: " + ", ".join(saved)


def _quality(at):
    rates = sorted(set(at.index.get_level_values("rate")))
    text = ", ".join(f"{100 * (at[r, 0] / at[r, 1] - 1):+.1f} % at {r} Gb/s" for r in rates)
    return f"Even guesses of the demand: step {text}"


def _scaling(at):
    both = at.unstack("fabric").dropna()
    low, high = both.index.min(), both.index.max()
    grown = {fabric: 100 * (both[fabric][high] / both[fabric][low] - 1) for fabric in both}
    return (f"From {low:,} to {high:,} servers the step grows by "
            + ", ".join(f"{grown[fabric]:.1f} % on {name}"
                        for fabric, name in (("fat_tree", "a fat tree"), ("mixnet", "MixNet"))))


def _rails(at):
    stages = sorted(set(at.index.get_level_values("pp")))
    longer = ", ".join(f"{100 * (at[pp, 1000] / at[pp, 1] - 1):.0f}" for pp in stages)
    return f"Changes of 1 ms, not 1 µs: step {longer} % longer with {', '.join(map(str, stages))} stages"


def _schedule(at):
    optical, delays = min(at.index.get_level_values("optical")), sorted(set(at.index.get_level_values("delay")))
    others = [name for name in ALGORITHMS if name != "birkhoff-schedule"]
    longer = {delay: 100 * (at["birkhoff-schedule", optical, delay]
                            / min(at[name, optical, delay] for name in others) - 1) for delay in delays}
    return f"Phases with {optical} optical NICs: step " + ", ".join(f"{longer[d]:+.0f} % at {d:,} µs"
                                                                    for d in (delays[0], delays[-1]))


def _margin(at):
    spreads = at.index.get_level_values("spread")
    least, most = (at[spread].max() / at.min() for spread in (spreads.min(), spreads.max()))
    return (f"The step takes up to {most:.1f} times the shortest with a spread of {spreads.max():g} dB, {least:.1f} times with "
            f"{spreads.min():g} dB")


def _placement(at):
    growth = {name: 100 * (at[name, 1, 3] / at[name, 1, 1] - 1) for name in ("together", "apart")}
    return (f"A spine of 3:1 makes the step {growth['together']:.0f} % longer with expert groups together, "
            f"{growth['apart']:.0f} % with them apart")


def _stages(pp):
    return f"{pp} pipeline stages" if pp > 1 else "no pipeline"


def _drift(value):
    return f"drift {value:g}"


PREDICTIONS = {"off": "wait for the gate", "past": "the micro-batch before", "learned": "learned transitions",
               "on": "oracle"}
ALGORITHMS = {"greedy": "greedy", "matching": "b-matching", "birkhoff": "Birkhoff's counts",
              "birkhoff-schedule": "Birkhoff's phases"}
STAGE = "Mixtral 8x22B, one stage, "

LINES = {
    "delay": Lines("the delay", "delay", "dark time of a change [µs]", ["rotate", "retraining"],
                   lambda rotate, back: ("one gate for all layers" if rotate == "off" else "a gate a layer")
                   + (f", NICs take {back:g} s to come back" if back else ""),
                   _delay, STAGE + "400 Gb/s, MixNet; the title speaks of one gate for all layers", {"xscale": "log", "yscale": "log"}),
    "degree": Lines("the optical degree", "optical", "optical NICs of the eight of a server", ["join", "rate"],
                    lambda join, rate: f"{rate} Gb/s" + (", pairs with circuits on packet NICs too" if join == "on" else ""),
                    _degree, STAGE + "MixNet; the rest on the packet fabric"),
    "skew": Lines("skew", "skew", "skew: published shares of the experts to this power (0: even)", ["fabric", "drift"],
                  lambda fabric, drift: f"{FABRICS[fabric]}, {_drift(drift)}",
                  _skew, STAGE + "400 Gb/s, a gate a layer, largest over drifts [members a micro-batch]"),
    "margin": Lines("the light margin", "loss", "loss of the optical switch [dB]", ["spread"], lambda spread: f"spread {spread:g} dB",
                    _margin, STAGE + "400 Gb/s, MixNet; spread: one standard deviation from path to path"),
    "prediction": Lines("prediction", "drift", "drift [members a micro-batch]", ["predict"], PREDICTIONS.get,
                        _prediction, STAGE + "400 Gb/s, MixNet, a gate a layer, 25 ms dark"),
    "schedule": Lines("schedules of phases", "delay", "dark time of a change [µs]", ["algorithm", "optical"],
                      lambda algorithm, optical: f"{ALGORITHMS[algorithm]}, {optical} optical NICs",
                      _schedule, STAGE + "400 Gb/s, MixNet, a gate a layer, at most four phases an exchange", {"xscale": "log"}, True),
    "quality": Lines("the quality of predictions", "prediction", "quality of the prediction (0: even demand, 1: the demand itself)",
                     ["rate"], lambda rate: f"{rate} Gb/s", _quality, STAGE + "MixNet, a gate a layer"),
    "scaling": Lines("scaling", "servers", "servers of eight GPUs", ["fabric"], FABRICS.get,
                     _scaling, "Mixtral 8x22B, one layer a stage, one micro-batch of one sequence, so that gradients weigh most; 400 Gb/s", {"xscale": "log"}, True),
    "expert_placement": Lines("the placement of experts", "taper", "NICs of a leaf for each uplink", ["placement", "skew"],
                              lambda placement, skew: f"groups {placement}, " + ("published gate" if skew else "even gate"),
                              _placement, STAGE + "48 servers, six on a leaf; the title speaks of the published gate", {}, True),
    "photonic_rails": Lines("photonic rails", "delay", "dark time of a change [µs]", ["pp"], _stages,
                            _rails, "22 B, 8 layers, 8 servers of H100, 4 micro-batches", {"xscale": "log", "yscale": "log"}, True),
}


def lines(name, table):
    """Step time over what the study LINES[name] varies."""
    study = LINES[name]
    if table.empty:
        return nothing(f"no study of {study.subject}")
    figure, axes = new_figure(10, 4.6)
    varied = table[study.by].drop_duplicates().sort_values(study.by)
    for i, values in enumerate(varied.itertuples(index=False, name=None)):
        rows = table[(table[study.by] == list(values)).all(axis=1)].sort_values(study.x)
        colour, style = COLOURS[i % len(COLOURS)], "-" if i < len(COLOURS) else "--"
        axes.plot(rows[study.x], rows["step_s"], style, marker="o", color=colour, label=study.label(*values))
    axes.set(xlabel=study.x_label, ylabel="step time [s]", **study.axes)
    if study.axes.get("yscale") != "log":
        least, most = table["step_s"].min(), table["step_s"].max()
        is_close = least > 0.7 * most  # differences that an axis from 0 would hide
        axes.set_ylim(0.95 * least if is_close else 0, (1.02 if is_close else 1.1) * most)
        axes.set_ylabel("step time [s], not from 0" if is_close else "step time [s]")
    if study.ticks:
        ticks = sorted(table[study.x].unique())
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.xaxis.set_minor_locator(NullLocator())
    if study.axes.get("yscale") == "log" and table["step_s"].max() < 100 * table["step_s"].min():
        # powers of ten alone would be one or two ticks
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_locator(NullLocator())
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.6)
    axes.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1.01, 0.5))
    at = table.set_index([*study.by, study.x])["step_s"].sort_index()
    set_title(axes, study.finding(at), study.detail)
    return figure


FAILED = {"none": "nothing", "0:0": "an optical NIC", "0:3": "a packet NIC", "r0:5": "an OCS port",
          "r0": "the OCS of a region"}


def failures(table):
    """How much longer a step takes with something out of order, alone and with a spare in place of a server
    or a GPU."""
    if table.empty:
        return nothing("no study of failures")
    base = table[(table["failed"] == "none") & (table["spare"] == "none")]["step_s"].iloc[0]
    places = {"none": "no spare", "server": "spare for a server", "gpu": "spare for one GPU"}
    figure, axes = new_figure(10, 4.6)
    longer = {}
    for i, (spare, name) in enumerate(places.items()):
        rows = table[table["spare"] == spare].set_index("failed")["step_s"]
        values = [100 * (rows[f] / base - 1) for f in FAILED]
        longer[spare] = dict(zip(FAILED, values))
        axes.barh([j + 0.27 * (i - 1) for j in range(len(FAILED))], values, 0.25, color=COLOURS[i],
                  label=name)
    axes.set_yticks(range(len(FAILED)), list(FAILED.values()))
    axes.invert_yaxis()
    axes.set_xlabel("longer step [%]")
    axes.legend(frameon=False, fontsize=9)
    own = longer["none"]
    set_title(axes, f"An optical NIC costs {own['0:0']:.1f} %, a server on a spare {longer['server']['none']:.0f} %, "
              f"the whole OCS {own['r0']:.0f} %", "Mixtral 8x22B, one stage, 400 Gb/s, MixNet; what is out of order is known from the start")
    return figure


def overlap(table):
    """Step time by policy, announced early or when the exchange starts."""
    if table.empty:
        return nothing("no study of overlap")
    figure, axes = new_figure(10, 4.6)
    policies, at = ["always", "gain", "once",
                    "never"], table.set_index(["delay", "early", "policy"])["step_s"]
    cases = [(d, e) for d in sorted(table["delay"].unique()) for e in ("on", "off")]
    for i, (dark, early) in enumerate(cases):
        axes.bar([j + 0.2 * (i - 1.5) for j in range(4)], [at[dark, early, p] for p in policies], 0.18,
                 color=COLOURS[i],
                 label=f"{dark / 1000:g} ms dark, {'announced early' if early == 'on' else 'when it starts'}")
    axes.set_xticks(range(4), policies)
    axes.set(xlabel="circuits change", ylabel="step time [s]")
    axes.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1.01, 0.5))
    dark = table["delay"].max()
    hidden = 100 * (1 - at[dark, "on", "always"] / at[dark, "off", "always"])
    least = min(at[dark, "on", p] for p in policies)
    best = " and ".join(f"'{p}'" for p in policies if at[dark, "on", p] < 1.001 * least)
    set_title(axes, f"With {dark / 1000:g} ms dark, announcing early saves {hidden:.0f} % of the step; fastest: {best}",
              "Mixtral 8x22B, one stage, 400 Gb/s, MixNet, a gate a layer")
    return figure


POINTS = {**FABRICS, "rail_only": "rail-only", "ocs_spine": "optical spine",
          "ocs_spine_groups": "optical spine, by group", "photonic_rails_1us": "photonic rails, 1 µs",
          "photonic_rails_1ms": "photonic rails, 1 ms", "photonic_rails": "photonic rails, 25 ms",
          "nvl72": "NVL72"}
HOW = {"pairwise": ", pairwise", "links/nvlink4": ", NVLink 4", "links/nvlink5": ", NVLink 5"}


def fabrics(table):
    """Step time and performance per dollar and per watt of the network over the fat tree's, a row a
    fabric."""
    if table.empty:
        return nothing("no study of fabrics")
    names = [POINTS[row.fabric] + "".join(HOW.get(getattr(row, by, None), "")
                                          for by in ("exchange", "nvlink")) for row in table.itertuples()]
    base = table[table["fabric"] == "fat_tree"].iloc[0]
    figure, axes = new_figure(10.5, 6.4)
    worth = {}
    for i, (column, unit) in enumerate({"network_cost_usd": "dollar", "network_power_w": "watt"}.items()):
        worth[unit] = (base["step_s"] * base[column] / (table["step_s"] * table[column])).tolist()
        axes.barh([j + 0.38 * (i - 0.5) for j in range(len(names))], worth[unit], 0.36, color=COLOURS[i],
                  label=f"per {unit} of network")
    axes.set_yticks(range(len(names)), [f"{name}: {step:.2f} s"
                                        for name, step in zip(names, table["step_s"])])
    axes.invert_yaxis()
    axes.set_xlabel("performance over the fat tree's")
    axes.legend(frameon=False, fontsize=9)
    best = {unit: names[values.index(max(values))] for unit, values in worth.items()}
    most = best["dollar"] if best["dollar"] == best["watt"] else f"{best['dollar']} and {best['watt']}"
    set_title(axes, f"Most for a dollar and for a watt: {most}; fastest: {names[table['step_s'].argmin()]}",
              "Mixtral 8x22B, one stage of 128 GPUs, 400 Gb/s; step times at the names")
    return figure


CASES = {"mixtral_8x22b": "Mixtral 8x22B", "mixtral_8x7b": "Mixtral 8x7B", "llama_moe": "LLaMA-MoE",
         "qwen_moe": "Qwen-MoE"}


def models(table):
    """Step time and performance per dollar over the fat tree's: a column for each model, a line for each
    fabric."""
    if table.empty:
        return nothing("no study of models and fabrics")
    at = table.set_index(["case", "fabric", "rate"])[["step_s", "network_cost_usd"]].sort_index()
    cases = [case for case in CASES if case in at.index.get_level_values("case")]
    figure, all_axes = plt.subplots(2, len(cases), figsize=(3.1 * len(cases), 6.4), layout="constrained",
                                    sharex=True, sharey="row", squeeze=False)
    worth = {}
    for column, case in enumerate(cases):
        base = at.loc[case, "fat_tree"]
        for colour, (fabric, name) in zip(COLOURS, FABRICS.items()):
            if (case, fabric) not in at.index.droplevel("rate"):
                continue
            rows = at.loc[case, fabric]
            longer = rows["step_s"] / base["step_s"]
            worth[case, fabric] = 1 / longer / (rows["network_cost_usd"] / base["network_cost_usd"])
            for axes, values in zip(all_axes[:, column], (longer, worth[case, fabric])):
                if fabric == "fat_tree":  # what the others are divided by: on top of those that are as good
                    axes.plot(values.index, values, "--", color="black", linewidth=1, label=name, zorder=3)
                else:
                    axes.plot(values.index, values, marker="o", markersize=4, color=colour, label=name)
        all_axes[0, column].set_title(CASES[case], fontsize=10)
        all_axes[1, column].set(xlabel="NIC [Gb/s]", xscale="log")
        all_axes[1, column].set_xticks(list(base.index), [str(rate) for rate in base.index])
        all_axes[1, column].minorticks_off()
    for axes in all_axes.flat:
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color="#DDDDDD", linewidth=0.6)
        axes.set_ylim(bottom=0)
    all_axes[0, 0].set_ylabel("step time / fat tree's")
    all_axes[1, 0].set_ylabel("performance per dollar / fat tree's")
    all_axes[0, -1].legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1.02, 0.5))
    ranges = []
    for fabric in ("mixnet", "topoopt"):
        gains = [worth[case, fabric] for case in cases if (case, fabric) in worth]
        if gains:
            ranges.append(f"{FABRICS[fabric]} {min(min(g) for g in gains):.1f} to {max(max(g) for g in gains):.1f}")
    figure.suptitle("Performance per dollar over a fat tree's: " + ", ".join(ranges), fontsize=12,
                    fontweight="bold", x=0.01, ha="left")
    return figure


def figure_of(name):
    """The function of a study's DataFrame that draws the study NAME; None where there is none."""
    study = name.removeprefix("mixnet_")
    if study in LINES:
        return lambda table: lines(study, table)
    return {"failures": failures, "overlap": overlap, "fabrics": fabrics, "models": models,
            "pxn_all_to_all": pxn_all_to_all, "pxn_step": pxn_step}.get(study)


def figure(name, folder):
    """The figure of the study that has its tables, NAME.csv, in `folder`. KeyError: there is none of that
    name."""
    if name == "leaf_loss":
        return leaf_loss(*read_leaf_loss(folder))
    if name == "two_jobs":
        return two_jobs(read_two_jobs(folder))
    table, name = read_study(folder, name), name.removeprefix("mixnet_")
    return lines(name, table) if name in LINES else globals()[name](table)
