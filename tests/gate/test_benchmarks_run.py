"""benchmarks/run prints what its programs print, and fails when one of them does; programs and mpiexec are
played here."""
import os
import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "run"
MPIEXEC = 'shift; export RANKS=$1; shift; exec "$@"\n'
WINDOWS = 'echo "result windows_empty_ranks${RANKS}_window 1 us/window"\n'
FATTREE = """for what in wall events bytes memory; do
  echo "result fattree_8192_packet_window_$what ${RANKS}00 $what-unit"
done
"""


def run(names, **programs):
    """Runs with these shell scripts as programs; returns (exit code, results, stderr)."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "benchmarks").mkdir()
        (folder / "bin").mkdir()
        scripts = {"phold": "echo result phold_1k_window 5 events/core-s\n", "moe": "exit 1\n",
                   "windows": WINDOWS, "fattree": FATTREE, **programs}
        for path, text in {**{f"benchmarks/{n}": t for n, t in scripts.items()},
                           "bin/mpiexec": MPIEXEC}.items():
            (folder / path).write_text("#!/bin/sh\n" + text)
            (folder / path).chmod(0o755)
        environment = {**os.environ, "LIGHTRAIL_BUILD": name, "PATH": f"{folder}/bin:{os.environ['PATH']}"}
        done = subprocess.run([TOOL, *names], capture_output=True, text=True, env=environment)
        return done.returncode, done.stdout.splitlines(), done.stderr


class BenchmarksRun(unittest.TestCase):
    def test_a_program_that_fails_fails_the_command_and_the_next_names_run(self):
        disagree = "echo result phold_1k_ratio 2 1; echo 'phold_1k: the engines disagree' >&2; exit 1\n"
        code, results, errors = run(["phold", "windows"], phold=disagree)
        self.assertEqual(code, 1)
        self.assertEqual(len(results), 4)
        self.assertIn("the engines disagree", errors)
        self.assertIn("benchmarks/run: phold failed", errors)

    def test_a_name_without_result_fails(self):
        code, results, errors = run(["phold_2k", "phold_1k"])
        self.assertEqual((code, len(results)), (1, 1))
        self.assertIn("benchmarks/run: phold_2k failed or has no result", errors)

    def test_an_unknown_name_is_refused(self):
        self.assertEqual(run(["fold"])[0], 2)

    def test_windows_run_on_one_two_and_four_ranks(self):
        self.assertEqual(run(["windows"])[:2],
                         (0, [f"result windows_empty_ranks{n}_window 1 us/window" for n in (1, 2, 4)]))
        code, results, _ = run(["windows"], windows=WINDOWS + "[ $RANKS -ne 2 ]\n")
        self.assertEqual((code, len(results)), (1, 3))

    def test_scaling_has_every_figure_of_both_rank_counts_and_their_ratio(self):
        code, results, _ = run(["scaling"])
        self.assertEqual(code, 0)
        self.assertIn("result scaling_8192_ranks1_window 100 wall-unit", results)
        self.assertIn("result scaling_8192_ranks2_window_events 200 events-unit", results)
        self.assertIn("result scaling_8192_ranks2_window_memory 200 memory-unit", results)
        self.assertIn("result scaling_8192_speedup_window 2.00 1", results)
        self.assertEqual(run(["scaling"], fattree=FATTREE + "[ $RANKS -ne 2 ]\n")[0], 1)


if __name__ == "__main__":
    unittest.main()
