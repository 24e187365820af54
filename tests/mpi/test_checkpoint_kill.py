#!/usr/bin/python3
"""A run that is killed by SIGKILL at random moments again and again, and goes on each time, ends like any
other.

usage: test_checkpoint_kill.py LIGHTRAIL SCENARIO [--set NAME=VALUE]...     a run of some seconds
"""
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from run_equivalence import differences, load_summary, run  # noqa: E402
from test_stop import children  # noqa: E402

KILLS, LIMIT_S = 4, 300
INTERVAL_PS = 200_000_000
UNITS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}


def newest(folder):
    return max(folder.glob("checkpoint-*.lr"), default=None)


def time_of(checkpoint):
    """[ps], as engine/checkpoint/checkpoint_format.hpp lays the head out."""
    return int.from_bytes(checkpoint.read_bytes()[88:96], "little") if checkpoint else 0


def last_progress(log):
    """Simulated time of the last progress line [ps]; 0 without."""
    found = re.findall(r"sim ([\d.]+)(ps|ns|us|ms|s) ", log)
    return int(float(found[-1][0]) * UNITS[found[-1][1]]) if found else 0


def wait_for_progress(job, log_file):
    """Until the first progress line, or the end."""
    end = time.monotonic() + LIMIT_S
    while not last_progress(log_file.read_text()) and job.poll() is None and time.monotonic() < end:
        time.sleep(0.02)


def run_until(command, lightrail, has_progress, after_s, log_file):
    """The exit code, or None when a rank was killed: `after_s` after the start or, if `has_progress`, after
    the first progress line."""
    with open(log_file, "w") as log:
        job = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
    try:
        if has_progress:
            wait_for_progress(job, log_file)
        code = job.wait(after_s)
    except subprocess.TimeoutExpired:
        workers = [pid for pid, exe in children(job.pid) if exe == os.path.realpath(lightrail)] or [job.pid]
        for pid in workers:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        job.wait(LIMIT_S)
        while any(os.path.exists(f"/proc/{pid}") for pid in workers):
            time.sleep(0.01)
        return None
    return code


def attempt_all(lightrail, scenario, options, folder, ranks_in_turn, chance):
    """Kills, and goes on, until it ends; returns (problems, kills). Every second kill, the first too, comes
    after a progress line, which says how far the run was at least: before one nothing can be said of what was
    lost."""
    saved, log, problems, kills, bounded, resumed = folder / "saved", folder / "log", [], 0, 0, 0
    while True:
        before = newest(saved)
        before_ps = time_of(before)
        resumed += before_ps > 0
        ranks = ranks_in_turn[kills % len(ranks_in_turn)]
        command = [lightrail, "run", scenario, "--out", folder / "killed.h5", "--summary",
                   folder / "killed.json", "--checkpoint", saved, "--checkpoint-every", f"{INTERVAL_PS} ps",
                   "--progress", "lines", *options, *(["--resume", saved] if before else [])]
        command = [str(part) for part in (["mpiexec", "-n", str(ranks)] if ranks > 1 else []) + command]
        is_last, has_progress = kills == KILLS, kills % 2 == 0
        after_s = LIMIT_S if is_last else chance.uniform(0, 0.5) if has_progress else chance.uniform(0.3, 2.0)
        code = run_until(command, lightrail, has_progress and not is_last, after_s, log)
        reached = last_progress(log.read_text())
        if code is not None:
            with h5py.File(folder / "killed.h5") as file:
                resumed_at = int(file["run"].attrs["resumed_at_ps"])
            if code != 0 or resumed_at != before_ps:
                problems.append(f"exit code {code}, resumed at {resumed_at}\n{log.read_text()}")
            break
        kills += 1
        bounded += reached > 0
        kept = time_of(newest(saved))
        if reached // INTERVAL_PS * INTERVAL_PS > kept:
            problems.append(f"had reached {reached} ps, but the newest checkpoint is of {kept} ps")
            break
    if bounded == 0:
        problems.append("no kill came after a progress line: nothing says what was lost")
    if resumed == 0:
        problems.append("no attempt went on from a checkpoint")
    return problems, kills


def main():
    lightrail, scenario, *options = sys.argv[1:]
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        expected, expected_file = run(lightrail, scenario, pathlib.Path(name), "expected", 1,
                                      [*options, "--checkpoint", "none"])
        for ranks_in_turn in ((1,), (2, 1, 3)):
            chance = random.Random(str(ranks_in_turn))
            with tempfile.TemporaryDirectory() as inner:
                folder = pathlib.Path(inner)
                problems, kills = attempt_all(lightrail, scenario, options, folder, ranks_in_turn, chance)
                if not problems:
                    problems = differences(expected, load_summary(folder, "killed"), expected_file,
                                           folder / "killed.h5")
            if kills == 0:
                problems.append("the run was too short to be killed")
            print(("FAIL " if problems else "ok   ")
                  + f"killed {kills} times on {ranks_in_turn} ranks in turn, the run "
                  "ends like one that never was" + "".join(f"\n     {p}" for p in problems), flush=True)
            failed += bool(problems)
    return 1 if failed else 0


sys.exit(main())
