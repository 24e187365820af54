#!/usr/bin/python3
"""What people start under Slurm, in a real one (slurm_bed.py). Code 77, skipped, where there can be none.

usage: test_slurm_cluster.py LIGHTRAIL SCENARIO SWEEP
"""
import csv
import os
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import slurm_bed  # noqa: E402
from named_cases import check, run_cases  # noqa: E402
from run_equivalence import differences, load_summary, run  # noqa: E402

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scenarios/slurm"
ENDED = ["COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL"]
# The program with its limit of time in a job's first two lives, and with none to speak of in the third.
STOPPED_TWICE = """#!/bin/bash
if [ "${{SLURM_RESTART_COUNT:-0}}" -ge 2 ]; then
  for word; do
    shift
    [ "$word" = "{limit}" ] && word="1 h"
    set -- "$@" "$word"
  done
fi
exec {lightrail} "$@"
"""


class Bed:
    def __init__(self, cluster, lightrail, scenario, sweep):
        self.cluster, self.lightrail, self.scenario, self.sweep = cluster, lightrail, scenario, sweep
        self.folder = cluster.folder
        self.expected = run(lightrail, scenario, self.folder, "expected", 1, ["--checkpoint", "none"])

    def submit(self, script, *words, limit, tasks=2, options=(), lightrail=None):
        return self.cluster.submit(
            "--ntasks-per-node", str(tasks), "--ntasks", str(tasks), "--output", f"{self.folder}/%A_%a.log",
            *options, str(SCRIPTS / script), *words,
            environment={"LIGHTRAIL": str(lightrail or self.lightrail), "LIGHTRAIL_EXIT_AFTER": limit})

    def log(self, job):
        return "".join(file.read_text() for file in sorted(self.folder.glob(f"{job}_*.log")))

    def check_result(self, job, name, expected=None):
        summary, file = expected or self.expected
        results = self.folder / "results"
        check((results / f"{name}.json").exists(), f"no summary {name}: {self.log(job)}")
        found = differences(summary, load_summary(results, name), file, results / f"{name}.h5")
        check(not found, "\n".join(found))
        check(not (results / f"{name}.checkpoint").exists(), "checkpoints of a finished run are still there")


def srun_by_default(bed):
    """MpiDefault=none: four tasks that know nothing of each other."""
    try:
        bed.cluster.say("srun", "-n", "4", bed.lightrail, "run", bed.scenario, "--out", "plain.h5")
    except AssertionError as refused:
        check("srun has started 4 tasks, but for MPI each is alone" in str(refused), refused)
        check("srun --mpi=pmi2" in str(refused), refused)
        check("code 2" in str(refused), refused)
        check(not (bed.folder / "plain.h5").exists(), "a result was begun")
        return
    raise AssertionError("four runs on one file were let through")


def srun_with_pmi2(bed):
    text = bed.cluster.say("srun", "--mpi=pmi2", "-n", "2", bed.lightrail, "run", bed.scenario, "--out",
                           "joined.h5", "--progress", "none")
    check("on 2 ranks" in text and bed.expected[0]["hash"] in text, text)


def requeue_to_the_end(bed):
    """Stopped twice, whatever the machine's speed: with one limit for all its lives, a job on a slow machine
    may get no further in any of them."""
    options, limit = ["--set", "iterations=40"], "20 ms"
    expected = run(bed.lightrail, bed.scenario, bed.folder, "whole", 1, [*options, "--checkpoint", "none"])
    program = bed.folder / "lightrail"
    program.write_text(STOPPED_TWICE.format(limit=limit, lightrail=bed.lightrail))
    program.chmod(0o700)
    job = bed.submit("run.sbatch", bed.scenario, *options, "--progress", "none", limit=limit,
                     lightrail=program)
    text = bed.cluster.wait(job, ENDED, 600)
    check(slurm_bed.field(text, "JobState") == "COMPLETED", text + bed.log(job))
    check(slurm_bed.field(text, "Restarts") == "2", text + bed.log(job))
    bed.check_result(job, pathlib.Path(bed.scenario).stem + "-iterations=40_--progress_none", expected)


def cancel_and_go_on(bed):
    """By the same sbatch again, and nothing said of checkpoints."""
    name, options = pathlib.Path(bed.scenario).stem + "-iterations=40", ["--set", "iterations=40"]
    expected = run(bed.lightrail, bed.scenario, bed.folder, "long", 1, [*options, "--checkpoint", "none"])
    job = bed.submit("run.sbatch", bed.scenario, *options, limit="1 h")
    end = time.monotonic() + 120
    while not (bed.folder / "results" / f"{name}.h5").exists():
        check(time.monotonic() < end, "it does not start: " + bed.log(job))
        time.sleep(0.02)
    bed.cluster.say("scancel", job)
    text = bed.cluster.wait(job, ENDED)
    check(slurm_bed.field(text, "JobState") == "CANCELLED", text)
    while bed.cluster.say("squeue", "--noheader", "--jobs", job).strip():  # it ends in its own time
        check(time.monotonic() < end, "it does not end: " + bed.log(job))
        time.sleep(0.1)
    saved = bed.folder / "results" / f"{name}.checkpoint"
    check(list(saved.glob("checkpoint-*.lr")), "no checkpoint of the cancelled run: " + bed.log(job))
    again = bed.submit("run.sbatch", bed.scenario, *options, limit="1 h")
    check(slurm_bed.field(bed.cluster.wait(again, ENDED), "JobState") == "COMPLETED", bed.log(again))
    bed.check_result(again, name, expected)


def array_of_a_sweep(bed):
    """A task a point, then one merge: the same rows as from one call with processes of its own."""
    listed = bed.cluster.say(bed.lightrail, "sweep", bed.sweep, "--list").splitlines()
    job = bed.submit("study.sbatch", bed.sweep, limit="1 h", options=["--array", f"0-{len(listed) - 1}"])
    for i in range(len(listed)):
        text = bed.cluster.wait(f"{job}_{i}", ENDED)
        check(slurm_bed.field(text, "JobState") == "COMPLETED", text + bed.log(job))
    name = pathlib.Path(bed.sweep).stem
    said = bed.cluster.say(bed.lightrail, "sweep", bed.sweep, "--merge", "--out", f"results/{name}")
    check(f"{len(listed)} points: {len(listed)} complete, 0 failed, 0 not run" in said, said)
    bed.cluster.say(bed.lightrail, "sweep", bed.sweep, "--jobs", "2", "--out", "alone")
    rows, alone = (list(csv.DictReader((bed.folder / folder / f"{name}.csv").read_text().splitlines()))
                   for folder in (f"results/{name}", "alone"))
    for row, expected in zip(rows, alone, strict=True):
        check(row["ranks"] == "2" and row["hash"] == expected["hash"], f"{row}, wanted {expected}")


def array_of_settings(bed):
    (bed.folder / "settings.txt").write_text("length=10 m; servers=2\nservers=3\n")
    job = bed.submit("study.sbatch", bed.sweep, "settings.txt", limit="1 h", options=["--array", "1-2"])
    for i, settings in [(1, ["--set", "length=10 m", "--set", "servers=2"]), (2, ["--set", "servers=3"])]:
        text = bed.cluster.wait(f"{job}_{i}", ENDED)
        check(slurm_bed.field(text, "JobState") == "COMPLETED", text + bed.log(job))
        summary, _ = run(bed.lightrail, bed.sweep, bed.folder, f"set{i}", 1, settings)
        found = load_summary(bed.folder / "results", f"{pathlib.Path(bed.sweep).stem}-{i}")
        check(found["hash"] == summary["hash"], f"line {i}: {found['hash']}, wanted {summary['hash']}")


CASES = {
    "srun as Slurm has it by default is refused, and says what to do": srun_by_default,
    "srun --mpi=pmi2 joins its ranks": srun_with_pmi2,
    "run.sbatch goes back into the queue until its run is done": requeue_to_the_end,
    "a cancelled job goes on when it is submitted again": cancel_and_go_on,
    "a job array runs the points of a sweep": array_of_a_sweep,
    "a job array runs the lines of a file of settings": array_of_settings,
}


def main():
    if why := slurm_bed.hindrance():
        print(f"skipped: {why}")
        return 77
    paths = [os.path.realpath(path) for path in sys.argv[1:4]]
    with tempfile.TemporaryDirectory() as folder, slurm_bed.cluster(folder) as cluster:
        bed = Bed(cluster, *paths)
        return run_cases(CASES, lambda case: case(bed))


sys.exit(main())
