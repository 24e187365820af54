"""Figures of the studies of PXN (scenarios/sweeps/pxn_all_to_all.xml, pxn_step.xml): which fabrics gain from it."""

import matplotlib.pyplot as plt

from .style import nothing, set_title

ROUTINGS = {"static": ("static", "#0072B2"), "ecmp": ("ECMP", "#D55E00"),
            "adaptive": ("adaptive", "#009E73")}


def pxn_gains(table):
    """Rows without PXN of a study's DataFrame (studies.read_study()), with the step time of the same point
    with PXN (`with_s` [s]) and by how much longer they are (`longer_pct`)."""
    varied = ["servers", "size", "routing", "spine"]
    off, on = (table[table["pxn"] == value].set_index(varied) for value in ("off", "on"))
    rows = off.join(on["step_s"].rename("with_s"), how="inner").reset_index()
    rows["longer_pct"] = 100 * (rows["step_s"] / rows["with_s"] - 1)
    return rows


def pxn_all_to_all(table):
    """By how much an all-to-all takes longer without PXN, over the NICs that share an uplink; the study's
    DataFrame -> Figure, whose titles are computed from the rows."""
    if table.empty:
        return nothing("no study of all-to-alls with PXN")
    rows = pxn_gains(table)
    servers = sorted(rows["servers"].unique())
    figure, panels = plt.subplots(1, len(servers), figsize=(5 * len(servers), 4.2), sharey=True,
                                  squeeze=False, layout="constrained")
    for axes, count in zip(panels[0], servers):
        axes.spines[["top", "right"]].set_visible(False)
        axes.axhspan(35, 65, color="#EEEEEE", zorder=0)
        mine = rows[rows["servers"] == count]
        spines = sorted(mine["spine"].unique())
        for routing, (label, colour) in ROUTINGS.items():
            for size, style in (("256MiB", "-"), ("4KiB", ":")):
                of_line = mine[(mine["routing"] == routing) & (mine["size"] == size)].sort_values("spine")
                if of_line.empty:
                    continue
                axes.plot(of_line["spine"].map(spines.index), of_line["longer_pct"], style, marker="o",
                          markersize=4, color=colour, label=f"{label}, {size[:-3]} {size[-3:]}")
        axes.set_xticks(range(len(spines)), [f"{n:g}" for n in spines])
        axes.set(xlabel="NICs of a leaf for each uplink", ylim=(-10, 1.1 * rows["longer_pct"].max()))
        axes.grid(axis="y", color="#DDDDDD", linewidth=0.6)
        large = mine[mine["size"] == "256MiB"]
        least, most = large["longer_pct"].min(), large["longer_pct"].max()
        set_title(axes, f"{count} servers: {least:.0f} to {most:.0f} % longer without PXN",
                  "256 MiB a GPU; grey: 50 % reported, bound 35-65 %")
    panels[0][0].set_ylabel("all-to-all longer without PXN [%]")
    panels[0][-1].legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


PLANS = {(1, 1): "TP 1", (2, 0): "TP 2,\nsplit experts", (2, 1): "TP 2,\nwhole experts",
         (4, 1): "TP 4,\nwhole experts"}
SPINES = {("adaptive", 1): ("full, adaptive", "#009E73"), ("ecmp", 1.5): ("1.5:1, ECMP", "#D55E00"),
          ("adaptive", 3): ("3:1, adaptive", "#0072B2")}


def pxn_steps(table, layers=32):
    """Of the study pxn_step a row a plan, gradients, overlap and fabric: steps of `layers` layers without and
    with PXN (`off_s`, `on_s` [s]), by how much it is shorter with PXN (`shorter_pct`) and the exposed
    communication with and without it [%]. Steps of the two numbers of layers that the study has are continued
    in a straight line: layers are alike."""
    varied = ["tp", "etp", "gradients", "overlap", "routing", "spine"]
    few, many = sorted(table["layers"].unique())
    rows = table.assign(exposed_s=table["step_s"] * table["exposed_communication_fraction"])
    rows = rows.set_index([*varied, "pxn", "layers"])[["step_s", "exposed_s"]].unstack("layers").dropna()
    whole = {name: rows[name, few] + (rows[name, many] - rows[name, few]) * (layers - few) / (many - few)
             for name in ("step_s", "exposed_s")}
    step, exposed = (whole[name].unstack("pxn").dropna() for name in ("step_s", "exposed_s"))
    return step.rename(columns={"off": "off_s", "on": "on_s"}).assign(
        shorter_pct=100 * (1 - step["on"] / step["off"]), exposed_pct=100 * exposed["on"] / step["on"],
        exposed_without_pct=100 * exposed["off"] / step["off"]).reset_index()


def pxn_step(table):
    """What PXN takes off a step with gradients in BF16 and what is left exposed, by plan and fabric, without
    and with overlap; the study's DataFrame -> Figure, whose titles are computed from the rows."""
    if table.empty:
        return nothing("no study of steps with PXN")
    rows = pxn_steps(table[table["gradients"] == "bf16"])
    overlaps = [overlap for overlap in ("off", "on") if overlap in set(rows["overlap"])]
    figure, panels = plt.subplots(2, len(overlaps), figsize=(5.6 * len(overlaps), 6.4), sharex=True,
                                  sharey="row", squeeze=False, layout="constrained")
    for column, overlap in enumerate(overlaps):
        mine = rows[rows["overlap"] == overlap]
        plans = [plan for plan in PLANS if plan in set(zip(mine["tp"], mine["etp"]))]
        for row, (value, band) in enumerate((("shorter_pct", (9, 19)),
                                             ("exposed_pct", (22, 33) if overlap == "off" else (20, 30)))):
            axes = panels[row][column]
            axes.spines[["top", "right"]].set_visible(False)
            axes.axhspan(*band, color="#EEEEEE", zorder=0)
            for place, (fabric, (label, colour)) in enumerate(SPINES.items()):
                of_fabric = mine[(mine["routing"] == fabric[0]) & (mine["spine"] == fabric[1])]
                bars = of_fabric.set_index(["tp", "etp"])[value]
                at = [i for i, plan in enumerate(plans) if plan in bars.index]
                axes.bar([i + (place - 1) * 0.26 for i in at], [bars[plans[i]] for i in at], 0.24,
                         color=colour, label=label)
            axes.set_xticks(range(len(plans)), [PLANS[plan] for plan in plans], fontsize=8)
        set_title(panels[0][column], f"{'Without' if overlap == 'off' else 'With'} overlap PXN takes off "
                  f"up to {mine['shorter_pct'].max():.0f} %",
                  "BF16 gradients, 32 layers continued from 2 and 4; grey: the talk's bounds")
    panels[0][0].set_ylabel("step shorter with PXN [%]")
    panels[1][0].set_ylabel("exposed communication with PXN [%]")
    panels[0][-1].legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))
    return figure
