"""Figure of the study of PXN (scenarios/sweeps/pxn_all_to_all.xml): which fabrics gain from it."""

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
        # Asked for 1:1, a leaf uses all ports that it has left; 1.01 gives as many uplinks as NICs.
        axes.set_xticks(range(len(spines)),
                        ["all ports\nare uplinks" if n == 1 else f"{round(n, 1):g}" for n in spines])
        axes.set(xlabel="NICs of a leaf for each uplink", ylim=(-10, 1.1 * rows["longer_pct"].max()))
        axes.grid(axis="y", color="#DDDDDD", linewidth=0.6)
        large = mine[mine["size"] == "256MiB"]
        least, most = large["longer_pct"].min(), large["longer_pct"].max()
        set_title(axes, f"{count} servers: {least:.0f} to {most:.0f} % longer without PXN",
                  "256 MiB a GPU; grey: 50 % reported, bound 35-65 %")
    panels[0][0].set_ylabel("all-to-all longer without PXN [%]")
    panels[0][-1].legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure
