#!/usr/bin/python3
"""Cells of the grid of tools/grain-study, in trains: on two and four ranks every table is as on one.

usage: test_grain_cells.py LIGHTRAIL STUDY SCENARIOS [CELL...]

STUDY: tools/grain-study; SCENARIOS: the folder of its scenarios; CELL: the names it prints with _ for a
space; without one all cells.
"""
import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile

from run_equivalence import differences, run


def cells_of(study):
    """{name: (pattern, settings)} of the grid."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("grain_study", study)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("grain_study", loader))
    loader.exec_module(module)
    return {module.name_of(*cell): cell for cell in module.all_cells()}


def differs(lightrail, scenario, settings):
    """The hash, and what is not the same on more ranks."""
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        expected, expected_file = run(lightrail, scenario, folder, "one", 1, words)
        found = []
        for ranks in (2, 4):
            summary, file = run(lightrail, scenario, folder, f"ranks{ranks}", ranks, words)
            found += [f"{ranks} ranks: {what}"
                      for what in differences(expected, summary, expected_file, file)]
        return expected["hash"], found


def main():
    lightrail, study, scenarios, *names = sys.argv[1:]
    cells = cells_of(study)
    if unknown := [name for name in names if name not in cells]:
        sys.exit(f"no such cell: {', '.join(unknown)}")
    problems, hashes = 0, set()
    for name in names or cells:
        pattern, settings = cells[name]
        found_hash, found = differs(lightrail, pathlib.Path(scenarios) / f"{pattern}.xml", settings)
        hashes.add(found_hash)
        problems += len(found)
        print(f"{name}: " + ("the same" if not found else "DIFFERENT\n    " + "\n    ".join(found)), flush=True)
    if len(hashes) != len(names or cells):
        problems += 1
        print("cells have the same hash: their settings are not what makes them")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
