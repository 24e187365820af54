"""Figure of the study scenarios/jobs/two_jobs.xml: a job alone and beside another one, by placement and spine."""

from pathlib import Path

import pandas as pd

from .style import new_figure, nothing, set_title

PLACEMENTS = {"packed": ("packed", "#0072B2"), "spread": ("spread", "#D55E00"),
              "random-servers": ("drawn", "#009E73")}
PS_PER_MS = 1e9


def read_two_jobs(folder):
    """Rows of FOLDER/two_jobs.csv that ran to their end; empty where there is no such file."""
    path = Path(folder) / "two_jobs.csv"
    table = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=["status"])
    return table[table["status"] == "complete"]


def two_jobs(table):
    """Mean step of job a, a group of bars a spine, a pair a placement: alone (pale) and with job b beside it;
    the DataFrame of read_two_jobs() -> Figure, whose title is computed from the rows."""
    if table.empty:
        return nothing("no study of two jobs")
    steps = table.set_index(["placement", "spine", "b"])["jobs_a_mean_step_time_ps"] / PS_PER_MS
    spines = sorted(set(table["spine"]))
    figure, axes = new_figure(9, 4.2)
    width = 0.8 / (2 * len(PLACEMENTS))
    for place, (placement, (label, colour)) in enumerate(PLACEMENTS.items()):
        for side, b in enumerate(("off", "on")):
            places = [x + (2 * place + side - len(PLACEMENTS) + 0.5) * width for x in range(len(spines))]
            drawn = axes.bar(places, [steps.get((placement, spine, b), 0) for spine in spines], width * 0.92,
                             color=colour, alpha=1 if b == "on" else 0.4,
                             label=f"{label}, {'beside the other' if b == 'on' else 'alone'}")
            axes.bar_label(drawn, fmt="%.0f", fontsize=7, padding=1)
    axes.set_xticks(range(len(spines)), [f"spine {spine:g}:1" for spine in spines])
    axes.set(ylabel="step of job a [ms]", ylim=(0, 1.3 * steps.max()))
    axes.legend(frameon=False, fontsize=8, ncols=3, loc="upper left")
    longer = {placement: 100 * (steps[placement, spines[-1], "on"] / steps[placement, spines[-1], "off"] - 1)
              for placement in PLACEMENTS if (placement, spines[-1], "on") in steps.index}
    set_title(axes, f"Spine {spines[-1]:g}:1, what the other job costs: "
              + ", ".join(f"{PLACEMENTS[placement][0]} {round(more):+d} %" for placement, more in longer.items()),
              "two jobs of 32 H100 each, Llama 3 8B of 4 layers, a fat tree of four leaves")
    return figure
