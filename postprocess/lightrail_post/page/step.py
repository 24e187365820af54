"""A step by parallel dimension, the pipeline's bubble apart: the table exposed."""

from .. import style
from ..time_uses import COLOURS, MOST_ROWS, time_parts, time_use, use_colour

MISSING = 'no use of time was recorded: <output><table name="exposed"/></output> does so, which is on by default'
SERVES = "an inference job has no steps: the summary has its latencies"


def _finding(parts):
    waits = parts.drop("compute", errors="ignore")
    if waits.empty:
        return "GPUs only compute"
    first = waits.index[0]
    if first.endswith(" bubble"):
        first = f"the bubble of {first.removesuffix(' bubble')}"
    elif first not in COLOURS:
        first = f"communication in {first}"
    share = f"{100 * waits.iloc[0] / parts.sum():.0f} %"
    bubble = waits[[what for what in waits.index if what.endswith("bubble")]].sum()
    apart = ("" if not bubble or waits.index[0].endswith("bubble")
             else f"; the pipeline's bubble {100 * bubble / parts.sum():.0f} %")
    return f"Beside compute, most of the step goes into {first}: {share}{apart}"


def section(run):
    table, parts = time_use(run), time_parts(run)
    if parts.empty:
        return {"missing": SERVES if run.summary.get("serving") else MISSING}
    table = table[parts.index]
    shown = table.iloc[:MOST_ROWS]
    steps = run.steps
    rows = [{"name": "all GPUs", "shares": (parts / parts.sum()).tolist()}]
    rows += [{"name": str(role), "shares": shares} for role, shares in zip(shown.index, shown.to_numpy().tolist())]
    more = "" if len(shown) == len(table) else f"; the first {MOST_ROWS} of {len(table)} roles"
    return {
        "title": _finding(parts),
        "detail": f"share of the time of the GPUs of each role; communication that no kernel hides, by dimension{more}",
        "parts": [{"name": what, "colour": use_colour(run, what), "is_hatched": "(" in what,
                   "mean": style.format_time(parts[what])} for what in parts.index],
        "rows": rows if len(rows) > 2 else rows[:1],
        "iterations": [[int(i), style.format_time(end - start)] for i, start, end
                       in zip(steps["iteration"], steps["t_start_ps"], steps["t_end_ps"])] if len(steps) else [],
    }
