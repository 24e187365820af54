#!/usr/bin/python3
"""Commands that do more than one run: all points of a sweep, the description of a scenario.

usage: test_commands.py LIGHTRAIL SWEEP     a small scenario with a <sweep> over servers and length
"""
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from named_cases import check, run_cases_in_folders  # noqa: E402


def call(lightrail, folder, *words, ranks=1):
    start = ["mpiexec", "-n", str(ranks)] if ranks > 1 else []
    return subprocess.run([*start, lightrail, *words], cwd=folder, text=True, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=300)


def hash_of(text):
    return [line.split()[1] for line in text.splitlines() if line.startswith("hash")]


def sweep_runs_all_points(lightrail, sweep, folder):
    done = call(lightrail, folder, "sweep", sweep, "--out", "x.h5", "--summary", "x.json")
    check(done.returncode == 0, done.stderr)
    names = sorted(path.name for path in folder.iterdir())
    check(names == sorted(f"x-{i}.{end}" for i in range(4) for end in ("h5", "json")), names)
    points = [line for line in done.stdout.splitlines() if line.startswith("point ")]
    check(points[:2] == ["point 0: servers=2 length=2 m", "point 1: servers=2 length=3 m"], points)
    alone = call(lightrail, folder, "sweep", sweep, "--case", "3")
    check(alone.returncode == 0 and (folder / f"{pathlib.Path(sweep).stem}-3.h5").exists(), alone.stderr)
    found = [json.loads((folder / f"x-{i}.json").read_text())["hash"] for i in range(4)]
    check(hash_of(done.stdout) == found and len(set(found)) == 4, found)
    check(hash_of(alone.stdout) == found[3:], "--case 3 gives another answer")
    two = call(lightrail, folder, "sweep", sweep, "--out", "y.h5", ranks=2)
    check(hash_of(two.stdout) == found, "two ranks give another answer")


def sweep_goes_on_after_a_failed_point(lightrail, sweep, folder):
    """A port of an optical switch that fails in mid-run ends the first point with exit code 3."""
    text = (pathlib.Path(sweep).parent / "failed_port.xml").read_text()
    text = text.replace("</scenario>", '<sweep><vary name="at" values="600 us; 100 s"/></sweep></scenario>')
    (folder / "s.xml").write_text(text)
    done = call(lightrail, folder, "sweep", "s.xml")
    check(done.returncode == 3, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    check(len(hash_of(done.stdout)) == 1, "the second point was not run\n" + done.stdout + done.stderr)


def describe_tells_what_a_scenario_is(lightrail, sweep, folder):
    done = call(lightrail, folder, "describe", sweep)
    check(done.returncode == 0, done.stderr)
    for wanted in ("scenario           sweep", "  length             2 m", "  servers            2",
                   "gpu -> nvswitch", 'workload           <workload kind="collective"',
                   "sweep              4 points of servers, length", "result             sweep.h5", "ops"):
        check(wanted in done.stdout, f"no '{wanted}' in\n{done.stdout}")
    four = call(lightrail, folder, "describe", sweep, "--set", "servers=4")
    check("  servers            4" in four.stdout, four.stdout + four.stderr)


def a_slow_run_says_so(lightrail, sweep, folder):
    """64 GB on 2 servers, packet by packet, stopped by the clock; and no word of a small one."""
    text = pathlib.Path(sweep).read_text()
    slow = text.replace('from="1 MB" to="4 MB"', 'from="64 GB" to="64 GB"')
    (folder / "slow.xml").write_text(slow.replace("<workload", '<network grain="1" nvlink-grain="1"/><workload'))
    done = call(lightrail, folder, "run", "slow.xml", "--exit-after", "1 s")
    check(done.returncode == 75, f"exit code {done.returncode}\n{done.stderr}")
    for wanted in ("note: some ", "events are ahead, about ", "a train has 1 packet; <network grain=\"16\">",
                   "more ranks give the same answer sooner"):
        check(wanted in done.stderr, f"no '{wanted}' in\n{done.stderr}")
    quiet = call(lightrail, folder, "run", "slow.xml", "--exit-after", "1 s", "--progress", "none")
    check("note:" not in quiet.stderr, quiet.stderr)
    check("note:" not in call(lightrail, folder, "run", sweep).stderr, "a word of a small run")


def a_ladder_foresees_events(lightrail, sweep, folder):
    """Events of a step of 128 GPUs by messages and in trains, foreseen and handled: within a factor of 2."""
    scenario = str(pathlib.Path(__file__).resolve().parents[2] / "scenarios/mixtral_8x22b_10240.xml")
    small = ["--set", "servers=16", "--set", "layers=8", "--set", "sequences=1", "--longest"]
    foreseen = call(lightrail, folder, "ladder", scenario, *small, "1 us")
    run = call(lightrail, folder, "ladder", scenario, *small, "10 s")
    check(foreseen.returncode == 0 and run.returncode == 0, foreseen.stderr + run.stderr)
    for detail in ("messages", "trains"):
        guess = re.search(rf"^{detail} +not run: about .* seconds, (\S+) events", foreseen.stdout, re.M)
        true = re.search(rf"^{detail} +128 +(\d+) ", run.stdout, re.M)
        check(guess and true, foreseen.stdout + run.stdout)
        ratio = float(guess[1]) / float(true[1])
        check(0.5 < ratio < 2, f"{detail}: {guess[1]} foreseen, {true[1]} handled")


SYSTEMS = pathlib.Path(__file__).resolve().parents[1] / "data" / "systems"


def systems_of_other_tools_run(lightrail, sweep, folder):
    """What `system import` makes validates, runs, and gives one answer on 1, 2 and 4 ranks."""
    made = {"infragraph": ("clos.yaml", [], "2 servers, 8 GPUs, 3 switches, 10 cables"),
            "nccl-topo": ("h100_4gpus.nccl.xml", ["servers=2"], "2 servers, 8 GPUs"),
            "ibnetdiscover": ("two_rails.ibnetdiscover", [f"routes={SYSTEMS / 'two_rails.lfts'}", "gpus=2"],
                              "4 servers, 8 GPUs, 3 switches, 12 cables")}
    for name, (file, options, wanted) in made.items():
        done = call(lightrail, folder, "system", "import", name, str(SYSTEMS / file), *options, "--out", f"{name}.xml")
        check(done.returncode == 0, done.stderr)
        check(wanted in (folder / f"{name}.xml").read_text(), f"no '{wanted}' in {name}.xml")
        valid = call(lightrail, folder, "validate", f"{name}.xml")
        check(valid.returncode == 0, valid.stdout + valid.stderr)
        hashes = set()
        for ranks in (1, 2, 4):
            run = call(lightrail, folder, "run", f"{name}.xml", "--out", f"{name}{ranks}.h5", "--progress", "none",
                       ranks=ranks)
            check(run.returncode == 0, run.stdout + run.stderr)
            hashes.update(hash_of(run.stdout))
        check(len(hashes) == 1, f"{name}: {hashes}")
    plain = call(lightrail, folder, "system", "import", "infragraph", str(SYSTEMS / "clos.yaml"))
    check(plain.stdout.startswith("<!-- Made by:"), plain.stdout[:200] + plain.stderr)


CASES = {
    "systems that other tools describe become scenarios that run": systems_of_other_tools_run,
    "sweep runs every point into files of their own": sweep_runs_all_points,
    "a point whose system fails does not keep the others from running": sweep_goes_on_after_a_failed_point,
    "a run that will be slow says so, and what would help": a_slow_run_says_so,
    "a ladder foresees the events of what it leaves out": a_ladder_foresees_events,
    "describe tells of a scenario what it consists of": describe_tells_what_a_scenario_is,
}


sys.exit(run_cases_in_folders(CASES, *(str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])))
