"""Figures of the studies in scenarios/sweeps, from the tables that tools/study writes. Titles are computed from the rows.

Every function takes a study's DataFrame (read_study()) and returns a Figure; step times are in seconds.
"""

from pathlib import Path

import pandas as pd

from .style import new_figure, nothing, set_title

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]


def read_study(folder, name):
    """Rows of scenarios/sweeps/tables/NAME.csv that ran to their end, with `step_s`; empty where there is no such file."""
    path = Path(folder) / f"{name}.csv"
    if not path.exists():
        return pd.DataFrame()
    table = pd.read_csv(path)
    table = table[table["status"] == "complete"].copy()
    table["step_s"] = table["step_time_ps"] * 1e-12
    return table


def _lines(table, x, by, names, width=10):
    """One line of step times for each value of `by`; `names`: value -> label."""
    figure, axes = new_figure(width, 4.6)
    for colour, (value, name) in zip(COLOURS, names.items()):
        rows = table[table[by] == value].sort_values(x)
        axes.plot(rows[x], rows["step_s"], marker="o", color=colour, label=name)
    axes.set_ylabel("step time [s]")
    axes.set_ylim(0, 1.1 * table["step_s"].max())
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.6)
    axes.legend(frameon=False, fontsize=9)
    return figure, axes


def delay(table):
    """Step time over the dark time of a change: one gate or one a layer, with and without the NICs' re-activation."""
    if table.empty:
        return nothing("no study of the delay")
    table = table.assign(case=table["rotate"] + " " + table["retraining"].astype(str))
    figure, axes = _lines(table, "delay", "case", {
        "off 0.0": "one gate for all layers", "on 0.0": "a gate a layer",
        "off 5.67": "one gate, NICs take 5.67 s to come back", "on 5.67": "a gate a layer, NICs take 5.67 s"})
    axes.set(xscale="log", yscale="log", ylim=(0.8 * table["step_s"].min(), 20 * table["step_s"].max()),
             xlabel="dark time of a change [µs]")
    one = table[table["case"] == "off 0.0"].set_index("delay")["step_s"]
    back = table[table["case"] == "off 5.67"].set_index("delay")["step_s"]
    set_title(axes, f"25 ms dark cost {100 * (one[25000] / one[1] - 1):.0f} %; NICs back after 5.67 s make the step {back[25000] / one[25000]:.0f} "
              "times as long", "Mixtral 8x22B, one stage, 400 Gb/s, MixNet; the title speaks of one gate for all layers")
    return figure


def degree(table):
    """Step time over the number of optical NICs of eight."""
    if table.empty:
        return nothing("no study of the optical degree")
    figure, axes = _lines(table, "optical", "rate", {rate: f"{rate} Gb/s" for rate in sorted(table["rate"].unique())})
    axes.set(xlabel="optical NICs of the eight of a server")
    best = {rate: rows.loc[rows["step_s"].idxmin(), "optical"] for rate, rows in table.groupby("rate")}
    text = ", ".join(f"{best[rate]} at {rate} Gb/s" for rate in sorted(best))
    set_title(axes, f"Fastest with {text} of eight NICs on circuits", "Mixtral 8x22B, one stage, MixNet; the rest on the packet fabric")
    return figure


FAILED = {"none": "nothing", "0:0": "an optical NIC", "0:3": "a packet NIC", "r0:5": "an OCS port", "r0": "the OCS of a region"}


def failures(table):
    """How much longer a step takes with something out of order, alone and with a spare in place of a server or a GPU."""
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
        axes.barh([j + 0.27 * (i - 1) for j in range(len(FAILED))], values, 0.25, color=COLOURS[i], label=name)
    axes.set_yticks(range(len(FAILED)), list(FAILED.values()))
    axes.invert_yaxis()
    axes.set_xlabel("longer step [%]")
    axes.legend(frameon=False, fontsize=9)
    own = longer["none"]
    set_title(axes, f"An optical NIC costs {own['0:0']:.1f} %, a server on a spare {longer['server']['none']:.0f} %, "
              f"the whole OCS {own['r0']:.0f} %", "Mixtral 8x22B, one stage, 400 Gb/s, MixNet; what is out of order is known from the start")
    return figure


def skew(table):
    """Step time of fat tree and MixNet over the unevenness of experts, by drift."""
    if table.empty:
        return nothing("no study of skew")
    table = table.assign(case=table["fabric"] + " " + table["drift"].astype(str))
    drifts = sorted(table["drift"].unique())
    names = {f"{f} {d}": f"{'MixNet' if f == 'mixnet' else 'fat tree'}, drift {d:g}" for f in ("fat_tree", "mixnet") for d in drifts}
    figure, axes = _lines(table, "skew", "case", names)
    axes.set(xlabel="skew: published shares of the experts to this power (0: even)")
    at = table.set_index(["fabric", "skew", "drift"])["step_s"]
    low, high = ([at["mixnet", s, d] / at["fat_tree", s, d] for d in drifts] for s in (table["skew"].min(), table["skew"].max()))
    set_title(axes, f"MixNet takes {max(low):.2f} times the fat tree's step with even experts, {max(high):.2f} with the most skew",
              "Mixtral 8x22B, one stage, 400 Gb/s, a gate a layer, largest over drifts [members a micro-batch]")
    return figure


def margin(table):
    """Step time over the loss of the optical switch, by spread from path to path."""
    if table.empty:
        return nothing("no study of the light margin")
    figure, axes = _lines(table, "loss", "spread", {s: f"spread {s:g} dB" for s in sorted(table["spread"].unique())})
    axes.set(xlabel="loss of the optical switch [dB]")
    longest, shortest = table["step_s"].max(), table["step_s"].min()
    set_title(axes, f"The step moves by {100 * (longest / shortest - 1):.1f} % over all margins and spreads",
              "Mixtral 8x22B, one stage, 400 Gb/s, MixNet")
    return figure


def prediction(table):
    """Step time over drift: wait for the gate, expect the past, an oracle."""
    if table.empty:
        return nothing("no study of prediction")
    figure, axes = _lines(table, "drift", "predict", {"off": "wait for the gate", "past": "expect the micro-batch before", "on": "oracle"})
    axes.set(xlabel="drift [members a micro-batch]")
    at = table.set_index(["predict", "drift"])["step_s"]
    most = table["drift"].max()
    gain = {d: 100 * (1 - at["past", d] / at["off", d]) for d in (0, most)}
    set_title(axes, f"Expecting the past saves {gain[0]:.1f} % of the step without drift, {gain[most]:.1f} % at a drift of {most:g}",
              "Mixtral 8x22B, one stage, 400 Gb/s, MixNet, a gate a layer, 25 ms dark")
    return figure


def quality(table):
    """Step time over the quality of a prediction."""
    if table.empty:
        return nothing("no study of the quality of predictions")
    figure, axes = _lines(table, "prediction", "rate", {rate: f"{rate} Gb/s" for rate in sorted(table["rate"].unique())})
    axes.set(xlabel="quality of the prediction (0: even demand, 1: the demand itself)")
    at = table.set_index(["rate", "prediction"])["step_s"]
    text = ", ".join(f"{100 * (at[r, 0] / at[r, 1] - 1):+.1f} % at {r} Gb/s" for r in sorted(table["rate"].unique()))
    set_title(axes, f"Even guesses of the demand: step {text}", "Mixtral 8x22B, one stage, MixNet, a gate a layer")
    return figure


def overlap(table):
    """Step time by policy, announced early or when the exchange starts."""
    if table.empty:
        return nothing("no study of overlap")
    figure, axes = new_figure(10, 4.6)
    policies, at = ["always", "gain", "once", "never"], table.set_index(["delay", "early", "policy"])["step_s"]
    cases = [(d, e) for d in sorted(table["delay"].unique()) for e in ("on", "off")]
    for i, (dark, early) in enumerate(cases):
        axes.bar([j + 0.2 * (i - 1.5) for j in range(4)], [at[dark, early, p] for p in policies], 0.18, color=COLOURS[i],
                 label=f"{dark / 1000:g} ms dark, {'announced early' if early == 'on' else 'when it starts'}")
    axes.set_xticks(range(4), policies)
    axes.set(xlabel="circuits change", ylabel="step time [s]")
    axes.legend(frameon=False, fontsize=9)
    dark = table["delay"].max()
    hidden = 100 * (1 - at[dark, "on", "always"] / at[dark, "off", "always"])
    best = min(policies, key=lambda p: at[dark, "on", p])
    set_title(axes, f"With {dark / 1000:g} ms dark, announcing early saves {hidden:.0f} % of the step; '{best}' is fastest",
              "Mixtral 8x22B, one stage, 400 Gb/s, MixNet, a gate a layer")
    return figure


def scaling(table):
    """Step time over servers, by fabric."""
    if table.empty:
        return nothing("no study of scaling")
    figure, axes = _lines(table, "servers", "fabric", {"fat_tree": "fat tree", "mixnet": "MixNet"})
    axes.set(xlabel="servers of eight GPUs", xscale="log")
    axes.set_xticks(sorted(table["servers"].unique()), [f"{s:,}" for s in sorted(table["servers"].unique())])
    axes.minorticks_off()
    at = table.set_index(["fabric", "servers"])["step_s"]
    both = [s for s in sorted(table["servers"].unique()) if ("mixnet", s) in at.index and ("fat_tree", s) in at.index]
    ratio = [at["mixnet", s] / at["fat_tree", s] for s in both]
    set_title(axes, f"From {both[0]} to {both[-1]:,} servers MixNet takes {ratio[0]:.2f} to {ratio[-1]:.2f} times the fat tree's step",
              "Mixtral 8x22B, one layer a stage, 400 Gb/s; regions stay, data parallelism grows")
    return figure
