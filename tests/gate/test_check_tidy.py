"""tools/check-tidy finds a wrong name and what clang-tidy's groups of checks find, and passes a good file;
without arguments it looks at what changed.

usage: test_check_tidy.py BUILD    BUILD: a build folder of the repository, whose compile commands are used
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "check-tidy"
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
                            "performance-unnecessary-value-param"),
                           ("struct A {\n  int get() const { return 1; }\n};\n", "modernize-use-nodiscard")):
            code, out = check(text)
            self.assertNotEqual(code, 0, text)
            self.assertIn(name, out)


GOOD = "namespace lightrail {\nint value_of(int x);\n}\n"
BAD = "namespace lightrail {\nint BadName(int x);\n}\n"


class Changes(unittest.TestCase):
    """A repository of its own: one header, which one source includes that has not its name."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        for name in ("tools/check-tidy", "tools/lib.sh", ".clang-tidy"):
            (self.root / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        source = self.write("engine/user.cpp", '#include "engine/values.hpp"\n')
        self.write("engine/values.hpp", GOOD)
        self.write("build/compile_commands.json", json.dumps([{
            "directory": str(self.root), "file": str(source),
            "command": f"g++ -std=c++20 -Wall -Werror -I{self.root} -c {source}"}]))
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit("first")

    def write(self, name, text):
        file = self.root / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        return file

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=test", "-c", "user.email=test@example.org", *words], cwd=self.root,
                       check=True, capture_output=True)

    def commit(self, subject):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", subject)

    def check(self, *words):
        run = subprocess.run([self.root / "tools/check-tidy", *words], capture_output=True, text=True,
                             env={**os.environ, "LIGHTRAIL_BUILD": "build"})
        return run.returncode, run.stdout + run.stderr

    def test_a_history_of_one_commit_is_said_to_compare_with_nothing(self):
        code, out = self.check()
        self.assertEqual(code, 0, out)
        self.assertIn("no commit to compare with", out)

    def test_a_commit_that_is_not_there_fails(self):
        code, out = self.check("--since", "nowhere")
        self.assertNotEqual(code, 0, out)

    def test_on_main_the_last_commit_is_looked_at_and_a_header_with_a_source_that_includes_it(self):
        self.write("engine/values.hpp", BAD)
        self.commit("second")
        code, out = self.check()
        self.assertNotEqual(code, 0, out)
        self.assertIn("readability-identifier-naming", out)
        self.write("README.md", "words\n")
        self.commit("third")
        code, out = self.check()
        self.assertEqual(code, 0, out)
        self.assertIn("no source differs", out)

    def test_a_branch_is_looked_at_since_it_left_main(self):
        self.git("checkout", "--quiet", "-b", "side")
        self.write("engine/values.hpp", BAD)
        self.commit("second")
        self.write("README.md", "words\n")
        self.commit("third")
        code, out = self.check()
        self.assertNotEqual(code, 0, out)
        self.assertIn("readability-identifier-naming", out)

    def test_warnings_of_clang_do_not_count_in_a_build_with_warnings_as_errors(self):
        self.write("engine/values.hpp", "namespace lightrail {\nclass Values {\n  int unused_ = 0;\n};\n}\n")
        code, out = self.check()  # what is not committed counts
        self.assertEqual(code, 0, out)
        self.write("engine/user.cpp", '#include "engine/values.hpp"\nstatic int unused = 0;\n')
        code, out = self.check("engine/user.cpp")
        self.assertEqual(code, 0, out)


if __name__ == "__main__":
    unittest.main()
