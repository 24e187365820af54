#!/usr/bin/python3
"""A run whose simulated system fails (exit code 3) leaves the rows up to the failure: the same error and the
same tables from the reference engine and from 1, 2 and 4 ranks, however far tiles and ranks ran ahead.

usage: test_failed_run.py LIGHTRAIL SCENARIO [NAME=VALUE]...     each setting is a run of its own
"""
import pathlib
import sys
import tempfile

import h5py
from run_equivalence import SMALL_TILES, file_differences, start

RUNS = [("reference", 1, ["--engine", "reference"]), ("one", 1, []), ("tiles", 1, SMALL_TILES),
        ("two", 2, SMALL_TILES), ("four", 4, [])]


def failed_run(lightrail, scenario, folder, name, ranks, options):
    """(result file, status and error that it holds)."""
    code, log = start(lightrail, scenario, folder, name, ranks, options)
    if code != 3:
        sys.exit(f"{name}: exit code {code}, not 3\n{log}")
    path = folder / f"{name}.h5"
    with h5py.File(path) as file:
        rows = sum(table["component"].shape[0] for table in file["tables"].values())
        return path, (file["run"].attrs["status"], file["run"].attrs["reason"]), rows


def main():
    lightrail, scenario, *settings = sys.argv[1:]
    failed = False
    for setting in settings:
        with tempfile.TemporaryDirectory() as name:
            runs = [failed_run(lightrail, scenario, pathlib.Path(name), run, ranks, [*more, "--set", setting])
                    for run, ranks, more in RUNS]
            expected, end, rows = runs[0]
            print(f"{setting}: {end[0]}, {end[1]}; {rows} rows", flush=True)
            failed |= rows == 0
            for (run, _, _), (file, its_end, _) in zip(RUNS[1:], runs[1:]):
                found = file_differences(expected,
                                         file)[:5] + ([] if its_end == end else [f"ends with {its_end}"])
                print(f"  {run}: " + ("the same" if not found else "DIFFERENT\n    " + "\n    ".join(found)),
                      flush=True)
                failed |= bool(found)
    return 1 if failed else 0


sys.exit(main())
