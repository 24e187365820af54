#!/usr/bin/python3
"""Checkpoints of real scenarios: equal on any ranks and engine, and what goes on from them ends as if nothing had been.

usage: test_checkpoint.py LIGHTRAIL SCENARIO...     short scenarios that together have every kind of component
"""
import pathlib
import re
import sys
import tempfile

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from run_equivalence import differences, load_summary, start  # noqa: E402

KEPT = 2


def same_bytes(a, b):
    """Texts, one a file of checkpoint folder `a` or `b` that is not the same in both."""
    names = sorted({f.name for f in a.iterdir()} | {f.name for f in b.iterdir()})
    return [f"{n}: differs from the one of a run on one rank" for n in names
            if not ((a / n).exists() and (b / n).exists() and (a / n).read_bytes() == (b / n).read_bytes())]


class Scenario:
    """All runs of one scenario; `problems` collects what is wrong."""

    def __init__(self, lightrail, scenario, folder):
        self.lightrail, self.scenario, self.folder = lightrail, scenario, folder
        self.problems, self.runs = [], 0
        self.expected_file = folder / "expected.h5"
        code, log, self.expected = self.run(1, "expected", "--checkpoint", "none")
        assert code == 0, f"exit code {code}\n{log}"

    def run(self, ranks, name, *options):
        """(exit code, output, summary or None)"""
        code, log = start(self.lightrail, self.scenario, self.folder, name, ranks, options)
        return code, log, load_summary(self.folder, name) if code in (0, 75) else None

    def check_end(self, what, name, code, log, summary):
        """The run has ended like the uninterrupted one."""
        self.runs += 1
        if code != 0:
            self.problems.append(f"{what}: exit code {code}\n{log[-1500:]}")
            return
        found = differences(self.expected, summary, self.expected_file, self.folder / f"{name}.h5")
        self.problems += [f"{what}: {text}" for text in found]
        (self.folder / f"{name}.h5").unlink()

    def check_resumes(self, path, on):
        for ranks, *options in on:
            what = f"going on from {path.name} on {ranks} ranks {' '.join(options)}"
            result = self.run(ranks, "resumed", "--resume", str(path), "--checkpoint", "none", *options)
            self.check_end(what, "resumed", *result)

    def saved_by(self, name, ranks, every_ps, *options):
        """The folder of checkpoints of a run that is not interrupted; saving must not change its result."""
        saved = self.folder / f"saved-{name}"
        result = self.run(ranks, name, "--checkpoint", str(saved), "--checkpoint-every", f"{every_ps} ps", *options)
        self.check_end(f"saving on {ranks} ranks {' '.join(options)}", name, *result)
        return saved

    def check_intervals(self):
        every_ps = self.expected["sim_end_ps"] // 3 + 1
        alone = self.saved_by("alone", 1, every_ps)
        checkpoints = sorted(alone.glob("checkpoint-*.lr"))
        if not 1 <= len(checkpoints) <= KEPT:  # 1: nothing happens in the last third
            self.problems.append(f"{len(checkpoints)} checkpoints kept, wanted 1 or {KEPT}")
        narrow = f"{self.expected['sim_end_ps'] // 5000 + 1} ps"
        for name, ranks, options in (("two", 2, []), ("four", 4, []), ("reference", 1, ["--engine", "reference"]),
                                     ("narrow", 2, ["--window", narrow, "--tile", "200 KiB", "--partitioner", "blocks"])):
            saved = self.saved_by(name, ranks, every_ps, *options)
            self.problems += [f"{name}: {text}" for text in same_bytes(alone, saved)]
        for path in checkpoints:
            self.check_resumes(path, [(1, "--tile", "200 KiB"), (4,), (1, "--engine", "reference")])

    def check_wall_interval(self):
        """By wall time: the interval shrinks until the run, which may be fast one time and slow another, is longer than it."""
        saved, interval_us = self.folder / "saved-wall", int(self.expected["wall_s"] * 1e6 / 4)
        while not saved.exists() and interval_us >= 1:
            result = self.run(2, "wall", "--checkpoint", str(saved), "--checkpoint-wall", f"{interval_us} us")
            self.check_end(f"saving every {interval_us} us of wall time", "wall", *result)
            interval_us //= 4
        if saved.exists():
            self.check_resumes(saved, [(1,), (4,)])
        else:
            self.problems.append("no checkpoint by wall time, however short its interval")

    def check_stop(self):
        """Stopped on two ranks after some wall time, wherever that is; the first time no run can escape."""
        stopped = 0
        for wall in ("1 us", "2 ms", "40 ms"):
            saved = self.folder / ("stopped-" + wall.replace(" ", "-"))
            code, log, summary = self.run(2, "stopped", "--checkpoint", str(saved), "--exit-after", wall)
            if code == 0:
                continue  # it was faster
            stopped += code == 75
            if code != 75 or summary["status"] != "stopped" or not summary["checkpoint"].startswith(str(saved)):
                self.problems.append(f"--exit-after {wall}: exit code {code}, {summary}\n{log}")
            else:
                self.check_resumes(saved, [(1,), (4,)])
        if stopped == 0:
            self.problems.append("--exit-after stopped no run, however short its time")

    def kinds(self):
        with h5py.File(self.expected_file) as file:
            return {kind.decode().rstrip("\0") for kind in file["model/components/kind"][()]}


def main():
    lightrail, scenarios = sys.argv[1], sys.argv[2:]
    failed, kinds = 0, set()
    for scenario in scenarios:
        with tempfile.TemporaryDirectory() as folder:
            test = Scenario(lightrail, scenario, pathlib.Path(folder))
            test.check_intervals()
            test.check_wall_interval()
            test.check_stop()
            kinds |= test.kinds()
            print(("FAIL " if test.problems else "ok   ") + f"{pathlib.Path(scenario).name}: {test.runs} runs with the "
                  "tables of an uninterrupted one" + "".join(f"\n     {p}" for p in test.problems), flush=True)
            failed += bool(test.problems)
    sources = (pathlib.Path(__file__).resolve().parents[2] / "components").rglob("*.cpp")
    all_kinds = {name for source in sources for name in re.findall(r'kind->name = "([\w-]+)"', source.read_text())}
    if missing := all_kinds - kinds:
        print(f"FAIL no scenario here has components of kind {', '.join(sorted(missing))}: add one to this test")
        failed += 1
    return 1 if failed or not all_kinds else 0


sys.exit(main())
