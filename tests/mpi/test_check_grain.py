#!/usr/bin/python3
"""--check-grain: on any number of ranks the result stays, and the estimate is the step time of a run
that the scenario itself gives shorter trains.

usage: test_check_grain.py LIGHTRAIL SCENARIO

SCENARIO has the variables size, grain and nvlink_grain, and one iteration.
"""
import pathlib
import sys
import tempfile

from run_equivalence import SAME, differences, load_summary, run, start

SIZE = ["--set", "size=4 MB"]
CHECK = [*SIZE, "--check-grain", "3"]
FINER = [*SIZE, "--set", "grain=3", "--set", "nvlink_grain=6"]  # 16 and 32 before


def main():
    lightrail, scenario = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        plain, _ = run(lightrail, scenario, folder, "plain", 1, SIZE)
        finer, _ = run(lightrail, scenario, folder, "finer", 2, FINER)
        wanted = {"packets": 3, "step_time_ps": plain["step_time_ps"], "finer_step_time_ps": finer["step_time_ps"],
                  "error": plain["step_time_ps"] / finer["step_time_ps"] - 1}
        problems = [] if plain["grain_check"] is None else ["a check that nobody asked for"]
        if plain["step_time_ps"] == finer["step_time_ps"]:
            problems.append("both runs take the same time: nothing is tested")
        first, first_file = run(lightrail, scenario, folder, "one", 1, CHECK)
        for ranks in (1, 2, 4):
            summary, file = run(lightrail, scenario, folder, f"ranks{ranks}", ranks, CHECK)
            problems += [f"{ranks} ranks: {key} {summary[key]}, without the check {plain[key]}" for key in SAME
                         if summary[key] != plain[key]]
            problems += differences(first, summary, first_file, file)
            if summary["grain_check"] != wanted:
                problems.append(f"{ranks} ranks: {summary['grain_check']}, wanted {wanted}")
        start(lightrail, scenario, folder, "stopped", 1, [*CHECK, "--stop-at", "10us", "--checkpoint", "none"])
        if load_summary(folder, "stopped")["grain_check"] is not None:
            problems.append("a run that was stopped has a check")
    print(("FAIL " if problems else "ok   ") + "--check-grain on 1, 2 and 4 ranks"
          + "".join(f"\n     {p}" for p in problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
