"""What trains cost in accuracy and save in time: runs of one scenario at several train sizes against packet
level."""

import xml.etree.ElementTree as xml

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

FLOOR = 1e-3  # [%] smaller errors are drawn here
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]


def scenario_and_grain(run):
    """("permutation, adaptive", 16) of scenario grain_permutation with adaptive routing."""
    root = xml.fromstring(run.scenario_xml)
    name = root.get("name").removeprefix("grain_").replace("moe", "MoE step")
    return f"{name}, {root.find('fabric').get('routing', 'default')}", int(root.find("network").get("grain"))


def completion_times(run):
    """Array [ps]: of every receive, or where there is none of every all-to-all on every GPU, in one order for
    all runs."""
    ops = run.tables["ops"]
    rows, keys = ops[ops["kind"] == "recv"], ["component", "iteration", "op"]
    if rows.empty:
        rows, keys = run.tables["collectives"], ["component", "group", "t_start_ps", "t_end_ps"]
        rows = rows[rows["collective"] == "all_to_all"]
    rows = rows.sort_values(keys, kind="stable")
    return (rows["t_end_ps"] - rows["t_start_ps"]).to_numpy()


def _change(new, old):
    return 100 * abs(new / old - 1)


def grain_table(runs):
    """DataFrame by (scenario, grain): errors against grain 1 [%], and how many times fewer events and less
    wall time.

    each_...: of every completion time with its own at packet level; of_...: of the median and the 99th
    percentile of all. Runs of one scenario and grain are repetitions: the fastest counts. Every scenario
    needs a run of grain 1.
    """
    groups = {}
    for run in runs:
        groups.setdefault(scenario_and_grain(run), []).append(run)
    rows = {}
    for (scenario, grain), repeats in sorted(groups.items()):
        if (scenario, 1) not in groups:
            raise ValueError(f"scenario '{scenario}' has no run of grain 1 to compare with")
        run, packet = repeats[0], groups[scenario, 1][0]
        times, exact = completion_times(run), completion_times(packet)
        if len(times) != len(exact) or len(exact) == 0:
            raise ValueError(f"{run.path}: {len(times)} completion times, {len(exact)} at packet level")
        each = _change(times, exact)
        wall = [min(r.info["wall_s"] for r in some) for some in (groups[scenario, 1], repeats)]
        rows[scenario, grain] = {
            "each_median_pct": np.median(each), "each_p99_pct": np.percentile(each, 99),
            "of_median_pct": _change(np.median(times), np.median(exact)),
            "of_p99_pct": _change(np.percentile(times, 99), np.percentile(exact, 99)),
            "step_pct": _change(run.summary["step_time_ps"], packet.summary["step_time_ps"]),
            "fewer_events": packet.info["events"] / run.info["events"], "faster": wall[0] / wall[1],
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["scenario", "grain"])


def _panel(axes, table, lines, floor=None):
    """One line a scenario and column; `lines`: column, line style, name."""
    scenarios = table.index.get_level_values("scenario").unique()
    for colour, scenario in zip(COLOURS, scenarios):
        for column, line, _ in lines:
            values = table.loc[scenario][column]
            axes.plot(values.index, values.clip(lower=floor), line, color=colour, marker="o", markersize=4)
    grains = sorted(table.index.get_level_values("grain").unique())
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(grains, [str(g) for g in grains])
    axes.minorticks_off()
    axes.set_xlabel("packets in a train (4 KiB each)")
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    styles = [plt.Line2D([], [], color="#444444", linestyle=line) for _, line, _ in lines]
    axes.legend(styles, [name for _, _, name in lines], fontsize=9, frameon=False, loc="upper left")


def grain_study(runs, default=16):
    """Returns (Figure, DataFrame of grain_table()). `default`: the train size that the title speaks of."""
    table = grain_table(runs)
    trains = table[table.index.get_level_values("grain") > 1]
    figure, (each, of_all, gain) = plt.subplots(1, 3, figsize=(15, 5), layout="constrained")
    figure.get_layout_engine().set(rect=(0, 0.06, 1, 0.94))
    _panel(each, trains, [("each_p99_pct", "--", "99th percentile of the errors"),
                          ("each_median_pct", "-", "median error")], FLOOR)
    _panel(of_all, trains, [("of_p99_pct", "--", "99th percentile"), ("of_median_pct", "-", "median"),
                            ("step_pct", ":", "time of the whole step")], FLOOR)
    _panel(gain, table, [("fewer_events", "-", "fewer events"), ("faster", ":", "less wall time")])
    each.set_ylabel("error against packet level [%]")
    for axes in (each, of_all):
        axes.set_ylim(FLOOR / 2, 200)
        axes.yaxis.set_major_formatter("{x:g}")
    gain.set_yticks([2**n for n in range(int(np.log2(table[["fewer_events", "faster"]].max().max())) + 2)])
    gain.set_ylabel("packet level / trains")
    gain.yaxis.set_major_formatter("{x:g}×")
    for axes in (each, of_all, gain):
        axes.axvline(default, color="#999999", linewidth=0.8, zorder=0)
    scenarios = table.index.get_level_values("scenario").unique()
    figure.legend([plt.Line2D([], [], color=c, marker="o") for c, _ in zip(COLOURS, scenarios)], scenarios,
                  loc="lower center", ncols=len(scenarios), frameon=False)
    at = table.xs(default, level="grain")
    figure.suptitle(f"Trains of {default} packets: step times within {at['step_pct'].max():.2g} %, "
                    f"{at['fewer_events'].min():.0f} to {at['fewer_events'].max():.0f} times fewer events; "
                    "single messages in contention differ more", x=0.01, ha="left", fontsize=13,
                    fontweight="bold")
    for axes, text in ((each, "each completion time with its own at packet level"),
                       (of_all, "the distribution of completion times, and the step"),
                       (gain, "gain; wall time is the best of the repetitions")):
        axes.set_title(text, loc="left", fontsize=10, color="#444444")
    return figure, table
