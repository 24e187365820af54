"""Recorded collectives by kind, group and size."""

import pandas as pd

from .. import style

MISSING = ('no recorded GPU was in a collective: <output><table name="collectives" gpus="all"/></output> records '
           "those of all GPUs, by default those of the first 8 are")
COLUMNS = ("collective", "group", "ranks", "size", "count", "mean", "median", "worst", "worst / median",
           "bus bandwidth", "time of all")
MOST_ROWS = 400


def table(run):
    """DataFrame, a row a collective, group and size: group_size, count, mean_ps, median_ps, max_ps, sum_ps
    and busbw_bytes_per_s (as nccl-tests define it, of the median; nothing where the run has not ended). Those
    that took most time together come first."""
    rows = run.tables["collectives"] if "collectives" in run.tables else pd.DataFrame()
    if rows.empty:
        return pd.DataFrame()
    keys = ["collective", "group", "size_bytes"]
    rows = rows.assign(time_ps=rows["t_end_ps"] - rows["t_start_ps"], collective=rows["collective"].astype(object))
    times = rows.groupby(keys, observed=True)["time_ps"].agg(
        ["count", "mean", "median", "max", "sum"]).reset_index()
    times["group"] = [run.group_kinds[i] if 0 <= i < len(run.group_kinds) else str(i) for i in times["group"]]
    times = times.rename(columns={name: f"{name}_ps" for name in ("mean", "median", "max", "sum")})
    ended = run.summary.get("collectives", pd.DataFrame())
    if not ended.empty:
        times = times.merge(ended[[*keys, "group_size", "busbw_bytes_per_s"]], on=keys, how="left")
    return times.sort_values("sum_ps", ascending=False, kind="stable", ignore_index=True)


def _finding(times):
    first = times.iloc[0]
    share = first["sum_ps"] / times["sum_ps"].sum()
    name = first["collective"].replace("_", "-")
    return (f"{100 * share:.0f} % of the time in collectives is {name} of {first['group']}, "
            f"{style.format_bytes(first['size_bytes'])} each")


def _cell(text, value):
    """What is read, and what is sorted by."""
    return [text, value]


def section(run):
    times = table(run)
    if times.empty:
        return {"missing": MISSING}
    rows = []
    for row in times.head(MOST_ROWS).to_dict("records"):
        ranks, bandwidth = row.get("group_size"), row.get("busbw_bytes_per_s")
        rows.append([
            _cell(row["collective"].replace("_", "-"), row["collective"]), _cell(row["group"], row["group"]),
            _cell("" if pd.isna(ranks) else f"{ranks:.0f}", 0 if pd.isna(ranks) else ranks),
            _cell(style.format_bytes(row["size_bytes"]), row["size_bytes"]),
            _cell(f"{row['count']:,}", row["count"]),
            *(_cell(style.format_time(row[name]), row[name]) for name in ("mean_ps", "median_ps", "max_ps")),
            _cell(f"{row['max_ps'] / max(row['median_ps'], 1):.2f}", row["max_ps"] / max(row["median_ps"], 1)),
            _cell("" if pd.isna(bandwidth) else f"{bandwidth / 1e9:,.1f} GB/s",
                  0 if pd.isna(bandwidth) else bandwidth),
            _cell(style.format_time(row["sum_ps"]), row["sum_ps"])])
    gpus = run.tables["collectives"]["gpu"].nunique()
    left_out = len(times) - len(rows)
    more = f"; the {MOST_ROWS} with most time, {left_out:,} others are left out" if left_out else ""
    return {"title": _finding(times), "columns": list(COLUMNS), "rows": rows,
            "detail": f"as {gpus:,} recorded GPUs saw them, waiting for other members included; size and bandwidth "
                      f"as nccl-tests define them{more}"}
