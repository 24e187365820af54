"""What came out, what it rests on, and how it was made."""

import re

import pandas as pd

from .. import style
from ..goodput import PS_PER_MINUTE
from .cost import BILL

PS_PER_DAY = 24 * 60 * PS_PER_MINUTE

FIGURES = (("all_reduce_median_ps", "all-reduce, median", style.format_time),
           *BILL,
           ("grain_check_error", "error of the step by its grain (--check-grain)", lambda share: f"{100 * share:+.2f} %"),
           ("stepped_over_periods", "micro-batches that others stand for (step-over)", "{:,}".format),
           ("stepped_over_uncertainty", "by how much steps may be off for that", lambda share: f"{100 * share:.2f} %"),
           ("stepped_iterations", "iterations that another one stands for (step-over)", "{:,}".format),
           ("stepped_iterations_uncertainty", "by how much these may be off", lambda share: f"{100 * share:.2f} %"))
SERVING = (("requests", "requests that ended", "{:,}".format),
           ("requests_per_s", "requests a second", "{:.4g}".format),
           ("output_tokens_per_s", "output tokens a second", "{:,.4g}".format),
           ("ttft_p50_ps", "first token, median", style.format_time),
           ("ttft_p99_ps", "first token, p99", style.format_time),
           ("user_ttft_p50_ps", "first token at its user, median", style.format_time),
           ("user_ttft_p99_ps", "first token at its user, p99", style.format_time),
           ("tpot_p50_ps", "time a token after the first, median", style.format_time),
           ("tpot_p99_ps", "time a token after the first, p99", style.format_time))


def weeks_of(run):
    """[(what, value)] of weeks of the job (`lightrail goodput`)."""
    weeks = run.summary.get("goodput")
    if not weeks:
        return []
    found = [("GPUs of the job", f"{weeks['gpus']:,}"), ("played", f"{weeks['period_ps'] / PS_PER_DAY:,.4g} days, "
                                                         f"{len(weeks['runs']):,} times")]
    causes = weeks["causes"]
    found += [(use.replace("_", " ") + " time", f"{100 * mean:.2f} % ({100 * low:.2f} to {100 * high:.2f} % in 90 % of runs)")
              for use, mean, low, high in zip(causes["use"], causes["mean"], causes["p5"], causes["p95"]) if mean > 0]
    found.append(("failures", f"{weeks['categories']['failures'].sum():,.4g} on average"))
    found += [(what, f"{weeks[name] / PS_PER_MINUTE:.3g} min")
              for what, name in (("a checkpoint each", "every_ps"), ("best interval of those played", "best_every_ps"))
              if weeks[name]]
    return found


def _title(run):
    weeks = run.summary.get("goodput")
    if weeks:
        return (f"{weeks['gpus']:,} GPUs are effective for {percent(weeks['effective'])} of "
                f"{weeks['period_ps'] / PS_PER_DAY:,.4g} days")
    if "step_time_ps" in run.summary:
        parts = {name: run.summary[f"{key}_fraction"] for key, name in
                 (("compute", "compute"), ("exposed_communication", "exposed communication"), ("idle", "idle"))}
        shares = ", ".join(f"{100 * share:.0f} % {name}" for name, share in parts.items() if share >= 0.005)
        return f"The step takes {style.format_time(run.summary['step_time_ps'])}: {shares}"
    serving = run.summary.get("serving")
    if serving:
        return (f"{serving['output_tokens_per_s']:,.4g} output tokens a second, the first token of a request after "
                f"{style.format_time(serving['ttft_p50_ps'])} (median)")
    return f"No iteration has ended (status: {run.info['status']})"


def percent(share):
    return f"{100 * share:.1f} %"


def figures(run):
    """[(what, value)] for people."""
    found = weeks_of(run)
    if "step_time_ps" in run.summary:
        last = run.steps.iloc[-1]
        found += [("step", style.format_time(run.summary["step_time_ps"])),
                  ("compute", percent(run.summary["compute_fraction"])),
                  ("exposed communication", percent(run.summary["exposed_communication_fraction"])),
                  ("idle", percent(run.summary["idle_fraction"])),
                  ("iterations", f"{len(run.steps)}" + (", the last is shown" if len(run.steps) > 1 else "")),
                  ("GPUs", f"{last['gpus']:,}"),
                  ("the step on one GPU", f"{style.format_time(last['gpu_step_min_ps'])} to "
                                          f"{style.format_time(last['gpu_step_max_ps'])}")]
    for of, wanted in ((run.summary, FIGURES), (run.summary.get("serving", {}), SERVING)):
        found += [(label, show(of[name])) for name, label, show in wanted if name in of]
    return found


def rests_on(run):
    """[(about, sentence)]: what was simplified, guessed or left out."""
    remarks = run.summary.get("remarks", pd.DataFrame())
    found = remarks[["about", "text"]].to_numpy().tolist() if len(remarks) else []
    if run.info["status"] != "complete":
        found.insert(0, ["status", f"the run is '{run.info['status']}', not complete"
                         + (f": {run.info['reason']}" if run.info.get("reason") else "")])
    found += [["weeks", text] for text in run.summary.get("goodput", {}).get("rests_on", [])]
    by_formula = any(about == "formula" for about, _ in found)
    if "step_time_ps" in run.summary and "grain_check_error" not in run.summary and not by_formula:
        found.append(["grain", "how far trains of packets are off was not checked (lightrail run --check-grain 4)"])
    return found


def defaults(run):
    """[[kind, name, value]]: values that took effect and that nobody gave."""
    found = []
    for kind, values in run.params.items():
        rows = values[values["source"] == "default"].drop_duplicates(["name", "value"])
        found += [[kind, name, value] for name, value in zip(rows["name"], rows["value"]) if value != ""]
    return found


def scenario_name(run):
    found = re.search(r'<scenario[^>]*\bname="([^"]*)"', run.scenario_xml)
    return found[1] if found else run.label


def provenance(run):
    """[(what, value)]: enough to make the result again."""
    info = run.info
    made = [("scenario", scenario_name(run)), ("command", info.get("command_line", "")),
            ("status", info["status"]), ("hash of all events", info.get("hash", "")),
            ("lightrail", f"{run.schema.get('software_version', '')} ({run.schema.get('git_describe', '')})"),
            ("begun", info.get("created", "")), ("ranks", str(info.get("mpi_ranks", ""))),
            ("seed", str(info.get("seed", ""))), ("file", run.path.name)]
    if "wall_s" in info:
        made.append(("simulated in", f"{info['wall_s']:,.3g} s, {info['events']:,} events"))
    return [(what, value) for what, value in made if value]


def section(run):
    traffic = run.summary.get("dimensions", pd.DataFrame())
    rows = [] if traffic.empty else [
        [name, style.format_bytes(size), f"{messages:,}"] for name, size, messages
        in zip(traffic["name"], traffic["size_bytes"], traffic["messages"]) if size > 0]
    return {"title": _title(run), "detail": f"scenario {scenario_name(run)}, result {run.path.name}",
            "figures": figures(run), "rests_on": rests_on(run), "traffic": rows, "defaults": defaults(run),
            "provenance": provenance(run)}
