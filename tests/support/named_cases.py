"""Cases of one script, by the sentence that each shows: a line of output each, the first failing claim below it."""
import pathlib
import subprocess
import tempfile


def check(condition, what):
    """A claim of a case; `what` is printed where it fails."""
    if not condition:
        raise AssertionError(what)


def run_cases(cases, call):
    """call(case) for every (sentence, case); returns the script's exit code. A program that does not end in
    time fails its case."""
    failed = 0
    for sentence, case in cases.items():
        try:
            call(case)
            print(f"ok   {sentence}", flush=True)
        except (AssertionError, subprocess.TimeoutExpired) as problem:
            failed += 1
            print(f"FAIL {sentence}\n     {problem}", flush=True)
    return 1 if failed else 0


def run_cases_in_folders(cases, *arguments):
    """run_cases(), where a case is called with the arguments and an empty folder of its own."""
    def call(case):
        with tempfile.TemporaryDirectory() as folder:
            case(*arguments, pathlib.Path(folder))

    return run_cases(cases, call)
