#!/usr/bin/python3
"""--check-grain: on any number of ranks the result stays, and the estimate is the step time of a run
that the scenario itself gives shorter trains.

usage: test_check_grain.py LIGHTRAIL SCENARIO ITERATIONS TRAINING

SCENARIO has the variables size, grain and nvlink_grain, and one iteration; ITERATIONS has three unlike ones;
TRAINING has the variables detail, step_over, iterations and micro_batches.
"""
import pathlib
import sys
import tempfile

import h5py

from run_equivalence import SAME, differences, load_summary, run, start

SIZE = ["--set", "size=4 MB"]
CHECK = [*SIZE, "--check-grain", "3"]
FINER = [*SIZE, "--set", "grain=3", "--set", "nvlink_grain=6"]  # 16 and 32 before


def span(file, first, last):
    """Of these iterations, from the first GPU's start to the last one's end [ps]."""
    with h5py.File(file) as run:
        steps = run["tables/steps"]
        iteration = steps["iteration"][:]
        chosen = (iteration >= first) & (iteration <= last)
        return int(steps["t_end_ps"][:][chosen].max() - steps["t_start_ps"][:][chosen].min())


def later_steps(lightrail, scenario, folder):
    """--check-steps looks at the iterations that it names, the same on any number of ranks."""
    problems, checks = [], []
    for ranks in (1, 2, 4):
        summary, file = run(lightrail, scenario, folder, f"later{ranks}", ranks,
                            ["--check-grain", "3", "--check-steps", "1-2"])
        check = summary["grain_check"]
        checks.append(check)
        if check["step_time_ps"] != span(file, 1, 2) or (check["first_step"], check["last_step"]) != (1, 2):
            problems.append(f"{ranks} ranks: {check}, iterations 1 and 2 take {span(file, 1, 2)} ps")
    if checks[1:] != checks[:-1]:
        problems.append(f"other checks on other numbers of ranks: {checks}")
    if checks[0]["finer_step_time_ps"] in (None, checks[0]["step_time_ps"]):
        problems.append(f"nothing is tested: {checks[0]}")
    return problems


def coarser_details(lightrail, scenario, folder):
    """By messages and by formula the finer run is that of the scenario in trains, or nearly packet by packet."""
    step = ["--set", "step_over=none", "--set", "iterations=1", "--set", "micro_batches=4"]
    times = {detail: run(lightrail, scenario, folder, detail, 1,
                         [*step, "--set", f"detail={detail}"])[0]["step_time_ps"]
             for detail in ("formula", "messages", "trains", "packets")}
    problems = [] if len(set(times.values())) == 4 else [f"nothing is tested: {times}"]
    for detail, packets, finer, ranks in (("messages", 1, "packets", 1), ("messages", 4096, "trains", 2),
                                          ("messages", 4096, "trains", 4), ("formula", 1, "packets", 2),
                                          ("formula", 4096, "trains", 1)):
        summary, _ = run(lightrail, scenario, folder, f"{detail}{ranks}", ranks,
                         [*step, "--set", f"detail={detail}", "--check-grain", str(packets)])
        found = summary["grain_check"]
        # Trains of NVLink are two packets where others are single ones.
        off = found["finer_step_time_ps"] / times[finer] - 1
        if found["step_time_ps"] != times[detail] or abs(off) > (1e-6 if finer == "packets" else 0):
            problems.append(f"{detail} against {finer} on {ranks} ranks: {found}, wanted {times}")
    return problems


def main():
    lightrail, scenario, iterations, training = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        plain, _ = run(lightrail, scenario, folder, "plain", 1, SIZE)
        finer, _ = run(lightrail, scenario, folder, "finer", 2, FINER)
        wanted = {"packets": 3, "first_step": 0, "last_step": 0, "step_time_ps": plain["step_time_ps"], "finer_step_time_ps": finer["step_time_ps"],
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
        problems += later_steps(lightrail, iterations, folder)
        problems += coarser_details(lightrail, training, folder)
    print(("FAIL " if problems else "ok   ") + "--check-grain on 1, 2 and 4 ranks"
          + "".join(f"\n     {p}" for p in problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
