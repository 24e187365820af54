"""python -m lightrail_post report|perfetto|compare|parts|grain|serving|goodput|validation|pxn|plans|roce|queue-pairs|fold|diff|show ..."""

import argparse
import re
import sys
from pathlib import Path

# Studies of scenarios/sweeps with a picture of their own; studies.figure() draws each by its name.
STUDIES = {"roce": "InfiniBand against RoCE for the same step",
           "queue-pairs": "steps over hashed spines by queue pairs of a connection",
           "fold": "folded steps against whole ones",
           "leaf-loss": "steps of a job that loses a leaf, on rails and on a fat tree",
           "two-jobs": "a job alone and beside another one, by placement"}


def _show(run):
    print(f"status      {run.info['status']}")
    for name, value in sorted(run.summary.items()):
        if isinstance(value, dict):
            value = {key: item for key, item in value.items() if not hasattr(item, "columns")}
        if not hasattr(value, "columns") and value != {}:
            print(f"{name:11} {value}")
    for name in run.tables:
        print(f"{name:15} {len(run.tables[name]):>10} rows")


def _readable(steps):
    """Of the table of compare_steps(): milliseconds, and parts as shares of the GPUs' time, as in the summary."""
    import pandas as pd
    parts = {name: steps[f"{name}_ps"] / steps["gpu_ps"] for name in ("compute", "exposed", "idle")}
    columns = {"step [ms]": steps["step_ps"].map(lambda ps: f"{ps * 1e-9:.3f}")}
    return pd.DataFrame(columns | {f"{name} [%]": (100 * share).map("{:.1f}".format)
                                   for name, share in parts.items()})


def selected_gpus(text):
    """"0-7,16" -> endpoint ids."""
    chosen = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        if not first.isdigit() or last and not last.isdigit() or int(last or first) < int(first):
            raise argparse.ArgumentTypeError(f"invalid GPU list '{text}' (expected numbers and ranges: 0-7,16)")
        chosen += range(int(first), int(last or first) + 1)
    return chosen


def picoseconds(text):
    """"1.5ms" or "1.5 ms" -> picoseconds."""
    found = re.fullmatch(r"\s*([0-9.]+)\s*(ps|ns|us|µs|ms|s)\s*", text)
    if not found:
        raise argparse.ArgumentTypeError(f"invalid time '{text}' (expected a number with a unit: us, ms, s)")
    factor = {"ps": 1, "ns": 10**3, "us": 10**6, "µs": 10**6, "ms": 10**9, "s": 10**12}[found[2]]
    return int(round(float(found[1]) * factor))


def _report(options):
    from .folders import open_runs
    runs = open_runs(options.results)
    if options.html:
        from . import write_page
        print(f"{options.html}: {write_page(runs, options.html) / 1e6:.1f} MB")
        return
    from .report import report
    if len(runs) > 1:
        raise ValueError("report: several results need --html FILE")
    for path in report(runs[0], options.out):
        print(path)


def _grain(options):
    """Of results, or of the document that has their table."""
    from .folders import open_runs
    from .grain import grain_figure, grain_table, read_markdown
    first = Path(options.results[0])
    is_document = first.suffix == ".md"
    if is_document and len(options.results) > 1:
        raise ValueError(f"{first}: a document stands alone, as it has all cells")
    table = read_markdown(first.read_text()) if is_document else grain_table(open_runs(options.results))
    Path(options.out).parent.mkdir(parents=True, exist_ok=True)
    grain_figure(table).savefig(options.out, dpi=110)
    print(table.to_string(float_format="{:.3g}".format))


def _step_parts(options):
    from . import open_run
    from .parts import markdown, step_parts, step_parts_bars
    from .varied import labels_of
    named = [text.rpartition("=") for text in options.results]
    runs = [open_run(path) for _, _, path in named]
    table = step_parts(runs, [name or label for (name, _, _), label in zip(named, labels_of(runs))])
    Path(options.out).parent.mkdir(parents=True, exist_ok=True)
    step_parts_bars(table).savefig(options.out, dpi=110)
    print(markdown(table))


def _parse(arguments):
    parser = argparse.ArgumentParser(prog="lightrail_post", description="What a lightrail result file says.")
    commands = parser.add_subparsers(dest="command", required=True)
    report = commands.add_parser("report", help="render the figures as PNG, or one page of HTML")
    report.add_argument("results", nargs="+", help="several, or a folder of `lightrail sweep`, for a page alone")
    report.add_argument("--html", metavar="FILE", help="write one self-contained page instead of pictures")
    report.add_argument("--out", default="figures", help="folder of the pictures, made when missing")
    perfetto = commands.add_parser("perfetto", help="trace for ui.perfetto.dev")
    perfetto.add_argument("result")
    perfetto.add_argument("--out", default="trace.json.gz")
    perfetto.add_argument("--gpus", type=selected_gpus, help="as 0-7,16 (default: all that were recorded)")
    perfetto.add_argument("--from", dest="start", type=picoseconds, default=0,
                          help="simulated time with unit, as 1.5ms (default: the start)")
    perfetto.add_argument("--to", dest="end", type=picoseconds, help="simulated time (default: the end)")
    compare = commands.add_parser("compare", help="step times of several runs")
    compare.add_argument("results", nargs="+")
    compare.add_argument("--out", default="compare.png")
    parts = commands.add_parser("parts", help="where the steps of several runs go: compute, exchange of experts, host, bubble")
    parts.add_argument("results", nargs="+", help="RESULT or NAME=RESULT")
    parts.add_argument("--out", default="parts.png")
    grain = commands.add_parser("grain", help="trains against packet level: the errors of every cell")
    grain.add_argument("results", nargs="+", help="CELL.trains.h5 and CELL.packets.h5 of tools/grain-study, or a document with its table")
    grain.add_argument("--out", default="grain.png")
    serving = commands.add_parser("serving", help="throughput against latency, over the rate of requests")
    serving.add_argument("results", nargs="+",
                         help="runs of an inference job that differ in the rate of arrival")
    serving.add_argument("--out", default="serving.png")
    goodput = commands.add_parser("goodput", help="effective time over the checkpoint interval")
    goodput.add_argument("results", nargs="+", help="of lightrail goodput, with a <checkpoint>")
    goodput.add_argument("--out", default="goodput.png")
    validation = commands.add_parser("validation", help="error of every row that tools/validate has written, a panel a target")
    validation.add_argument("rows", help="results/validation.csv")
    validation.add_argument("--out", default="validation.png")
    validation.add_argument("--targets", nargs="+", help="only these, published and simulated values side by side")
    pxn = commands.add_parser("pxn", help="which fabrics gain from PXN in an all-to-all, or in a step")
    pxn.add_argument("tables", help="folder with pxn_all_to_all.csv or pxn_step.csv of lightrail sweep --jobs")
    pxn.add_argument("--steps", action="store_true", help="the study of steps, pxn_step")
    pxn.add_argument("--out", default="pxn.png")
    plans = commands.add_parser("plans", help="steps of plans over what their clusters cost")
    plans.add_argument("table", help="CSV of lightrail plan --out")
    plans.add_argument("--out", default="plans.png")
    for name, help_text in STUDIES.items():
        table = name.replace("-", "_")
        study = commands.add_parser(name, help=help_text)
        study.add_argument("tables", help=f"folder with {table}.csv, of lightrail sweep --jobs")
        study.add_argument("--out", default=f"{table}.png")
    diff = commands.add_parser("diff", help="exit 1 when two results differ apart from /run and /profile")
    diff.add_argument("results", nargs=2)
    show = commands.add_parser("show", help="print the summary and the sizes of the tables")
    show.add_argument("result")
    return parser.parse_args(arguments)


def _published(rows, options):
    from .validation import published_bars, published_markdown
    unknown = sorted(set(options.targets) - set(rows["target"]))
    if unknown:
        raise ValueError(f"{options.rows}: no target {', '.join(unknown)}")
    chosen = rows[rows["target"].isin(options.targets)]
    published_bars(chosen).savefig(options.out, dpi=110)
    print(published_markdown(chosen))


def main(arguments=None):
    options = _parse(arguments)
    if options.command == "diff":
        from .diff import differences
        found = differences(*options.results)
        print("\n".join(found) if found else "equal")
        return 1 if found else 0

    import matplotlib
    matplotlib.use("Agg")
    from . import (compare_steps, open_run, read_validation, serving_table, throughput_latency,
                   validation_panels, validation_table, write_perfetto)
    from .folders import open_runs
    if options.command == "report":
        _report(options)
    elif options.command == "perfetto":
        run = open_run(options.result)
        end = run.info.get("sim_end_ps", 2**63 - 1) if options.end is None else options.end
        if end <= options.start:
            raise ValueError(f"--to must lie after --from ({end} ps, {options.start} ps)")
        print(f"{write_perfetto(run, options.out, options.gpus, (options.start, end))} events in {options.out}")
    elif options.command == "compare":
        figure, table = compare_steps(open_runs(options.results))
        Path(options.out).parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(options.out, dpi=130)
        print(_readable(table).to_string())
    elif options.command == "parts":
        _step_parts(options)
    elif options.command == "grain":
        _grain(options)
    elif options.command == "serving":
        runs = open_runs(options.results)
        Path(options.out).parent.mkdir(parents=True, exist_ok=True)
        throughput_latency(runs).savefig(options.out, dpi=130)
        print(serving_table(runs).to_string(float_format="{:.4g}".format))
    elif options.command == "goodput":
        from . import best_intervals, effective_over_interval
        runs = open_runs(options.results)
        Path(options.out).parent.mkdir(parents=True, exist_ok=True)
        effective_over_interval(runs).savefig(options.out, dpi=110)
        print(best_intervals(runs).to_string(float_format="{:.4g}".format))
    elif options.command == "validation":
        rows = read_validation(options.rows)
        Path(options.out).parent.mkdir(parents=True, exist_ok=True)
        if options.targets:
            _published(rows, options)
        else:
            validation_panels(rows).savefig(options.out, dpi=110)
            print(validation_table(rows).to_string(float_format="{:.1f}".format))
    elif options.command == "pxn":
        from . import studies
        Path(options.out).parent.mkdir(parents=True, exist_ok=True)
        study = studies.pxn_step if options.steps else studies.pxn_all_to_all
        study(studies.read_study(options.tables, study.__name__)).savefig(options.out, dpi=110)
    elif options.command == "plans":
        from .plans import plans, read_plans
        Path(options.out).parent.mkdir(parents=True, exist_ok=True)
        plans(read_plans(options.table)).savefig(options.out, dpi=110)
    elif options.command in STUDIES:
        from . import studies
        Path(options.out).parent.mkdir(parents=True, exist_ok=True)
        studies.figure(options.command.replace("-", "_"), options.tables).savefig(options.out, dpi=110)
    else:
        _show(open_run(options.result))
    return 0


def command():
    """As a program: errors of the input are a line, not a trace."""
    try:
        sys.exit(main())
    except (OSError, ValueError, KeyError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    command()
