#!/usr/bin/python3
"""Runs a scenario as its own header says and compares the summary with the numbers there.

usage: run_scenario.py LIGHTRAIL SCENARIO            run and compare, all but what is long
       run_scenario.py LIGHTRAIL SCENARIO --long     only what is long
       run_scenario.py --listed LIST FOLDER          every .xml below FOLDER stands in the file LIST

A comment of the scenario holds the expectations:

    expect                             one run; options of `lightrail run` may follow: expect set pxn=off
    expect command goodput             another command than run
      status = done                    a text
      step_time_ps = 1234567           an exact number of the JSON summary
      bytes_by_dimension.tp = 1048576  names below names are joined by dots
      busbw = 370e9 +- 5 %             with a tolerance, in per cent or in the number's own unit
      exposed = 0.25 ... 0.30          a range
      hash = same                      as in the first run of this file
    expect ranks 2                     the same on two MPI ranks
    expect long                        a run of minutes, which the default tests leave out

XML comments cannot hold two dashes in a row, so options are written without them, each with its value.
A scenario without expectations fails: it would say nothing. Expectations end at an empty line.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TIMEOUT_S = 1500


def expectations(text):
    """[(options, [(key, wanted)])] of all comments; options of a long run begin with the word long."""
    runs = []
    for comment in re.findall(r"<!--(.*?)-->", text, re.DOTALL):
        run = None
        for line in comment.splitlines():
            words = line.split()
            if words[:1] == ["expect"]:
                run = (words[1:], [])
                runs.append(run)
            elif not words:
                run = None
            elif run:
                key, equals, wanted = line.partition("=")
                if not equals:
                    raise SystemExit(f"'{line.strip()}' is no expectation (expected name = value)")
                run[1].append((key.strip(), wanted.strip()))
    return runs


def select(runs, is_long):
    """Those that are long, without that word, or those that are not."""
    if is_long:
        return [(options[1:], wanted) for options, wanted in runs if options[:1] == ["long"]]
    return [run for run in runs if run[0][:1] != ["long"]]


def look_up(summary, key):
    for name in key.split("."):
        if not isinstance(summary, dict) or name not in summary:
            raise KeyError(key)
        summary = summary[name]
    return summary


def agrees(found, wanted):
    if "..." in wanted:
        low, high = (float(w) for w in wanted.split("..."))
        return low <= float(found) <= high
    if "+-" in wanted:
        value, tolerance = (w.strip() for w in wanted.split("+-"))
        value = float(value)
        allowed = abs(value) * float(tolerance[:-1]) / 100 if tolerance.endswith("%") else float(tolerance)
        return abs(float(found) - value) <= allowed
    if isinstance(found, str):
        return found == wanted
    return found == json.loads(wanted)


def command_options(words):
    """["ranks", "2", "set", "n=3"] -> (2, "run", ["--set", "n=3"])"""
    if len(words) % 2:
        raise SystemExit(f"'{words[-1]}' lacks a value (expected name value ...)")
    pairs = list(zip(words[::2], words[1::2]))
    own = {"ranks": "1", "command": "run"}
    own.update(pair for pair in pairs if pair[0] in own)
    return int(own["ranks"]), own["command"], [w for name, value in pairs if name not in own
                                               for w in (f"--{name}", value)]


def run_once(lightrail, scenario, words, wanted, first):
    """Runs and compares; the summary, or None when something is wrong. `first` is the first run's summary."""
    ranks, name, options = command_options(words)
    with tempfile.TemporaryDirectory() as folder:
        summary_file = pathlib.Path(folder, "summary.json")
        command = (["mpiexec", "-n", str(ranks)] if ranks > 1 else []) + [lightrail, name, str(scenario),
                                                                          "--out", f"{folder}/result.h5",
                                                                          "--summary", str(summary_file),
                                                                          "--progress", "none", *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
        if done.returncode != 0 or not summary_file.exists():
            print(done.stdout[-2000:] + done.stderr[-4000:])
            print(f"exit code {done.returncode}: {' '.join(command)}")
            return None
        summary = json.loads(summary_file.read_text())
    is_right = True
    for key, text in wanted:
        try:
            found = look_up(summary, key)
            is_same = agrees(found, json.dumps(look_up(first, key)).strip('"') if text == "same" else text)
        except (KeyError, TypeError, ValueError):
            found, is_same = "nothing that fits", False
        is_right &= is_same
        print(f"{'  ok ' if is_same else 'WRONG'} {key} = {found} (expected {text})")
    return summary if is_right else None


def check_listed(list_file, folder):
    listed = {line.strip() for line in pathlib.Path(list_file).read_text().splitlines()}
    there = {str(p.relative_to(folder)) for p in pathlib.Path(folder).rglob("*.xml")
             if "<scenario" in p.read_text()}
    for missing in sorted(there - listed):
        print(f"scenarios/{missing} is in no test: add it to tests/scenario/CMakeLists.txt")
    for gone in sorted(listed - there - {""}):
        print(f"tests/scenario/CMakeLists.txt names scenarios/{gone}, which does not exist")
    return there == listed - {""}


def main():
    if sys.argv[1:2] == ["--listed"]:
        return 0 if check_listed(sys.argv[2], sys.argv[3]) else 1
    lightrail, scenario, is_long = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:] == ["--long"]
    runs = select(expectations(scenario.read_text()), is_long)
    if not any(wanted for _, wanted in runs):
        print(f"{scenario.name} states no expected numbers of a {'long' if is_long else 'short'} run in a comment (see {__file__})")
        return 1
    results = []
    for options, wanted in runs:
        print(" ".join(["expect", *options]))
        results.append(run_once(lightrail, scenario, options, wanted, results[0] if results else None))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
