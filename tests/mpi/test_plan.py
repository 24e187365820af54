#!/usr/bin/python3
"""`lightrail plan` finds the same plans on any number of ranks, and its best runs as it says; with --over
each cluster has the plans that it has by itself.

usage: test_plan.py LIGHTRAIL SCENARIO
"""
import csv
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

LIGHTRAIL, SCENARIO = sys.argv[1:3]


def find(folder, ranks, *over, most=200):
    table = folder / f"{ranks}.csv"
    words = [LIGHTRAIL, "plan", SCENARIO, "--best", "2", "--most", str(most), *over, "--out", str(table)]
    if ranks > 1:
        words = ["mpiexec", "-n", str(ranks)] + words
    done = subprocess.run(words, text=True, capture_output=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, table.read_text()


def step_of(folder, plan):
    """The step of the scenario with these attributes, in picoseconds."""
    scenario = pathlib.Path(SCENARIO).read_text()
    for word in shlex.split(plan):
        name, value = word.split("=", 1)
        scenario = scenario.replace('kind="training"', f'kind="training" {name}="{value}"')
    path = folder / "best.xml"
    path.write_text(scenario)
    summary = folder / "best.json"
    done = subprocess.run([LIGHTRAIL, "run", path, "--out", folder / "best.h5", "--summary", summary], text=True,
                          capture_output=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(summary.read_text())["step_time_ps"]


def compare_clusters(folder):
    alone = {servers: list(csv.DictReader(find(folder, 1, "--set", f"servers={servers}", most=30)[1].splitlines()))
             for servers in (1, 2)}
    text, table = find(folder, 1, "--over", "servers=1,2", most=30)
    assert find(folder, 2, "--over", "servers=1,2", most=30) == (text, table), "2 ranks compare other plans"
    rows = list(csv.DictReader(table.splitlines()))
    for servers, expected in alone.items():
        assert [{key: row[key] for key in expected[0]} for row in rows if row["servers"] == str(servers)] == expected
    best = text.split("the best of each, the fastest first")[1].splitlines()[2:]
    assert [line.split("; ")[0].split()[-1] for line in best] == ["servers=2", "servers=1"], best


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text, table = find(folder, 1)
        for ranks in (2, 4):
            assert find(folder, ranks) == (text, table), f"{ranks} ranks find other plans"
        rows = list(csv.DictReader(table.splitlines()))
        steps = [int(row["formula_ps"]) for row in rows]
        assert len(rows) > 50 and steps == sorted(steps)
        best = rows[0]
        assert step_of(folder, best["plan"]) == int(best["trains_ps"]), best
        assert abs(int(best["formula_ps"]) / int(best["trains_ps"]) - 1) < 0.05, best
        compare_clusters(folder)
        print(text)


main()
