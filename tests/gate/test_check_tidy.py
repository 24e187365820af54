"""tools/check-tidy finds a wrong name and what clang-tidy's groups of checks find, and passes a good file.

usage: test_check_tidy.py BUILD    BUILD: a build folder of the repository, whose compile commands are used
"""
import os
import pathlib
import subprocess
import sys
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check-tidy"
BUILD = pathlib.Path(sys.argv.pop()).resolve()


def check(text):
    """Runs the tool on a file below the build folder, where .clang-tidy of the repository holds."""
    file = BUILD / "tests" / "tidy_probe.cpp"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    try:
        run = subprocess.run([TOOL, file], capture_output=True, text=True,
                             env={**os.environ, "LIGHTRAIL_BUILD": str(BUILD)})
    finally:
        file.unlink()
    return run.returncode, run.stdout + run.stderr


class CheckTidy(unittest.TestCase):
    def test_a_good_file_passes(self):
        code, out = check("namespace lightrail {\nint good_name(int value) { return value + 1; }\n}\n")
        self.assertEqual(code, 0, out)

    def test_each_group_of_checks_fires(self):
        for text, name in (("int BadName() { return 1; }\n", "readability-identifier-naming"),
                           ("int* f() { return 0; }\n", "modernize-use-nullptr"),
                           ("unsigned long f(int a) { return sizeof(sizeof(a)); }\n", "bugprone-sizeof-expression"),
                           ("struct A { ~A(); A(const A&); int a[9]; };\nint f(const A a) { return a.a[0]; }\n",
                            "performance-unnecessary-value-param")):
            code, out = check(text)
            self.assertNotEqual(code, 0, text)
            self.assertIn(name, out)


if __name__ == "__main__":
    unittest.main()
