#!/usr/bin/python3
"""scenarios/slurm/run.sbatch, with scontrol played by a script: stops before its limit, requeues itself, ends
as any run.

usage: test_slurm.py LIGHTRAIL SCENARIO...
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from run_equivalence import differences, load_summary, run  # noqa: E402

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scenarios/slurm/run.sbatch"
LIMITS = ["1 ms", "30 ms", "1 h"]  # of the first job, the second, ...


def main():
    lightrail, scenario = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        expected, expected_file = run(lightrail, scenario, folder, "expected", 1, ["--checkpoint", "none"])
        (folder / "bin").mkdir()
        scontrol = folder / "bin/scontrol"
        scontrol.write_text(f'#!/bin/sh\necho "$@" >> {folder}/requeued\n')
        scontrol.chmod(0o755)
        codes = []
        for limit in LIMITS:
            environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "SLURM_JOB_ID": "17",
                           "LIGHTRAIL": lightrail, "LIGHTRAIL_LAUNCH": "mpiexec -n 2",
                           "LIGHTRAIL_EXIT_AFTER": limit}
            done = subprocess.run(["bash", SCRIPT, scenario, "--progress", "none"], cwd=folder,
                                  env=environment, text=True, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            codes.append(done.returncode)
            if done.returncode != 75:
                break
        if codes[0] != 75 or codes[-1] != 0:
            problems.append(f"exit codes {codes}, wanted 75 ... 0\n{done.stdout}")
        else:
            requeued = (folder / "requeued").read_text().splitlines()
            if requeued != ["requeue 17"] * codes.count(75):
                problems.append(f"scontrol was told {requeued}")
            results, name = folder / "results", pathlib.Path(scenario).stem + "---progress_none"
            problems += differences(expected, load_summary(results, name), expected_file,
                                    results / f"{name}.h5")
            if (results / f"{name}.checkpoint").exists():
                problems.append("the checkpoints of a finished run are still there")
    print(("FAIL " if problems else "ok   ") + "run.sbatch requeues itself until the run is done"
          + "".join(f"\n     {p}" for p in problems))
    return 1 if problems else 0


sys.exit(main())
