"""How inference serves: latencies of requests, and throughput against latency over the rate of arrivals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from . import style
from .varied import labels_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from .result import Run

PERCENTILES = (50, 90, 99)


def request_latencies(run: Run) -> pd.DataFrame:
    """DataFrame, a row a request that has ended, in the order of arrival: arrival_s, and ttft_ps, tpot_ps
    (not a number for one token), e2e_ps."""
    rows = run.tables["requests"].sort_values("request")
    after_first = (rows["output_tokens"] - 1).where(rows["output_tokens"] > 1)
    return pd.DataFrame({
        "arrival_s": rows["t_arrival_ps"] * 1e-12,
        "ttft_ps": rows["t_first_token_ps"] - rows["t_arrival_ps"],
        "tpot_ps": (rows["t_end_ps"] - rows["t_first_token_ps"]) / after_first,
        "e2e_ps": rows["t_end_ps"] - rows["t_arrival_ps"],
    }).reset_index(drop=True)


def nearest_rank(values, percent):
    """The smallest value that at least `percent` per cent do not exceed, as /summary/serving has it."""
    ordered = np.sort(np.asarray(values)[~np.isnan(np.asarray(values, dtype=float))])
    return ordered[max(1, -(-len(ordered) * percent // 100)) - 1] if len(ordered) else np.nan


def serving_table(runs: Sequence[Run]) -> pd.DataFrame:
    """DataFrame, a row a run by its name (labels_of()), by rising offered rate: offered_per_s (arrivals over
    their span), output_tokens_per_s, and p50, p90, p99 of ttft, tpot, e2e in ps."""
    table = []
    for run in runs:
        rows, latencies = run.tables["requests"], request_latencies(run)
        arrivals = rows["t_arrival_ps"].max() - rows["t_arrival_ps"].min()
        span = rows["t_end_ps"].max() - rows["t_arrival_ps"].min()
        row = {"offered_per_s": (len(rows) - 1) / (arrivals * 1e-12) if arrivals > 0 else np.inf,
               "output_tokens_per_s": rows["output_tokens"].sum() / (span * 1e-12)}
        for name in ("ttft", "tpot", "e2e"):
            row.update({f"{name}_p{p}_ps": nearest_rank(latencies[f"{name}_ps"], p) for p in PERCENTILES})
        table.append(row)
    names = pd.Index(labels_of(runs), name="run")
    return pd.DataFrame(table, index=names).sort_values("offered_per_s", kind="stable")


def throughput_latency(runs: Sequence[Run]) -> Figure:
    """Output tokens a second against the time to the first token and against that of a further one, over runs
    with different rates of arrival. Returns a Figure."""
    runs = [run for run in runs if "requests" in run.tables and len(run.tables["requests"])]
    if not runs:
        return style.nothing("no run has requests that ended (<workload kind=\"inference\">)")
    table = serving_table(runs)
    figure, panels = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    for axes, (name, what) in zip(panels, (("ttft", "time to the first token"), ("tpot", "time of a further token"))):
        _over_tokens(axes, table, name, what)
    least, most = table.iloc[0], table.iloc[-1]
    style.set_title(panels[0],
                    f"{most['output_tokens_per_s'] / least['output_tokens_per_s']:.2g} times the tokens cost "
                    f"{most['ttft_p99_ps'] / least['ttft_p99_ps']:.2g} times the wait (p99)",
                    f"{len(table)} runs; at the points: requests a second that arrive")
    return figure


def _over_tokens(axes, table, name, what):
    """A latency of serving_table() over the tokens."""
    axes.spines[["top", "right"]].set_visible(False)
    divisor, unit = style.time_unit(table[f"{name}_p99_ps"].max())
    for percent, colour in zip(PERCENTILES, (style.COMPUTE, style.DIMENSION_COLOURS[1], style.EXPOSED)):
        axes.plot(table["output_tokens_per_s"], table[f"{name}_p{percent}_ps"] / divisor, "o-", color=colour,
                  label=f"p{percent}")
    for _, row in table.iterrows():
        axes.annotate(f"{row['offered_per_s']:.3g}/s", (row["output_tokens_per_s"], row[f"{name}_p99_ps"] / divisor),
                      (0, 8), textcoords="offset points", ha="center", fontsize=8)
    axes.margins(y=0.12)
    axes.set_xlabel("output tokens a second")
    axes.set_ylabel(f"{what} [{unit}]")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
