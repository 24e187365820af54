#!/usr/bin/python3
"""README, tutorial and guides as a reader follows them, word for word.

usage: test_pages.py LIGHTRAIL ROOT     ROOT: the repository
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from named_cases import check, run_cases_in_folders  # noqa: E402
from pages import Reader, boxes  # noqa: E402

PAGES = ("README.md", "docs/tutorial.md", "docs/guides.md")


def reader(lightrail, root, folder):
    path = f"{pathlib.Path(lightrail).parent}:{os.environ['PATH']}"
    return Reader(folder, {**os.environ, "PATH": path, "PYTHONPATH": f"{root}/postprocess", "CHECKOUT": root,
                           "MPLCONFIGDIR": str(folder), "MPLBACKEND": "agg"})


def page_runs(page):
    def case(lightrail, root, folder):
        found = reader(lightrail, root, folder)
        found.read(f"{root}/{page}")
        check(not found.problems, "\n     ".join(found.problems))
        check(len(boxes((pathlib.Path(root) / page).read_text())) > 2, "the page has no boxes")

    return case


def mistakes_are_found(lightrail, root, folder):
    page = folder / "page.md"
    page.write_text("```sh\necho one   two\nfalse\n```\n```text\none two\nthree\n```\n```lisp\n()\n```\n"
                    "```xml a.xml\n<a/>\n```\n```python\nopen('a.xml').read(); open('b.xml')\n```\n\n    false\n")
    found = reader(lightrail, root, folder)
    found.read(page)
    said = [problem.splitlines()[0] for problem in found.problems]
    check(said == ["page.md:1: exit code 1", "page.md:5: nothing printed 'three'", "page.md:9: a box of kind 'lisp '",
                   "page.md:15: exit code 1"], said)


CASES = {f"{page} runs as it stands": page_runs(page) for page in PAGES}
CASES["a box that fails is named with its line"] = mistakes_are_found


sys.exit(run_cases_in_folders(CASES, *(str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])))
