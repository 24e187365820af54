"""Several results side by side: what differs in them, parts of a step whose differences add up, and the
figure of the study that they belong to."""

import io

import matplotlib
import pandas as pd

from .. import studies, style
from ..answers import APART, parts_of_steps
from ..time_uses import time_parts, use_colour
from ..varied import input_differences, settings, varied_settings
from .summary import percent, scenario_name


def _numbers(column):
    """As numbers, where all of its texts are some."""
    try:
        return pd.to_numeric(column)
    except (TypeError, ValueError):
        return column


def study_table(runs):
    """The results as a row each of the table that `lightrail sweep --jobs` writes, for the figures of studies.py."""
    rows = []
    for run in runs:
        figures = {name: value for name, value in run.summary.items() if isinstance(value, (int, float))}
        rows.append({**settings(run), **figures, "status": run.info["status"],
                     "step_s": run.summary.get("step_time_ps", float("nan")) * 1e-12})
    return pd.DataFrame(rows).apply(_numbers)


def study_figure(runs):
    """(SVG, "") of the study whose scenario all results are of, or ("", why there is none; empty where
    the results are of no study)."""
    names = {scenario_name(run) for run in runs}
    name = names.pop() if len(names) == 1 else ""
    draw = studies.figure_of(name)
    if draw is None:
        return "", ""
    table = study_table(runs)
    try:
        figure = draw(table[table["status"] == "complete"])
    except (AttributeError, LookupError, TypeError, ValueError, ZeroDivisionError):  # points are not there
        return "", f"the figure of the study {name} needs all its points, which are not among these results"
    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "lightrail"}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    style.plt.close(figure)
    return text.getvalue()[text.getvalue().index("<svg"):], ""


# Columns of the table of all results: (name, its value in a summary or None, how it is written). One that no
# result has is left out.
COLUMNS = (("step", lambda s: s.get("step_time_ps"), style.format_time),
           ("exposed communication", lambda s: s.get("exposed_communication_fraction"), percent),
           ("tokens a second", lambda s: s.get("serving", {}).get("output_tokens_per_s"), "{:,.4g}".format),
           ("first token, p99", lambda s: s.get("serving", {}).get("ttft_p99_ps"), style.format_time),
           ("further token, p99", lambda s: s.get("serving", {}).get("tpot_p99_ps"), style.format_time),
           ("effective time", lambda s: s.get("goodput", {}).get("effective"), percent),
           ("network", lambda s: s.get("network_cost_usd"), "{:,.0f} USD".format),
           ("power of the network", lambda s: s.get("network_power_w"), "{:,.0f} W".format))


def columns_of(runs):
    """[[name, its text in each result]]."""
    found = []
    for name, value, written in COLUMNS:
        values = [value(run.summary) for run in runs]
        if any(v is not None for v in values):
            found.append([name, ["" if v is None else written(v) for v in values]])
    return found


def _finding(labels, steps):
    known = {label: step for label, step in zip(labels, steps) if step}
    if len(known) < 2:
        return f"{len(labels)} results"
    fastest, slowest = min(known, key=known.get), max(known, key=known.get)
    ratio = known[slowest] / known[fastest]
    if ratio < 1.001:
        return f"All {len(known)} steps take the same time"
    ties = sum(step < 1.001 * known[fastest] for step in known.values())
    if ties > 1:
        return f"{ties} of {len(known)} are {ratio:.2f} times as fast as {slowest}"
    return f"{fastest} is {ratio:.2f} times as fast as {slowest}"


def _weeks_finding(runs, labels):
    """Which job of `lightrail goodput` is effective for longest; "" where not all results are of weeks."""
    shares = [run.summary.get("goodput", {}).get("effective") for run in runs]
    if None in shares:
        return ""
    best, worst = shares.index(max(shares)), shares.index(min(shares))
    return f"{labels[best]} is effective for {percent(shares[best])} of the time, {labels[worst]} for {percent(shares[worst])}"


def section(runs, labels):
    parts, steps = parts_of_steps(runs), [run.summary.get("step_time_ps", 0) for run in runs]
    differences, count = input_differences(runs)
    varied = varied_settings(runs, differences)
    figure, why_none = study_figure(runs)
    colours = {}
    for run in runs:
        colours.update({what: use_colour(run, what) for what in time_parts(run).index if what not in colours})
    return {
        "title": _weeks_finding(runs, labels) or _finding(labels, steps), "detail": "the last iteration of each result",
        "labels": labels, "settings": [list(varied), *varied.to_numpy().tolist()] if len(varied.columns) else [],
        "steps": [[style.format_time(step) if step else "", step] for step in steps],
        "parts": [{"name": what, "colour": colours.get(what, style.IDLE),
                   "is_hatched": what == APART or "(" in what, "times": parts[what].tolist()}
                  for what in parts],
        "inputs": differences, "inputs_count": count, "figure": figure, "no_figure": why_none,
        "columns": columns_of(runs)}
