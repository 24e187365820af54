"""tools/scenario-hashes prints the same twice, and tells a hash, a table and a run that differ apart."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "scenario-hashes"
LIGHTRAIL = sys.argv.pop(1)
SMALL = "examples/two_servers"


def hashes(*arguments):
    """(exit code, lines of stdout, stderr)"""
    done = subprocess.run([TOOL, "--lightrail", LIGHTRAIL, "--jobs", "2", *arguments], capture_output=True,
                          text=True)
    return done.returncode, done.stdout.splitlines(), done.stderr


class ScenarioHashes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.code, cls.lines, _ = hashes("--only", SMALL)

    def compare_with(self, lines, only=SMALL):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "before.txt")
            file.write_text("\n".join(lines) + "\n")
            return hashes("--only", only, "--compare", file)

    def tampered(self, column):
        rows = [line.split("\t") for line in self.lines]
        rows[0][column] = "0" * len(rows[0][column])
        return ["\t".join(row) for row in rows]

    def test_a_line_has_the_settings_the_hash_the_end_and_two_digests(self):
        self.assertEqual(self.code, 0)
        name, of_events, end, recorded, model = self.lines[0].split("\t")
        self.assertEqual(name, "scenarios/examples/two_servers.xml")
        self.assertGreater(int(end), 0)
        for digest in (of_events, recorded, model):
            self.assertRegex(digest, "^(0x)?[0-9a-f]{16}$")

    def test_the_same_scenario_prints_the_same_again(self):
        code, lines, errors = self.compare_with(self.lines)
        self.assertEqual((code, lines), (0, self.lines), errors)

    def test_another_hash_is_told_from_another_table(self):
        code, _, errors = self.compare_with(self.tampered(1))
        self.assertEqual(code, 1)
        self.assertIn("hash differs", errors)
        self.assertNotIn("tables differs", errors)
        code, _, errors = self.compare_with(self.tampered(3))
        self.assertEqual(code, 1)
        self.assertIn("tables differs", errors)
        self.assertNotIn("hash differs", errors)

    def test_a_run_that_one_output_lacks_is_a_difference(self):
        code, _, errors = self.compare_with([*self.lines,
                                             self.lines[0].replace("servers.xml", "servers.xml n=1")])
        self.assertEqual(code, 1)
        self.assertIn("only in the earlier output", errors)

    def test_runs_that_only_leaves_out_are_no_difference(self):
        other = self.lines[0].replace("examples", "elsewhere")
        self.assertEqual(self.compare_with([*self.lines, other])[0], 0)

    def test_other_settings_of_a_scenario_are_another_run_with_another_hash(self):
        code, lines, _ = hashes("--only", "examples/graph_with_ocs")
        self.assertEqual((code, len(lines)), (0, 2))
        self.assertNotEqual(lines[0].split("\t")[1], lines[1].split("\t")[1])

    def test_a_run_that_fails_is_said_and_fails_the_command(self):
        done = subprocess.run([TOOL, "--lightrail", "/bin/false", "--only", SMALL], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("exit code 1", done.stderr)

    def test_a_file_that_is_no_earlier_output_is_refused(self):
        code, lines, errors = self.compare_with(["something else"])
        self.assertEqual((code, lines), (2, []))
        self.assertIn(":1: no line of an earlier output", errors)


if __name__ == "__main__":
    unittest.main()
