#!/usr/bin/python3
"""A sweep as a study (`lightrail sweep FILE --jobs N`): killed, gone on, merged; failures; what runs once.

usage: test_sweep.py LIGHTRAIL SWEEP     a small scenario with a <sweep> over servers and length
"""
import csv
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from named_cases import check, run_cases_in_folders  # noqa: E402

LIMIT_S = 120


def call(lightrail, folder, *words, code=0):
    done = subprocess.run([lightrail, "sweep", *words], cwd=folder, text=True, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=LIMIT_S)
    check(done.returncode == code, f"exit code {done.returncode}, wanted {code}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def table(folder, name, of=""):
    return list(csv.DictReader((folder / f"{name}.sweep/{name}{of}.csv").read_text().splitlines()))


def summaries(folder):
    """{file: when it was written} of every complete point."""
    return {file: file.stat().st_mtime_ns for file in folder.glob("*.sweep/points/*/summary.json")}


def with_points(sweep, servers, lengths):
    """The text of the scenario, its <sweep> over these values."""
    text = pathlib.Path(sweep).read_text()
    text = re.sub('name="servers" values="[^"]*"', f'name="servers" values="{servers}"', text)
    return re.sub('name="length" values="[^"]*"', f'name="length" values="{lengths}"', text)


def forty_points(sweep, folder):
    lengths = "; ".join(f"{length} m" for length in range(1, 21))
    (folder / "s.xml").write_text(with_points(sweep, "2 4", lengths))


def stopped_by(number, lightrail, folder):
    """The study, told `number` when some of its points are done; its exit code when everything has ended."""
    job = subprocess.Popen([lightrail, "sweep", "s.xml", "--jobs", "2"], cwd=folder, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + LIMIT_S
    while len(summaries(folder)) < 5:
        check(job.poll() is None and time.monotonic() < end, "it ended before its fifth point")
        time.sleep(0.005)
    job.send_signal(number)
    return job.wait(LIMIT_S)


def check_goes_on(lightrail, folder):
    done = summaries(folder)
    check(5 <= len(done) < 40, f"{len(done)} points were done")
    said = call(lightrail, folder, "s.xml", "--jobs", "2")
    check("40 points: 40 complete, 0 failed, 0 not run" in said, said)
    check(said.count("point ") == 40 - len(done), "points were run twice or not at all\n" + said)
    after = summaries(folder)
    check(len(after) == 40 and all(after[file] == when for file, when in done.items()), "a summary was written anew")
    rows = table(folder, "s")
    check([row["length"] for row in rows[:3]] == ["1 m", "2 m", "3 m"] and rows[39]["servers"] == "4", rows[0])
    check({row["status"] for row in rows} == {"complete"} and len({row["hash"] for row in rows}) == 40, rows)
    said = call(lightrail, folder, "s.xml", "--merge")
    check(table(folder, "s") == rows, "a merge gives another table")
    check(len(table(folder, "s", "_collectives")) == 3 * 40, "collectives by size")


def killed_and_gone_on(lightrail, sweep, folder):
    forty_points(sweep, folder)
    check(stopped_by(signal.SIGKILL, lightrail, folder) == -signal.SIGKILL, "it was not killed")
    check_goes_on(lightrail, folder)


def interrupted_and_gone_on(lightrail, sweep, folder):
    forty_points(sweep, folder)
    check(stopped_by(signal.SIGINT, lightrail, folder) == 75, "exit code of an interrupted study")
    rows = table(folder, "s")
    check(len(rows) == 40 and {"complete", "not run"} == {row["status"] for row in rows}, rows)
    check_goes_on(lightrail, folder)


def results_are_those_of_runs(lightrail, sweep, folder):
    """On one rank, on two by mpiexec, and of `lightrail run` with the settings of a point."""
    (folder / "s.xml").write_text(pathlib.Path(sweep).read_text())
    call(lightrail, folder, "s.xml", "--jobs", "2")
    rows = table(folder, "s")
    (folder / "two.xml").write_text(pathlib.Path(sweep).read_text())
    call(lightrail, folder, "two.xml", "--jobs", "1", "--ranks", "2")
    two = table(folder, "two")
    check({row["ranks"] for row in two} == {"2"}, two)
    check([row["hash"] for row in rows] == [row["hash"] for row in two], "two ranks give another answer")
    for row in rows:
        done = subprocess.run([lightrail, "run", "s.xml", "--set", f"servers={row['servers']}", "--set",
                               f"length={row['length']}", "--out", "one.h5"], cwd=folder, capture_output=True, text=True)
        check(f"hash             {row['hash']}\n" in done.stdout, f"{row}\n{done.stdout}{done.stderr}")
        check((folder / "s.sweep" / row["result"]).exists(), row)


def failures_are_kept(lightrail, sweep, folder):
    """A port of an optical switch that fails in mid-run ends a point with exit code 3; one value is no time."""
    text = (pathlib.Path(sweep).parent / "failed_port.xml").read_text()
    text = text.replace("</scenario>", '<sweep><vary name="at" values="600 us; 100 s; soon"/></sweep></scenario>')
    (folder / "s.xml").write_text(text)
    said = call(lightrail, folder, "s.xml", "--jobs", "2", code=3)
    rows = table(folder, "s")
    check([row["status"] for row in rows] == ["exit code 3", "complete", "exit code 2"], f"{rows}\n{said}")
    check(rows[0]["error"].startswith("error: ") and rows[1]["error"] == "", rows)
    check("invalid time 'soon'" in rows[2]["error"] and "invalid time 'soon'" in said, rows[2])
    said = call(lightrail, folder, "s.xml", "--jobs", "2", code=3)
    check("point 2: at=soon" in said and "point 0" not in said, "the system fails the same every time\n" + said)


def killed_runs_are_tried_again(lightrail, sweep, folder):
    """A launcher that a signal ends the first time it is called for a point."""
    (folder / "s.xml").write_text(with_points(sweep, "2", "2 m; 3 m"))
    (folder / "launch").write_text(f'#!/bin/sh\nmkdir "{folder}/$(echo "$*" | md5sum | cut -c1-8)" 2>/dev/null && kill -9 $$\n'
                                   'exec "$@"\n')
    (folder / "launch").chmod(0o755)
    words = ["s.xml", "--jobs", "1", "--launch", str(folder / "launch")]
    call(lightrail, folder, *words, "--only", "length=2 m", code=137)
    check([row["status"] for row in table(folder, "s")] == ["exit code 137", "not run"], table(folder, "s"))
    call(lightrail, folder, *words, "--only", "length=2 m")
    call(lightrail, folder, *words, "--retry", "1")
    check({row["status"] for row in table(folder, "s")} == {"complete"}, table(folder, "s"))


def what_has_not_changed_is_not_run(lightrail, sweep, folder):
    def run(servers="2", lengths="2 m; 3 m", size="4 MB", options=()):
        text = with_points(sweep, servers, lengths).replace('to="4 MB"', f'to="{size}"')
        (folder / "s.xml").write_text(text)
        said = call(lightrail, folder, "s.xml", "--jobs", "2", "--summary-only", *options)
        return [line.split(": ")[1].split("   ")[0] for line in sorted(said.splitlines()) if line.startswith("[")]

    check(len(run()) == 2, "the first time")
    check(run() == [], "nothing has changed")
    check(run(lengths="1 m; 2 m; 3 m") == ["servers=2 length=1 m"], "a point more")
    check(len(run(size="2 MB")) == 2, "another workload")
    check(len(run(options=["--seed", "5"])) == 2, "another seed")
    check(run(options=["--engine", "reference"]) == [], "an engine changes no result")
    check(not list(folder.glob("*.sweep/points/*/result.h5")), "--summary-only keeps results")


def points_by_value(lightrail, sweep, folder):
    (folder / "s.xml").write_text(pathlib.Path(sweep).read_text())
    call(lightrail, folder, "s.xml", "--jobs", "2", "--only", "servers=2", "--only", "length=3 m")
    check([row["status"] for row in table(folder, "s")] == ["not run", "complete", "not run", "not run"], "--only")
    call(lightrail, folder, "s.xml", "--jobs", "2", "--case", "3")
    check([row["status"] for row in table(folder, "s")][3] == "not run", "--case leaves the tables to the merge")
    call(lightrail, folder, "s.xml", "--merge")
    check([row["status"] for row in table(folder, "s")][3] == "complete", "--merge")
    for words, wanted in ((["--only", "server=2"], r"option --only: 'server=2' is no NAME=VALUE of what the sweep varies "
                                                   r"\(servers, length\)"),
                          (["--only", "servers=3"], "option --only: the sweep has no point with servers=3"),
                          (["--case", "4"], r"option --case: '4' is out of range \(0 \.\.\. 3\)")):
        said = call(lightrail, folder, "s.xml", "--jobs", "2", *words, code=2)
        check(re.search(wanted, said), said)
    (folder / "file").write_text("")
    said = call(lightrail, folder, "s.xml", "--jobs", "2", "--out", "file", code=4)
    check("error: cannot make the folder" in said, said)


def tables_of_others_stay(lightrail, sweep, folder):
    (folder / "s.xml").write_text(pathlib.Path(sweep).read_text())
    (folder / "all").mkdir()
    for name in ("s_other.csv", "s_other_iterations.csv", "s_waits.csv"):
        (folder / "all" / name).write_text("somebody's")
    call(lightrail, folder, "s.xml", "--jobs", "2", "--out", "all", "--only", "length=3 m")
    left = sorted(file.name for file in (folder / "all").glob("*.csv"))
    check({"s.csv", "s_other.csv", "s_other_iterations.csv", "s_iterations.csv"} <= set(left), left)
    check((folder / "all/s_other.csv").read_text() == "somebody's", "it was written")


CASES = {
    "a study of 40 points that is killed goes on where it was": killed_and_gone_on,
    "a study that is interrupted ends with code 75 and goes on": interrupted_and_gone_on,
    "a point gives what a run of it gives, on any number of ranks": results_are_those_of_runs,
    "failures stand in the table with what they said": failures_are_kept,
    "a run that was killed is tried again with the next call, or at once": killed_runs_are_tried_again,
    "what has not changed is not run again": what_has_not_changed_is_not_run,
    "points are chosen by value or number": points_by_value,
    "tables of other studies in the folder stay": tables_of_others_stay,
}


sys.exit(run_cases_in_folders(CASES, *(str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])))
