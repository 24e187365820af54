#!/usr/bin/python3
"""Checkpoints of real scenarios: equal on any ranks and engine, and what goes on from them ends as if nothing
had been.

usage: test_checkpoint.py LIGHTRAIL SCENARIO...           short scenarios, some 20 runs of each
       test_checkpoint.py LIGHTRAIL --brief SCENARIO...   saved on one and two ranks, resumed on one and four
       test_checkpoint.py LIGHTRAIL --set NAME=VALUE... --brief SCENARIO      with these variables
       test_checkpoint.py LIGHTRAIL --kinds SCENARIO...   whether together they have every kind of component
"""
import pathlib
import re
import sys
import tempfile

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from run_equivalence import Runs, differences, load_summary, start  # noqa: E402

KEPT = 2


def same_bytes(a, b):
    """Texts, one a file of checkpoint folder `a` or `b` that is not the same in both."""
    names = sorted({f.name for f in a.iterdir()} | {f.name for f in b.iterdir()})
    return [f"{n}: differs from the one of a run on one rank" for n in names
            if not ((a / n).exists() and (b / n).exists() and (a / n).read_bytes() == (b / n).read_bytes())]


class Scenario:
    """All runs of one scenario; `problems` collects what is wrong."""

    def __init__(self, lightrail, scenario, folder, settings):
        self.folder, self.started = folder, Runs(lightrail, scenario, folder)
        self.settings = [word for setting in settings for word in ("--set", setting)]
        self.problems, self.runs = [], 0
        self.expected_file = folder / "expected.h5"
        code, log, self.expected = self.run(1, "expected", "--checkpoint", "none")
        assert code == 0, f"exit code {code}\n{log}"

    def start(self, name, ranks, options):
        return self.started.start(name, ranks, [*self.settings, *options])

    def outcome(self, name, started):
        """(exit code, output, summary or None)"""
        code, log = started.result()
        return code, log, load_summary(self.folder, name) if code in (0, 75) else None

    def run(self, ranks, name, *options):
        return self.outcome(name, self.start(name, ranks, options))

    def check_end(self, what, name, code, log, summary):
        """The run has ended like the uninterrupted one."""
        self.runs += 1
        if code != 0:
            self.problems.append(f"{what}: exit code {code}\n{log[-1500:]}")
            return
        found = differences(self.expected, summary, self.expected_file, self.folder / f"{name}.h5")
        self.problems += [f"{what}: {text}" for text in found]
        (self.folder / f"{name}.h5").unlink()

    def check_resumes(self, paths, on):
        """On each of `on` from each of `paths`, beside each other where there are cores."""
        resumed = []
        for path in paths:
            for ranks, *options in on:
                name = f"resumed-{len(resumed)}"
                resumed.append((f"going on from {path.name} on {ranks} ranks {' '.join(options)}", name,
                                self.start(name, ranks, ["--resume", str(path), "--checkpoint", "none",
                                                         *options])))
        for what, name, started in resumed:
            self.check_end(what, name, *self.outcome(name, started))

    def check_intervals(self, is_brief):
        """Runs that save and are not interrupted: saving must not change their results, and they save the
        same."""
        every_ps = self.expected["sim_end_ps"] // 3 + 1
        narrow = f"{self.expected['sim_end_ps'] // 5000 + 1} ps"
        ways = [("alone", 1, []), ("two", 2, [])]
        if not is_brief:
            ways += [("four", 4, []), ("reference", 1, ["--engine", "reference"]),
                     ("narrow", 2, ["--window", narrow, "--tile", "200 KiB", "--partitioner", "blocks"])]
        saving = []
        for name, ranks, options in ways:
            saved = ["--checkpoint", str(self.saved(name)), "--checkpoint-every", f"{every_ps} ps", *options]
            saving.append((f"saving on {ranks} ranks {' '.join(options)}", name,
                           self.start(name, ranks, saved)))
        for what, name, started in saving:
            self.check_end(what, name, *self.outcome(name, started))
            self.problems += [f"{name}: {text}" for text in same_bytes(self.saved("alone"), self.saved(name))]
        checkpoints = sorted(self.saved("alone").glob("checkpoint-*.lr"))
        if not 1 <= len(checkpoints) <= KEPT:  # 1: nothing happens in the last third
            self.problems.append(f"{len(checkpoints)} checkpoints kept, wanted 1 or {KEPT}")
        with_reference = [] if is_brief else [(1, "--engine", "reference")]
        self.check_resumes(checkpoints, [(1, "--tile", "200 KiB"), *with_reference, (4,)])

    def saved(self, name):
        return self.folder / f"saved-{name}"

    def check_wall_interval(self):
        """By wall time: the interval shrinks until the run, which may be fast one time and slow another, is
        longer than it."""
        saved, interval_us = self.saved("wall"), int(self.expected["wall_s"] * 1e6 / 4)
        while not saved.exists() and interval_us >= 1:
            result = self.run(2, "wall", "--checkpoint", str(saved), "--checkpoint-wall", f"{interval_us} us")
            self.check_end(f"saving every {interval_us} us of wall time", "wall", *result)
            interval_us //= 4
        if saved.exists():
            self.check_resumes([saved], [(4,)])
        else:
            self.problems.append("no checkpoint by wall time, however short its interval")

    def check_stop(self):
        """Stopped on two ranks after some wall time, wherever that is; no run ends before the first of these."""
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
                self.check_resumes([saved], [(1,), (4,)] if stopped == 1 else [(2,)])
        if stopped == 0:
            self.problems.append("--exit-after stopped no run, however short its time")


def check(lightrail, scenario, is_brief, settings):
    """All runs of a scenario; the number of those that went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        test = Scenario(lightrail, scenario, pathlib.Path(folder), settings)
        test.check_intervals(is_brief)
        if not is_brief:
            test.check_wall_interval()
            test.check_stop()
    problems = "".join(f"\n     {p}" for p in test.problems)
    print(f"{'FAIL' if problems else 'ok  '} {pathlib.Path(scenario).name}: {test.runs} runs with the tables of an "
          f"uninterrupted one{problems}", flush=True)
    return len(test.problems)


def kinds_of(lightrail, scenario):
    """Names of the kinds of components of a scenario."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        code, log = start(lightrail, scenario, folder, "kinds", 1, ["--stop-at", "1 ns", "--checkpoint", "none"])
        assert code == 0, f"exit code {code}\n{log}"
        with h5py.File(folder / "kinds.h5") as file:
            return {kind.decode().rstrip("\0") for kind in file["model/components/kind"][()]}


def check_kinds(lightrail, scenarios):
    """Every kind of component of the sources is in one of the scenarios; the number of those that are not."""
    sources = (pathlib.Path(__file__).resolve().parents[2] / "components").rglob("*.cpp")
    wanted = {name for source in sources
              for name in re.findall(r'kind->name = "([\w-]+)"', source.read_text())}
    assert len(wanted) > 5, f"the sources no longer name their kinds as this test reads them: {wanted}"
    missing = wanted.difference(*(kinds_of(lightrail, scenario) for scenario in scenarios))
    for kind in sorted(missing):
        print(f"FAIL no scenario has a component of kind {kind}: add one to the list in tests/mpi/CMakeLists.txt")
    return len(missing)


def main():
    lightrail, arguments = sys.argv[1], sys.argv[2:]
    if arguments[0] == "--kinds":
        return 1 if check_kinds(lightrail, arguments[1:]) else 0
    settings = []
    while arguments[0] == "--set":
        settings.append(arguments[1])
        arguments = arguments[2:]
    is_brief = arguments[0] == "--brief"
    scenarios = arguments[is_brief:]
    return 1 if sum(check(lightrail, scenario, is_brief, settings) for scenario in scenarios) else 0


sys.exit(main())
