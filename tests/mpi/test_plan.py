#!/usr/bin/python3
"""`lightrail plan` finds the same plans on any number of ranks, and its best runs as it says; with --over
each cluster has the plans that it has by itself.

usage: test_plan.py LIGHTRAIL SCENARIO
"""
import csv
import json
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import time

LIGHTRAIL, SCENARIO = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:3])


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


def tell_uneven_stages(folder):
    """Layers that do not divide: the plan's words have quotes, and the table stays one of CSV."""
    rows = list(csv.DictReader(find(folder, 1, "--set", "layers=6", most=60)[1].splitlines()))
    spread = [word for row in rows for word in shlex.split(row["plan"]) if word.startswith("stage-layers=")]
    assert "stage-layers=1x1 2x2 1x1" in spread, spread


def near_estimates(rows):
    """A small model is the worst case: what pipelines send is long beside its passes, and is left out."""
    near = [abs(int(row["estimate_ps"]) / int(row["formula_ps"]) - 1) for row in rows if row["estimate_ps"] != "-1"]
    assert len(near) > 50 and sum(near) / len(near) < 0.1, sum(near) / len(near)


def end_by_signal(folder):
    """A search that is told to end does so, and leaves nothing behind."""
    empty = folder / "empty"
    empty.mkdir()
    search = subprocess.Popen([LIGHTRAIL, "plan", SCENARIO, "--most", "5000"], cwd=empty,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1)
    search.send_signal(signal.SIGTERM)
    code = search.wait(timeout=30)
    assert code == -signal.SIGTERM and not list(empty.iterdir()), (code, list(empty.iterdir()))


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
        near_estimates(rows)
        tell_uneven_stages(folder)
        compare_clusters(folder)
        end_by_signal(folder)
        print(text)


main()
