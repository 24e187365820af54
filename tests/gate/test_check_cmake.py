"""tools/check-cmake finds what would build less without a word, and nothing else."""
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "check-cmake"


def check(text, name="CMakeLists.txt"):
    """Runs the tool on one file; returns (exit code, output)."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "links", name)
        file.parent.mkdir()
        file.write_text(text)
        run = subprocess.run(["/usr/bin/python3", TOOL, folder], capture_output=True, text=True)
        return run.returncode, run.stdout


class CheckCmake(unittest.TestCase):
    def test_a_test_that_a_missing_target_would_drop_is_named_with_its_line(self):
        code, out = check("# links\nif(TARGET lightrail_links)\n  add_test(NAME a)\nendif()\n")
        self.assertEqual(code, 1)
        self.assertIn("links/CMakeLists.txt:2: builds less where something is missing: if(TARGET lightrail_links)", out)

    def test_a_folder_that_may_be_missing_is_found(self):
        for condition in ("if(EXISTS ${folder}/CMakeLists.txt)", "if(A AND EXISTS ${folder})",
                          "elseif(NOT TARGET a OR NOT TARGET b)", "if(NOT TARGET a)"):
            self.assertEqual(check(f"{condition}\n  return()\nendif()\n")[0], 1, condition)

    def test_a_target_that_the_next_line_makes_passes(self):
        self.assertEqual(check("if(NOT TARGET tests_unit)\n  add_custom_target(tests_unit)\nendif()\n")[0], 0)
        self.assertEqual(check("if(NOT TARGET tests_unit)\n  add_custom_target(tests_model)\nendif()\n")[0],
                         1)

    def test_files_of_functions_are_looked_at_too(self):
        self.assertEqual(check("if(TARGET a)\nendif()\n", "Targets.cmake")[0], 1)

    def test_an_optional_include_is_found(self):
        self.assertEqual(check("include(extra.cmake OPTIONAL)\n")[0], 1)

    def test_a_search_without_required_is_found(self):
        code, out = check("find_library(METIS_LIBRARY metis)\n")
        self.assertEqual(code, 1)
        self.assertIn("lacks REQUIRED", out)
        self.assertEqual(check("find_library(METIS_LIBRARY metis REQUIRED)\n")[0], 0)

    def test_options_and_comments_pass(self):
        self.assertEqual(check("if(LIGHTRAIL_TESTS)\nendif()\n# if(TARGET a)\nif(NOT HDF5_IS_PARALLEL)\nendif()\n")[0], 0)

    def test_the_tree_passes(self):
        run = subprocess.run(["/usr/bin/python3", TOOL, ROOT], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout), (0, "nothing builds less without a word\n"))


if __name__ == "__main__":
    unittest.main()
