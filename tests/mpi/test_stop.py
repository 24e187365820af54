#!/usr/bin/python3
"""Signals and deaths of one rank: no hang, and the file says honestly how the run ended.

usage: test_stop.py LIGHTRAIL SCENARIO     a scenario that runs for much longer than a few seconds
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import h5py

START_S, END_S = 120, 120  # limits, far above what is needed; the test waits for states, not for times


def children(pid):
    """The processes below `pid`, with their commands."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                found.setdefault(int(fields[1]), []).append((int(entry.name), os.readlink(entry / "exe")))
            except OSError:
                continue  # it ended meanwhile, or is not ours
    todo, below = [pid], []
    while todo:
        for child in found.get(todo.pop(), []):
            below.append(child)
            todo.append(child[0])
    return below


def wait_for(what, state, limit_s):
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        value = state()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"{what}: not within {limit_s} s")


def status_of(file):
    """@status, or None when HDF5 cannot read the file."""
    try:
        with h5py.File(file) as result:
            status = result["run"].attrs["status"]
            return status.decode() if isinstance(status, bytes) else str(status)
    except (OSError, KeyError):
        return None


def stop_one_of(lightrail, scenario, ranks, number, folder):
    """Sends signal `number` to one rank while all of them simulate; returns (exit code, output, result
    file)."""
    file, log = folder / "result.h5", folder / "log"
    command = ["mpiexec", "-n", str(ranks), lightrail, "run", scenario, "--out", str(file), "--progress",
               "lines"]
    with open(log, "w") as out:
        job = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
    try:
        wait_for("a progress line", lambda: "\nprogress" in "\n" + log.read_text() or job.poll() is not None,
                 START_S)
        assert job.poll() is None, f"ended by itself:\n{log.read_text()}"
        workers = [pid for pid, exe in children(job.pid) if exe == os.path.realpath(lightrail)]
        assert len(workers) == ranks, f"{len(workers)} ranks found, {ranks} expected"
        os.kill(sorted(workers)[ranks // 2], number)
        wait_for("the end of mpiexec", lambda: job.poll() is not None, END_S)
        left = wait_for("the end of every rank",
                        lambda: not any(os.path.exists(f"/proc/{w}") for w in workers), END_S)
        assert left
    finally:
        if job.poll() is None:
            job.kill()
        job.wait()
    return job.returncode, log.read_text(), file


def main():
    lightrail, scenario = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
    failed = 0

    def case(name, number, check):
        nonlocal failed
        with tempfile.TemporaryDirectory() as folder:
            try:
                code, output, file = stop_one_of(lightrail, scenario, 4, number, pathlib.Path(folder))
                problems = check(code, output, file)
            except AssertionError as error:
                problems, output = [str(error)], ""
        print(("FAIL " if problems else "ok   ") + name + "".join(f"\n     {p}" for p in problems))
        if problems:
            print(output[-2000:])
        failed += bool(problems)

    def stopped(code, output, file):
        problems = [] if code == 75 else [f"exit code {code}, wanted 75"]
        if status_of(file) != "stopped":
            problems.append(f"@status is {status_of(file)!r}, wanted 'stopped'")
        if len(list(pathlib.Path(f"{file}.checkpoint").glob("checkpoint-*.lr"))) != 1:
            problems.append("no checkpoint to go on from")
        return problems

    def killed(code, output, file):
        problems = [] if code != 0 else ["exit code 0 although a rank was killed"]
        if status_of(file) != "running":
            problems.append(f"@status is {status_of(file)!r}, wanted 'running', as of a run that never ended")
        return problems

    case("SIGTERM to one rank of four stops all at one window with everything written", signal.SIGTERM,
         stopped)
    case("SIGINT to one rank of four does the same", signal.SIGINT, stopped)
    case("SIGUSR1 to one rank of four does the same", signal.SIGUSR1, stopped)
    case("a rank of four killed by SIGKILL ends the job and the file says it never ended", signal.SIGKILL,
         killed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
