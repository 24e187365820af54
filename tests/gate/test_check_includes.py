"""tools/check-includes finds what a file uses and does not include, and mends it."""
import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check-includes"


def check(files, *options):
    """Runs the tool on a tree of {path: text}; returns (exit code, output, {path: text} afterwards)."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            file = pathlib.Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        run = subprocess.run(["/usr/bin/python3", TOOL, *options, folder], capture_output=True, text=True)
        return run.returncode, run.stdout, {path: pathlib.Path(folder, path).read_text() for path in files}


class CheckIncludes(unittest.TestCase):
    def test_a_header_that_is_missing_is_named(self):
        code, out, _ = check({"links/a.hpp": "#pragma once\n#include <string>\nstd::string f(std::vector<int>);\n"})
        self.assertEqual(code, 1)
        self.assertIn("links/a.hpp: uses what <vector> declares", out)

    def test_a_source_has_what_its_own_header_includes(self):
        files = {"links/a.hpp": "#include <vector>\n", "links/a.cpp": "#include \"links/a.hpp\"\nstd::vector<int> a;\n"}
        self.assertEqual(check(files)[0], 0)
        files["links/b.cpp"] = files["links/a.cpp"]
        self.assertEqual(check(files)[0], 1)

    def test_comments_and_literals_use_nothing(self):
        text = '// std::vector\nconst char* a = "std::map";\nauto b = R"(std::set)";\n'
        self.assertEqual(check({"links/a.hpp": text})[0], 0)

    def test_a_file_is_mended_behind_its_own_header_or_its_standard_ones(self):
        own = '#include "links/a.hpp"\n\n#include "links/b.hpp"\nstd::map<int, std::vector<int>> a;\n'
        mended = '#include "links/a.hpp"\n\n#include <map>\n#include <vector>\n\n#include "links/b.hpp"\n'
        _, _, files = check({"links/a.cpp": own}, "--mend")
        self.assertTrue(files["links/a.cpp"].startswith(mended), files["links/a.cpp"])
        standard = "#pragma once\n#include <string>\n\nstd::string f(std::vector<int>);\n"
        _, _, files = check({"links/a.hpp": standard}, "--mend")
        self.assertTrue(files["links/a.hpp"].startswith("#pragma once\n#include <string>\n#include <vector>\n\n"))


if __name__ == "__main__":
    unittest.main()
