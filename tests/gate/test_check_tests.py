"""tools/check-tests finds sources without tests and tests without sources, and nothing else."""
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "check-tests"
TREE = ["links/cable.cpp", "links/cable.hpp", "tests/unit/links/cable_test.cpp"]


def check(paths=(), listed=""):
    """Runs the tool on a tree of TREE and these empty files; returns (exit code, output)."""
    with tempfile.TemporaryDirectory() as folder:
        for path in [*TREE, *paths, "tools/tested-elsewhere.txt"]:
            file = pathlib.Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
        pathlib.Path(folder, "tools/tested-elsewhere.txt").write_text(listed)
        run = subprocess.run(["/usr/bin/python3", TOOL, folder], capture_output=True, text=True)
        return run.returncode, run.stdout


class CheckTests(unittest.TestCase):
    def test_a_source_with_a_test_of_its_name_passes(self):
        self.assertEqual(check(), (0, "every source has its tests\n"))

    def test_a_source_without_a_test_is_named(self):
        code, out = check(["links/fec.cpp"])
        self.assertEqual(code, 1)
        self.assertIn("links/fec.cpp: no tests/unit/links/fec_test.cpp, and no line in", out)

    def test_a_test_of_an_aspect_counts_for_its_source(self):
        self.assertEqual(check(["links/fec.cpp", "tests/unit/links/fec_latency_test.cpp"])[0], 0)
        self.assertEqual(check(["links/fec.cpp", "tests/unit/links/fecs_test.cpp"])[0], 1)

    def test_a_test_of_another_folder_does_not_count(self):
        code, out = check(["links/optical/fec.cpp", "tests/unit/links/fec_test.cpp"])
        self.assertEqual(code, 1)
        self.assertIn("tests/unit/links/fec_test.cpp: named after no source of links/", out)
        self.assertIn("links/optical/fec.cpp: no tests/unit/links/optical/fec_test.cpp", out)

    def test_a_header_may_have_a_test_and_needs_none(self):
        self.assertEqual(check(["links/fec.hpp"])[0], 0)
        self.assertEqual(check(["links/fec.hpp", "tests/unit/links/fec_test.cpp"])[0], 0)

    def test_a_listed_source_passes_where_its_test_is_there(self):
        self.assertEqual(check(["links/fec.cpp"], "# why\nlinks/fec*.cpp: unit/links/cable_test.cpp\n")[0], 0)
        self.assertIn("tools/tested-elsewhere.txt:1: there is no tests/unit/links/gone_test.cpp",
                      check(["links/fec.cpp"], "links/fec.cpp: unit/links/gone_test.cpp\n")[1])

    def test_a_line_that_nothing_needs_is_found(self):
        self.assertIn("'links/cable.cpp' fits no source that needs it",
                      check(listed="links/cable.cpp: unit/links/cable_test.cpp\n")[1])

    def test_a_test_of_several_sources_is_listed(self):
        test = "tests/unit/links/catalogue_test.cpp"
        self.assertEqual(check([test])[0], 1)
        self.assertEqual(check([test], "-: unit/links/catalogue_test.cpp\n")[0], 0)

    def test_the_tree_passes(self):
        run = subprocess.run(["/usr/bin/python3", TOOL, ROOT], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout), (0, "every source has its tests\n"))


if __name__ == "__main__":
    unittest.main()
