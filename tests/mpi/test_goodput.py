#!/usr/bin/python3
"""Weeks of a job are the same on 1, 2 and 4 ranks, and when the step before them went on from a checkpoint:
/summary/goodput of the file and the summary's member goodput.

usage: test_goodput.py LIGHTRAIL SCENARIO [option of lightrail goodput...]
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py

TIMEOUT_S = 300


def play(lightrail, scenario, folder, name, ranks, options):
    """(exit code, summary, {path: values} of /summary/goodput)"""
    command = (["mpiexec", "-n", str(ranks)] if ranks > 1 else []) + [
        lightrail, "goodput", scenario, "--out", str(folder / f"{name}.h5"), "--summary",
        str(folder / f"{name}.json"), "--progress", "none", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
    if done.returncode != 0:
        return done.returncode, done.stdout + done.stderr, {}
    values = {}
    with h5py.File(folder / f"{name}.h5") as file:
        weeks = file["summary/goodput"]
        values["attributes"] = {key: str(value) for key, value in weeks.attrs.items()}
        weeks.visititems(lambda path, item: values.update({path: item[:].tolist()})
                         if isinstance(item, h5py.Dataset) else None)
    return 0, json.loads((folder / f"{name}.json").read_text())["goodput"], values


def main():
    lightrail, scenario, *given = sys.argv[1:]
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        saved = folder / "saved"
        first = play(lightrail, scenario, folder, "one", 1,
                     [*given, "--checkpoint", str(saved), "--checkpoint-every", "1100 ms"])
        assert first[0] == 0, first[1]
        assert len(first[2]) > 20, f"/summary/goodput has only {sorted(first[2])}"
        saved_at = sorted(saved.glob("checkpoint-*.lr"))
        assert saved_at, "no checkpoint to go on from"
        again = [(f"{ranks} ranks", ranks, ["--checkpoint", "none"]) for ranks in (2, 4)]
        again += [(f"going on from {path.name} on 2 ranks", 2, ["--checkpoint", "none", "--resume", str(path)])
                  for path in saved_at]
        for what, ranks, options in again:
            code, summary, values = play(lightrail, scenario, folder, "again", ranks, [*given, *options])
            if code != 0:
                problems.append(f"{what}: exit code {code}\n{summary}")
            elif (summary, values) != first[1:]:
                problems.append(f"{what}: differs in {[key for key in first[2] if values.get(key) != first[2][key]]}")
        code, summary, _ = play(lightrail, scenario, folder, "seed", 1,
                                [*given, "--seed", "2", "--checkpoint", "none"])
        if code != 0 or summary["failures"] == first[1]["failures"]:
            problems.append("another seed draws the same failures: nothing is tested")
    print(("FAIL " if problems else "ok   ") + pathlib.Path(scenario).name
          + "".join(f"\n     {p}" for p in problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
