"""tools/study writes a row a point, and with --only replaces just those; lightrail is played here."""
import csv
import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "study"
LIGHTRAIL = """#!/usr/bin/python3
import json, os, pathlib, sys
if sys.argv[1] == "sweep":
    print("0\\tcase=a\\trate=1\\n1\\tcase=a\\trate=2\\n2\\tcase=b\\trate=1")
    sys.exit()
given = dict(word.split("=", 1) for word in sys.argv if "=" in word)
if given["rate"] == "2":
    sys.exit(3)
summary = {"status": "complete", "step_time_ps": int(os.environ["STEP"]), "bytes_by_dimension": {"tp": len(given["case"])}}
pathlib.Path(sys.argv[sys.argv.index("--summary") + 1]).write_text(json.dumps(summary))
"""


class Study(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)
        (self.folder / "lightrail").write_text(LIGHTRAIL)
        (self.folder / "lightrail").chmod(0o755)

    def study(self, step, *options):
        """Its exit code, what it says, and the rows of the file as [case, rate, status, step]."""
        done = subprocess.run([TOOL, "toy.xml", "--lightrail", self.folder / "lightrail", "--out",
                               self.folder, *options], capture_output=True, text=True,
                              env={"STEP": str(step), "PATH": "/usr/bin:/bin"})
        file = self.folder / "toy.csv"
        rows = list(csv.DictReader(file.read_text().splitlines())) if file.exists() else []
        return done.returncode, done.stderr, [[r["case"], r["rate"], r["status"], r["step_time_ps"]]
                                              for r in rows]

    def test_a_row_a_point_also_where_a_run_fails(self):
        code, _, rows = self.study(7)
        self.assertEqual((code, rows), (0, [["a", "1", "complete", "7"], ["a", "2", "exit code 3", ""],
                                            ["b", "1", "complete", "7"]]))

    def test_only_replaces_the_rows_that_it_runs(self):
        self.study(7)
        code, _, rows = self.study(8, "--only", "case=b")
        self.assertEqual((code, rows), (0, [["a", "1", "complete", "7"], ["a", "2", "exit code 3", ""],
                                            ["b", "1", "complete", "8"]]))
        _, _, rows = self.study(9, "--only", "case=a", "--only", "case=b", "--only", "rate=1")
        self.assertEqual([row[3] for row in rows], ["9", "", "9"])

    def test_only_writes_what_there_is_in_the_order_of_the_sweep(self):
        self.assertEqual(self.study(7, "--only", "case=b")[2], [["b", "1", "complete", "7"]])
        self.assertEqual([row[0] for row in self.study(7, "--only", "rate=1")[2]], ["a", "b"])

    def test_only_of_what_is_not_varied_is_refused(self):
        code, errors, rows = self.study(7, "--only", "cse=b")
        self.assertEqual((code, rows), (1, []))
        self.assertIn("study: --only cse=b: not a value of what the sweep varies (case, rate)", errors)
        self.assertIn("study: the sweep has no point with case=c", self.study(7, "--only", "case=c")[1])


if __name__ == "__main__":
    unittest.main()
