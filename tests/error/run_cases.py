#!/usr/bin/python3
"""Runs every bad input of cases/*.toml and checks how it is refused.

usage: run_cases.py LIGHTRAIL [--file NAME.toml] [--only PART] [--show] [--list]

Each file is a test of its own (--file). A base may stand in another file than the case; names are unique in
all of them.

A file of cases has good scenarios, [base.NAME], which must run (exit 0), and [[case]] tables:

name      a sentence
base      the good scenario that `change` makes bad; xml, files, make and args it gives where they lack
change    [[old, new], ...]: every `old` must occur in the scenario
xml       the scenario's text
files     {name = text}: files beside the scenario
make      name of a function of make_files.py, make_chakra.py or make_kineto.py that writes files beside the
          scenario, "NAME:ARGUMENT" for those that take one
command   "run" (default) or another command on the scenario; args: more arguments
line      instead of these: the whole command line after "lightrail"
ranks     MPI ranks, default 1
exit      the exit code wanted
message   regular expressions that the output must match, each on one line
"""
import argparse
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import tomllib

import h5py

import make_chakra
import make_files
import make_kineto

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT_S = 120
MEMORY_BYTES = 4 << 30  # far more than a case needs: a size in a damaged file must not take the machine down
CRASHES = re.compile(r"terminate called|AddressSanitizer|runtime error:|Segmentation|Assertion|BAD TERMINATION")


def load(folder):
    """All cases, good scenarios first; each has the name of its file in `file`."""
    bases, cases = {}, []
    for file in sorted(folder.glob("*.toml")):
        content = tomllib.loads(file.read_text())
        again = set(bases) & set(content.get("base", {}))
        assert not again, f"{file.name}: another file has a base of this name: {again}"
        bases.update({name: {**base, "file": file.name} for name, base in content.get("base", {}).items()})
        cases += [{**case, "file": file.name} for case in content.get("case", [])]
    cases = [{**bases.get(case.get("base"), {}), **case} for case in cases]
    good = [{**base, "name": f"the good scenario '{name}' runs", "exit": 0} for name, base in bases.items()]
    names = [case["name"] for case in good + cases]
    doubled = {name for name in names if names.count(name) > 1}
    assert not doubled, f"two cases have one name: {doubled}"
    return good + cases


def scenario_of(case):
    text = case.get("xml")
    for old, new in case.get("change", []):
        assert old in text, f"case '{case['name']}': '{old}' does not occur in the scenario"
        text = text.replace(old, new, 1)
    return text


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def run(lightrail, case, text, folder, memory_limit):
    """Returns (exit code or None after the time limit, output)."""
    if text is not None:
        (folder / "scenario.xml").write_text(text)
    for name, content in case.get("files", {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    if "make" in case:
        name, _, argument = case["make"].partition(":")
        makers = next((m for m in (make_chakra, make_kineto) if hasattr(m, name)), make_files)
        make = getattr(makers, name)
        make(folder, lightrail, *([argument] if argument else []))
    command = [lightrail, *case.get("line",
                                    [case.get("command", "run"), "scenario.xml", *case.get("args", [])])]
    if command[1:3] == ["run", "scenario.xml"] and "--out" not in command:
        command += ["--out", "result.h5"]
    if case.get("ranks", 1) > 1:
        command = ["mpiexec", "-n", str(case["ranks"]), *command]
    try:
        done = subprocess.run(command, cwd=folder, timeout=TIMEOUT_S, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              preexec_fn=limit_memory if memory_limit else None)
    except subprocess.TimeoutExpired as expired:
        return None, (expired.stdout or b"").decode(errors="replace")
    return done.returncode, done.stdout


def claims_to_be_complete(file):
    try:
        with h5py.File(file) as result:
            status = result["run"].attrs["status"]
            return (status.decode() if isinstance(status, bytes) else status) == "complete"
    except (OSError, KeyError):
        return False


def problems_of(case, code, output, folder):
    if code is None:
        return [f"no end within {TIMEOUT_S} s"]
    problems = []
    wanted = case.get("exit", 0)
    if code != wanted:
        problems.append(f"exit code {code}, wanted {wanted}")
    if CRASHES.search(output) and wanted != 1:
        problems.append("it crashed")
    for pattern in case.get("message", []):
        if not any(re.search(pattern, line) for line in output.splitlines()):
            problems.append(f"no line matches /{pattern}/")
    for pattern in case.get("absent", []):
        if found := next((line for line in output.splitlines() if re.search(pattern, line)), None):
            problems.append(f"a line matches /{pattern}/: {found}")
    if wanted != 0 and claims_to_be_complete(folder / "result.h5"):
        problems.append("result.h5 claims to be complete")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lightrail")
    parser.add_argument("--file", help="only the cases of this file of cases/")
    parser.add_argument("--only", default="", help="only cases whose name has this part")
    parser.add_argument("--show", action="store_true", help="print what each case printed")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--no-memory-limit", dest="memory_limit", action="store_false",
                        help="for sanitizers' address space")
    options = parser.parse_args()
    lightrail = str(pathlib.Path(options.lightrail).resolve())

    chosen = [case for case in load(HERE / "cases") if options.file in (None, case["file"])
              and options.only in case["name"]]
    failed = 0
    for case in chosen:
        if options.list:
            print(case["name"])
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            code, output = run(lightrail, case, scenario_of(case), folder, options.memory_limit)
            problems = problems_of(case, code, output, folder)
        print(("FAIL " if problems else "ok   ") + case["name"] + "".join(f"\n     {p}" for p in problems))
        if options.show or problems:
            print("".join(f"     | {line}\n" for line in output.splitlines()[-25:]), end="")
        failed += bool(problems)
    if not options.list:
        print(f"{len(chosen) - failed} of {len(chosen)} cases as wanted")
    return 1 if failed or not chosen else 0


sys.exit(main())
