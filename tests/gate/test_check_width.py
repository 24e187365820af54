"""tools/check-width finds lines that are too long, and nothing else."""
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "check-width"
LONG = "word " * 30  # 150 characters


def check(path, text, *options):
    """Runs the tool on a repository of one file; returns (exit code, output), with options the text then too."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        file = pathlib.Path(folder, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        run = subprocess.run(["/usr/bin/python3", TOOL, *options, folder], capture_output=True, text=True)
        return (run.returncode, run.stdout, file.read_text()) if options else (run.returncode, run.stdout)


class CheckWidth(unittest.TestCase):
    def test_a_long_line_of_a_document_is_named_with_its_number(self):
        code, out = check("docs/a.md", f"# Title\n\n{LONG}\n")
        self.assertEqual(code, 1)
        self.assertIn("docs/a.md:3: 150 characters (at most 110)", out)

    def test_110_characters_pass_and_111_do_not(self):
        self.assertEqual(check("a.md", "x " * 54 + "xx\n")[0], 0)
        self.assertEqual(check("a.md", "x " * 54 + "xxx\n")[0], 1)

    def test_tables_headings_code_and_long_words_of_a_document_pass(self):
        for text in (f"| {LONG} |", f"# {LONG}", f"text:\n\n    {LONG}", f"```\n{LONG}\n```", "x" * 150):
            self.assertEqual(check("a.md", text + "\n"), (0, "no line has more than 110 characters\n"), text)

    def test_a_list_that_goes_on_is_no_code(self):
        self.assertEqual(check("a.md", f"- item\n    {LONG}\n")[0], 1)

    def test_sources_scripts_and_cmake_files_are_looked_at(self):
        for path in ("links/a.cpp", "links/a.hpp", "tests/a.py", "tools/gate", ".ci/run", "links/CMakeLists.txt",
                     "cmake/A.cmake", "tests/a.sh"):
            self.assertEqual(check(path, f"// {LONG}\n")[0], 1, path)

    def test_what_a_literal_holds_and_data_pass(self):
        self.assertEqual(check("links/a.cpp", f'const char* text = "{LONG}";\n')[0], 0)
        self.assertEqual(check("tests/a.py", f"TEXT = '''\n<cluster {LONG}>\n'''\n")[0], 0)
        self.assertEqual(check("tests/data/a.py", f"# {LONG}\n")[0], 0)
        self.assertEqual(check("scenarios/a.xml", f"<!-- {LONG} -->\n")[0], 0)

    def test_mending_wraps_paragraphs_and_items_and_leaves_the_rest(self):
        kept = f"| {LONG} |\n\n    {LONG}\n\nshort\nlines\n"
        text = f"{kept}\n- {LONG}`a code span` end\n\n{LONG}\n"
        code, _, then = check("a.md", text, "--mend")
        self.assertEqual((code, then.split()), (0, text.split()))
        self.assertTrue(then.startswith(kept + "\n- word word"), then)
        self.assertIn("\n  word", then)
        self.assertLessEqual(max(len(line) for line in then[len(kept):].split("\n")), 110)
        self.assertEqual(check("a.md", then, "--mend")[2], then)

    def test_the_tree_passes(self):
        run = subprocess.run(["/usr/bin/python3", TOOL, ROOT], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout), (0, "no line has more than 110 characters\n"))


if __name__ == "__main__":
    unittest.main()
