#!/usr/bin/python3
"""One scenario, every engine and number of ranks, one answer.

usage: run_equivalence.py LIGHTRAIL SCENARIO... [--ranks 1,2,3,4] [--set NAME=VALUE]...

Runs the reference engine and windows on each number of ranks, one and two with small tiles; compares status,
hash, events and end time of the JSON summaries, and the HDF5 files with h5diff, all but /run and /profile.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "postprocess"))
from lightrail_post.diff import differences as file_differences  # noqa: E402

SAME = ["status", "hash", "events", "sim_end_ps", "whole_cluster"]
TIMEOUT_S = 900
SMALL_TILES = ["--tile", "200 KiB"]  # a server of eight GPUs


def start(lightrail, scenario, folder, name, ranks, options):
    """Runs once, into FOLDER/NAME.h5 and .json; returns (exit code, output)."""
    command = [lightrail, "run", scenario, "--out", folder / f"{name}.h5", "--summary",
               folder / f"{name}.json", "--progress", "none", *options]
    if ranks > 1:
        command = ["mpiexec", "-n", str(ranks), *command]
    done = subprocess.run([str(c) for c in command], timeout=TIMEOUT_S, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


class Runs:
    """Runs of one scenario beside each other: each takes as many cores as it has ranks, or all there are, and
    begins after those that were asked for before it have begun."""

    def __init__(self, lightrail, scenario, folder):
        self.lightrail, self.scenario, self.folder = lightrail, scenario, folder
        self.free = self.cores = os.cpu_count()
        self.asked, self.begun, self.change = 0, 0, threading.Condition()
        self.pool = concurrent.futures.ThreadPoolExecutor(max_workers=32)

    def start(self, name, ranks, options):
        """A future of what start() returns."""
        number, self.asked = self.asked, self.asked + 1
        return self.pool.submit(self._run, number, min(ranks, self.cores), name, ranks, options)

    def _run(self, number, cores, name, ranks, options):
        with self.change:
            self.change.wait_for(lambda: self.begun == number and self.free >= cores)
            self.begun, self.free = self.begun + 1, self.free - cores
            self.change.notify_all()
        try:
            return start(self.lightrail, self.scenario, self.folder, name, ranks, options)
        finally:
            with self.change:
                self.free += cores
                self.change.notify_all()


def load_summary(folder, name):
    return json.loads((folder / f"{name}.json").read_text())


def result_of(folder, name, code, log):
    """(summary, result file) of a run. One that fails alike everywhere is no equivalence test."""
    if code != 0:
        sys.exit(f"{name}: exit code {code}\n{log}")
    return load_summary(folder, name), folder / f"{name}.h5"


def run(lightrail, scenario, folder, name, ranks, options):
    """Runs once; returns (summary, result file)."""
    return result_of(folder, name, *start(lightrail, scenario, folder, name, ranks, options))


def differences(expected, summary, expected_file, file):
    found = [f"{key}: {summary[key]}, reference {expected[key]}" for key in SAME if summary[key]
             != expected[key]]
    diff = subprocess.run(["h5diff", "--exclude-path", "/run", "--exclude-path", "/profile", expected_file,
                           file], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if diff.returncode != 0:
        found.append("h5diff:\n" + diff.stdout[:2000])
    # h5diff passes over datasets of different shape; this does not.
    return found + file_differences(expected_file, file)[:10]


def compare(lightrail, scenario, ranks, options, variants=()):
    """True when all runs agree; prints one line a run. A variant: (name, ranks, more options)."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        runs = Runs(lightrail, scenario, folder)
        reference = runs.start("reference", 1, ["--engine", "reference", *options])
        by_ranks = [(f"{n} ranks", n, SMALL_TILES if n <= 2 else []) for n in ranks]
        others = [(name, name.replace(" ", "-"), n, more + options)
                  for name, n, more in by_ranks + list(variants)]
        others = [(name, file_name, runs.start(file_name, n, settings))
                  for name, file_name, n, settings in others]
        expected, expected_file = result_of(folder, "reference", *reference.result())
        print(f"{pathlib.Path(scenario).name}: {expected['events']} events, hash {expected['hash']}",
              flush=True)
        agree = True
        for name, file_name, other in others:
            summary, file = result_of(folder, file_name, *other.result())
            found = differences(expected, summary, expected_file, file)
            print(f"  {name}: " + ("the same" if not found else "DIFFERENT\n    " + "\n    ".join(found)),
                  flush=True)
            agree = agree and not found
            file.unlink()
    return agree


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lightrail")
    parser.add_argument("scenario", nargs="+")
    parser.add_argument("--ranks", default="1,2,3,4")
    parser.add_argument("--set", action="append", default=[])
    arguments = parser.parse_args()
    options = [part for setting in arguments.set for part in ("--set", setting)]
    ranks = [int(n) for n in arguments.ranks.split(",")]
    results = [compare(arguments.lightrail, scenario, ranks, options) for scenario in arguments.scenario]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
