#!/usr/bin/python3
"""A run with --predict-ranks ends like one without, and says a row for each rank count in its text and in its
JSON summary.

usage: test_forecast.py LIGHTRAIL SCENARIO
"""
import pathlib
import sys
import tempfile

from run_equivalence import differences, load_summary, run, start

COUNTS = [2, 4]
OPTIONS = ["--predict-ranks", ",".join(map(str, COUNTS)), "--network", "2us,10GB/s"]
COLUMNS = ["ranks", "lookahead", "windows", "sent", "balance", "sync", "speedup", "efficiency", "wall"]


def table_of(text):
    """The lines from the forecast's heading on, each in words; a percent sign or a unit is one of them."""
    lines = [line.split() for line in text.splitlines()]
    first = next((i for i, words in enumerate(lines) if words[:1] == ["forecast"]), len(lines))
    return lines[first:]


def problems_of_text(text):
    table = table_of(text)
    if not table:
        return [f"no forecast in\n{text}"]
    problems = []
    if table[0][:9] != "forecast 2 us a message, 10 GB/s a rank;".split():
        problems.append(f"the network is not the one given: {' '.join(table[0])}")
    if table[1:2] != [COLUMNS]:
        problems.append(f"columns {table[1:2]}, wanted {COLUMNS}")
    if [words[0] for words in table[2:]] != [str(n) for n in COUNTS]:
        problems.append(f"rows {table[2:]}, wanted one for each of {COUNTS}")
    return problems


def problems_of_row(row):
    """A row's figures fit together, whatever the machine's speed."""
    near = {"wall_s": row["longest_s"] + row["sync_s"], "speedup": row["work_s"] / row["wall_s"],
            "efficiency": row["speedup"] / row["ranks"],
            "balance": row["work_s"] / row["ranks"] / row["longest_s"]}
    problems = [f"{row['ranks']} ranks: {name} {row[name]}, wanted {wanted}" for name, wanted in near.items()
                if abs(row[name] - wanted) > 1e-9 * wanted]
    # a window costs at least one latency of the network
    if not (row["windows"] > 0 and row["sent_events"] > 0 and row["sync_s"] >= 2e-6 * row["windows"]):
        problems.append(f"{row['ranks']} ranks: {row}")
    return problems


def main():
    lightrail, scenario = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        plain, plain_file = run(lightrail, scenario, folder, "plain", 1, [])
        code, text = start(lightrail, scenario, folder, "forecast", 1, OPTIONS)
        if code != 0:
            sys.exit(f"exit code {code}\n{text}")
        summary = load_summary(folder, "forecast")
        problems = differences(plain, summary, plain_file, folder / "forecast.h5") + problems_of_text(text)
        if plain["forecast"] != []:
            problems.append(f"a forecast nobody asked for: {plain['forecast']}")
        if [row["ranks"] for row in summary["forecast"]] != COUNTS:
            problems.append(f"rows of the summary: {summary['forecast']}")
        problems += [p for row in summary["forecast"] for p in problems_of_row(row)]
    print(("FAIL " if problems else "ok   ") + f"a forecast for {COUNTS} ranks"
          + "".join(f"\n     {p}" for p in problems))
    return 1 if problems else 0


sys.exit(main())
