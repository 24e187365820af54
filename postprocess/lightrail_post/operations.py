"""What recorded GPUs did in an iteration: colours, extent and finding of a timeline."""

import numpy as np
import pandas as pd

from . import style
from .result import that_count
from .spans import covered


COMMUNICATION = ("collective", "send", "recv")


def colour_keys(ops, run):
    """Categorical, per row the key of the legend: a parallel dimension for communication, else the kind."""
    kind = pd.Categorical(ops["kind"])
    names = [[f"communication, {run.dimensions[d]}" if d >= 0 and name in COMMUNICATION else str(name)
              for d in range(-1, len(run.dimensions))] for name in kind.categories]
    codes, found = pd.factorize(np.array(names, dtype=object).ravel()) if names else ([], [])
    of_both = np.reshape(codes, (len(names), -1)).astype(np.int64)
    dimension = np.where(ops["dimension"] < len(run.dimensions), ops["dimension"], -1)
    return pd.Categorical.from_codes(of_both[kind.codes, dimension + 1], found).remove_unused_categories()


def key_colours(keys, run):
    """Legend in a fixed order: kinds first, then dimensions. A dimension has the same colour in every
    picture, whatever else is in it."""
    colours = {key: colour for key, colour in style.KIND_COLOURS.items() if key in keys.categories}
    return colours | {f"communication, {name}": style.dimension_colour(run, name) for name in run.dimensions
                      if f"communication, {name}" in keys.categories}


def _shares(ops, gpus, low, high):
    """(compute, exposed communication) of the GPUs between two times, as shares of their time."""
    start, end = ops["t_start_ps"].clip(low, high).to_numpy(), ops["t_end_ps"].clip(low, high).to_numpy()
    kind, gpu = ops["kind"].astype(str).to_numpy(), ops["gpu"].to_numpy()
    is_compute, is_busy = kind == "compute", ~np.isin(kind, ["host", "marker"])
    compute, busy, span = 0, 0, np.array([low, high])
    for one in np.unique(gpu):
        compute += covered(start[is_compute & (gpu == one)], end[is_compute & (gpu == one)], span)[0]
        busy += covered(start[is_busy & (gpu == one)], end[is_busy & (gpu == one)], span)[0]
    time = (high - low) * len(gpus)
    return compute / time, (busy - compute) / time


def _steps_of(run, gpus, iteration):
    """gpus None: of all."""
    steps = that_count(run, run.tables["steps"])
    steps = steps[steps["iteration"] == iteration]
    return steps if gpus is None else steps[steps["gpu"].isin(gpus)]


def finding(run, gpus, iteration, ops, span):
    """Of the whole iteration what the table of steps says, of a part what is shown of it."""
    who = f"GPU {gpus[0]} computes" if len(gpus) == 1 else f"{len(gpus):,} GPUs compute"
    wait = "waits" if len(gpus) == 1 else "wait"
    if span is not None:
        compute, exposed = _shares(ops, gpus, *span)
        return (f"{who} for {100 * compute:.0f} % of the {style.format_time(span[1] - span[0])} shown and {wait} for "
                f"communication for {100 * exposed:.0f} %")
    steps = _steps_of(run, None, iteration)
    mine = steps[steps["gpu"].isin(gpus)]
    if mine.empty:
        return f"{len(gpus):,} {'GPU' if len(gpus) == 1 else 'GPUs'} recorded"
    time = (mine["t_end_ps"] - mine["t_start_ps"]).sum()
    compute, exposed = mine["t_compute_ps"].sum() / time, mine["t_exposed_ps"].sum() / time
    step = steps["t_end_ps"].max() - steps["t_start_ps"].min()
    return (f"{who} for {100 * compute:.0f} % of the {style.format_time(step)} step and {wait} for "
            f"communication for {100 * exposed:.0f} %")


def waits_for_launches(run, gpus, iteration):
    """A tenth of the time and more: operations of several kernels are then wider than what they compute."""
    steps = _steps_of(run, gpus, iteration)
    return steps["t_host_ps"].sum() > 0.1 * (steps["t_end_ps"] - steps["t_start_ps"]).sum()


def extent(run, gpus, iteration, ops):
    """From the first of these GPUs' start of the iteration to the last one's end, which CPUs that launch kernels
    let be longer than the operations."""
    steps = _steps_of(run, gpus, iteration)
    first, last = ops["t_start_ps"].min(), ops["t_end_ps"].max()
    if steps.empty:
        return first, last
    return min(first, steps["t_start_ps"].min()), max(last, steps["t_end_ps"].max())
