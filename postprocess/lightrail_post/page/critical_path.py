"""What the end of the step waited for, back to its start: /summary/critical_path."""

from .. import style
from ..time_uses import COLOURS

MISSING = ('the critical path needs the operations of all GPUs: <output><table name="ops" gpus="all"/><table '
           'name="messages" gpus="all"/></output>')
MOST_PARTS = 30


def _colour(use):
    return COLOURS.get(use, style.EXPOSED if use == "communication" else style.KIND_COLOURS["host"])


def _spelt(label):
    return label.replace("_", "-")


def section(run):
    path = run.summary.get("critical_path", {})
    if "parts" not in path or path["parts"].empty:
        why = path.get("missing") if path else ""
        return {"missing": why or MISSING}
    parts, changes = path["parts"], path["what_ifs"]
    step = path["step_ps"]
    shown, rest = parts.head(MOST_PARTS), parts.iloc[MOST_PARTS:]
    rows = [{"name": _spelt(label), "colour": _colour(use), "share": time / step, "time": style.format_time(time),
             "count": int(count), "use": use, "bytes": style.format_time(of_bytes) if of_bytes >= 0 else ""}
            for label, use, count, time, of_bytes in zip(shown["label"], shown["use"], shown["count"],
                                                         shown["time_ps"], shown["bytes_ps"])]
    if len(rest):
        rows.append({"name": f"{len(rest)} others", "colour": style.REST, "share": rest["time_ps"].sum() / step,
                     "time": style.format_time(rest["time_ps"].sum()), "count": int(rest["count"].sum()),
                     "use": "", "bytes": ""})
    first = parts.iloc[0]
    return {"title": f"{100 * first['time_ps'] / step:.0f} % of the step's critical path is {_spelt(first['label'])}",
            "detail": f"each moment of the {style.format_time(step)} of iteration {path['iteration']} is counted once",
            "unsplit": path.get("unsplit", ""), "parts": rows,
            "what_ifs": [[_spelt(change), style.format_time(after), style.format_time(step - after),
                          f"{100 * (step - after) / step:.2f} %"]
                         for change, after in zip(changes["change"], changes["step_ps"])]}
