#!/usr/bin/python3
"""Files that others hold, fill up or take away: what a run says, and what it leaves.

usage: test_files.py LIGHTRAIL SCENARIO     a scenario that runs for much longer than a few seconds
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from named_cases import check, run_cases  # noqa: E402

LIMIT_S = 120  # far above what is needed: the tests wait for states, not for times


def start(command, folder, log, **how):
    with open(folder / log, "w") as out:
        return subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
                                stderr=subprocess.STDOUT, **how)


def wait_for(what, state):
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        if state():
            return
        time.sleep(0.05)
    raise AssertionError(f"{what}: not within {LIMIT_S} s")


def end(job):
    job.terminate()
    return job.wait(LIMIT_S)


def status_of(file):
    with h5py.File(file) as result:
        return result["run"].attrs["status"].decode()


class Bed:
    def __init__(self, lightrail, scenario, folder):
        self.lightrail, self.scenario, self.folder = lightrail, str(folder / "long.xml"), folder
        tree = xml.parse(scenario)  # rows are written at its end alone
        tree.getroot().remove(tree.getroot().find("output"))
        tree.write(self.scenario)

    def run(self, *words, ranks=1):
        """The command line of a run that says each second that it is alive."""
        return [*(["mpiexec", "-n", str(ranks)] if ranks > 1 else []), self.lightrail, "run", self.scenario,
                "--progress", "lines", *words]

    def started(self, *words, log="log", ranks=1, **how):
        job = start(self.run(*words, ranks=ranks), self.folder, log, **how)
        wait_for("the result file", lambda: (self.folder / "out.h5").exists() or job.poll() is not None)
        return job

    def done(self, *words, **how):
        return subprocess.run([self.lightrail, *words], cwd=self.folder, timeout=LIMIT_S, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, **how)


def two_runs_on_one_result(bed):
    first = bed.started("--out", "out.h5")
    try:
        second = bed.done("run", bed.scenario, "--out", "out.h5", "--exit-after", "1 s")
        check(second.returncode == 4, f"the second run ended with {second.returncode}\n{second.stderr}")
        check("result file 'out.h5': another run is writing it" in second.stderr, second.stderr)
        check(first.poll() is None, "the first run ended too")
    finally:
        code = end(first)
    check(code == 75, f"the first run ended with {code}")
    check(status_of(bed.folder / "out.h5") == "stopped", "the file is not the first run's")


def many_runs_on_one_result(bed):
    """As `srun` starts them without MPI: at one moment."""
    jobs = [start(bed.run("--out", "out.h5"), bed.folder, f"log{i}") for i in range(4)]
    try:
        wait_for("three refusals", lambda: sum(job.poll() is not None for job in jobs) >= 3)
    finally:
        for job in jobs:
            job.terminate()  # nothing where it has ended
    codes = sorted(job.wait(LIMIT_S) for job in jobs)
    check(codes == [4, 4, 4, 75], f"exit codes {codes}, wanted one run and three refusals")
    check(status_of(bed.folder / "out.h5") == "stopped", "the file is not one run's")


def two_runs_on_one_checkpoint_folder(bed):
    """Of different results: the folder is what they share."""
    words = ("--checkpoint", "saved", "--checkpoint-wall", "100 ms")
    first = bed.started("--out", "out.h5", *words)
    try:
        wait_for("a checkpoint", lambda: list(bed.folder.glob("saved/checkpoint-*.lr")))
        second = bed.done("run", bed.scenario, "--out", "other.h5", *words, "--exit-after", "3 s")
        check(second.returncode == 4, f"the second run ended with {second.returncode}\n{second.stderr}")
        check("checkpoint folder 'saved': another run writes there" in second.stderr, second.stderr)
    finally:
        code = end(first)
    check(code == 75, f"the first run ended with {code}")


def result_deleted(bed, ranks=1):
    """The run would go on for hours, and say at its end that nothing is there."""
    job = bed.started("--out", "out.h5", ranks=ranks)
    try:
        wait_for("a progress line", lambda: "progress" in (bed.folder / "log").read_text()
                 or job.poll() is not None)
        os.remove(bed.folder / "out.h5")
        wait_for("the end of the run", lambda: job.poll() is not None)
        text = (bed.folder / "log").read_text()
        check(job.returncode == 4, f"exit code {job.returncode}\n{text}")
        check("result file 'out.h5': it was deleted or replaced while the run was writing it" in text, text)
    finally:
        if job.poll() is None:
            end(job)


def result_deleted_of_three_ranks(bed):
    result_deleted(bed, 3)


def full_stdout(bed):
    for words in (["describe", "gpu"], ["--help"], ["validate", bed.scenario]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([bed.lightrail, *words], cwd=bed.folder, stdout=full, text=True,
                                  stderr=subprocess.PIPE, timeout=LIMIT_S)
        check(done.returncode == 4, f"{words}: exit code {done.returncode}")
        check("cannot write to standard output" in done.stderr, done.stderr)


def scenario_is_a_fifo(bed):
    os.mkfifo(bed.folder / "pipe.xml")
    for words in (["run", "pipe.xml"], ["validate", "pipe.xml"], ["sweep", "pipe.xml", "--list"]):
        done = bed.done(*words)
        check(done.returncode == 2, f"{words}: exit code {done.returncode}")
        check("cannot read 'pipe.xml' (it is a named pipe, not a file)" in done.stderr, done.stderr)


def out_of_memory(bed):
    """65,536 GPUs in three quarters of a gigabyte of addresses, of which MPI has taken a part."""
    tree = xml.parse(bed.scenario)
    tree.getroot().find("cluster").set("servers", "32768")
    fabric = tree.getroot().find("fabric")
    fabric.set("kind", "fat-tree")
    fabric.set("tiers", "3")
    for role in ("trunk", "core"):
        xml.SubElement(fabric, "link", role=role, catalogue="links/ndr_dr4")
    tree.write(bed.folder / "large.xml")

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (3 << 28, 3 << 28))
    done = bed.done("run", "large.xml", "--out", "out.h5", preexec_fn=limit)
    check(done.returncode == 4, f"exit code {done.returncode}\n{done.stderr}")
    check("out of memory" in done.stderr and "of this process" in done.stderr, done.stderr)


CASES = {
    "a second run on a result that is being written is refused, the first one goes on": two_runs_on_one_result,
    "of four runs that start on one result at once one runs": many_runs_on_one_result,
    "a second run on a folder of checkpoints is refused": two_runs_on_one_checkpoint_folder,
    "a result that is deleted during the run ends it": result_deleted,
    "a result that is deleted ends all three ranks": result_deleted_of_three_ranks,
    "a standard output that is full is exit code 4": full_stdout,
    "a scenario that is a named pipe is refused, not waited for": scenario_is_a_fifo,
    "memory that runs out is exit code 4": out_of_memory,
}


def main():
    lightrail, scenario = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])

    def call_in_a_folder(case):
        with tempfile.TemporaryDirectory() as folder:
            case(Bed(lightrail, scenario, pathlib.Path(folder)))

    # Under AddressSanitizer no limit can be set on memory, of which it reserves terabytes.
    left_out = {"memory that runs out is exit code 4"} if "--no-memory-limit" in sys.argv else set()
    return run_cases({name: case for name, case in CASES.items() if name not in left_out}, call_in_a_folder)


sys.exit(main())
