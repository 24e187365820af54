#!/usr/bin/python3
"""The engine's cost grows as the work does: instructions an event on more and more GPUs, within 1.3.

usage: test_growth.py LIGHTRAIL SCENARIOS KIND GPUS...

KIND: all-to-all (every GPU sends 16 KiB to every other one), all-gather (rings over all GPUs) or step (a
training step with pipeline, tensor and expert parallelism). Instructions are counted by valgrind (callgrind)
and only within the engine, from the first event to the last: a count, no time, so it is the same on a busy
machine. More GPUs change nothing of what an event has to do, so a ratio beyond 1.3 means that something goes
over all of a GPU's messages, flows or operations at each event. Without valgrind: exit code 77.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LIGHTRAIL, SCENARIOS, KIND = sys.argv[1:4]
SIZES = [int(word) for word in sys.argv[4:]]
BOUND = 1.3
ENGINE = "lightrail::run_window_engine*"


def settings(gpus):
    if KIND == "step":
        return ["growth_step.xml", f"gpus={gpus}"]
    if KIND == "all-to-all":
        return ["growth.xml", f"gpus={gpus}", f"size={16 * gpus} KiB"]
    # A ring has as many steps as GPUs: equal blocks for all sizes.
    return ["growth.xml", f"gpus={gpus}", "collective=all-gather", "algorithm=ring", f"size={16 * gpus} KiB"]


def measure(gpus, folder):
    """(instructions within the engine, events)"""
    file, *words = settings(gpus)
    command = ["valgrind", "--tool=callgrind", f"--toggle-collect={ENGINE}",
               f"--callgrind-out-file={folder / 'callgrind'}", LIGHTRAIL, "run",
               pathlib.Path(SCENARIOS) / file, "--out", folder / "run.h5", "--progress", "none"]
    for word in words:
        command += ["--set", word]
    # As lightrail sets it for itself; otherwise it would start itself anew, out of valgrind's sight.
    environment = {**os.environ, "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment,
                          timeout=3000)
    assert done.returncode == 0, done.stdout + done.stderr
    events = int(re.search(r"^events +(\d+) ", done.stdout, re.M).group(1))
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1)), events


def main():
    if not shutil.which("valgrind"):
        print("valgrind is not there: nothing was counted")
        return 77
    cost = {}
    with tempfile.TemporaryDirectory() as name:
        for gpus in SIZES:
            instructions, events = measure(gpus, pathlib.Path(name))
            cost[gpus] = instructions / events
            print(f"{KIND}, {gpus} GPUs: {events} events, {cost[gpus]:.0f} instructions an event", flush=True)
            assert instructions > 100 * events, "the engine's instructions were not counted"
    least = min(cost.values())
    dear = {gpus: f"{each / least:.2f}" for gpus, each in cost.items() if each > BOUND * least}
    assert not dear, f"an event costs more than {BOUND} times the least: {dear}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
