"""benchmarks/shortcuts runs what its results lack, keeps what they have and holds every row against packets;
lightrail is played here."""
import json
import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "shortcuts"
# Packets: 200 ms and 1,000 events; everything else 201 ms and 10 events. Without step-over it notes its call.
LIGHTRAIL = """#!/bin/sh
echo "$@" >> FOLDER/calls
while [ "$1" != --summary ]; do shift; done
case "$*" in
  *messages*) echo "bad <run>" >&2; exit 2 ;;
  *detail=packets*) echo '{"step_time_ps": 200000000000, "events": 1000, "hash": "1"}' > "$2" ;;
  *) echo '{"step_time_ps": 201000000000, "events": 10, "hash": "2"}' > "$2" ;;
esac
"""


class ShortcutsTable(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.lightrail = self.folder / "lightrail"
        self.lightrail.write_text(LIGHTRAIL.replace("FOLDER", folder.name))
        self.lightrail.chmod(0o755)

    def call(self, *words):
        done = subprocess.run([TOOL, self.folder / "r.jsonl", "--lightrail", self.lightrail, *words],
                              capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines(), done.stderr

    def calls(self):
        return len((self.folder / "calls").read_text().splitlines())

    def test_rows_are_held_against_packets(self):
        self.assertEqual(self.call("--only", "GPT 7.5 B", "--only", "packets")[0], 0)
        code, lines, _ = self.call("--only", "GPT 7.5 B", "--only", "trains, step-over")
        self.assertEqual(code, 0)
        row = next(line for line in lines if "| trains, step-over |" in line)
        self.assertIn("| 201.000 ms | +0.50 % | 10 |", row)
        self.assertTrue(row.endswith("| 100 |"), row)
        base = next(line for line in lines if "| packets |" in line)
        self.assertTrue(base.endswith("|  |  |"), base)

    def test_what_is_there_is_not_run_again_unless_its_settings_are_others(self):
        self.call("--only", "formula")
        before = self.calls()
        self.call("--only", "formula")
        self.assertEqual(self.calls(), before)
        file = self.folder / "r.jsonl"
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        rows[0]["settings"] = ["layers=1"]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.call("--only", "formula")
        self.assertEqual(self.calls(), before + 1)

    def test_a_run_that_fails_is_said_and_has_no_row(self):
        code, lines, errors = self.call("--only", "GPT 7.5 B", "--only", "messages, fold")
        self.assertEqual(code, 2)
        code, lines, errors = self.call("--only", "GPT 7.5 B", "--only", "messages, step-over, fold")
        self.assertEqual((code, len(lines)), (1, 2))
        self.assertIn("exit code 2\nbad <run>", errors)

    def test_print_runs_nothing(self):
        code, lines, _ = self.call("--print")
        self.assertEqual((code, len(lines)), (0, 2))
        self.assertFalse((self.folder / "calls").exists())


if __name__ == "__main__":
    unittest.main()
