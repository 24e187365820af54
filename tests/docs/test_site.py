#!/usr/bin/python3
"""The site that tools/docs builds: every page is in it, the reference is the command's, no network is asked.

usage: test_site.py LIGHTRAIL ROOT
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from named_cases import check, run_cases_in_folders  # noqa: E402


def site_is_whole(lightrail, root, folder):
    done = subprocess.run([f"{root}/tools/docs", "--lightrail", lightrail, "--out", folder / "site"], text=True,
                          capture_output=True, timeout=300)
    check(done.returncode == 0, done.stdout + done.stderr)
    site = folder / "site"
    for page in [*pathlib.Path(root, "docs").glob("*.md"), pathlib.Path(root, "CONTRIBUTING.md")]:
        made = site / page.relative_to(root).with_suffix(".html")
        check(made.exists(), f"{page} is not in the site")
    start = (site / "index.html").read_text()
    check("docs/tutorial.html" in start and "reference/elements.html" in start, "no way to tutorial and reference")
    elements = (site / "reference/elements.html").read_text()
    for wanted in ("&lt;gpu&gt;", "&lt;fabric kind=&quot;fat-tree&quot;&gt;", "collective algorithms", "plugin"):
        check(re.search(f"<h2[^>]*>{wanted}", elements.replace('"fat-tree"', "&quot;fat-tree&quot;")), wanted)
    check("--check-grain" in (site / "reference/command_line.html").read_text(), "no options")
    check("gpus/h100_sxm" in (site / "reference/catalogue.html").read_text(), "no entries")
    asked = [address for page in site.rglob("*.html")
             for address in re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"', page.read_text())]
    check(not asked, f"the site asks a network: {set(asked)}")


CASES = {"the site has every page, a reference, and needs no network": site_is_whole}


sys.exit(run_cases_in_folders(CASES, *(str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])))
