"""What stands in boxes of a page: ```sh is run by bash, ```python by Python, ```xml NAME is written to that
file, and every line of ```text must have been printed by then. Boxes that are only indented are left
alone."""
import pathlib
import re
import subprocess
import sys

BOX = re.compile(r"^```(\w+) *(\S*)\n(.*?)^```$", re.M | re.S)
TIMEOUT_S = 300


def boxes(text):
    """[(line, kind, name, content)] in the order of the page."""
    return [(text[:box.start()].count("\n") + 1, *box.groups()) for box in BOX.finditer(text)]


def folded(text):
    return " ".join(text.split())


class Reader:
    """Does what a page says, in one folder; `problems` has what went wrong, a sentence each."""

    def __init__(self, folder, environment):
        self.folder, self.environment = pathlib.Path(folder), environment
        self.printed, self.problems = "", []

    def read(self, page):
        for line, kind, name, content in boxes(pathlib.Path(page).read_text()):
            place = f"{pathlib.Path(page).name}:{line}"
            if kind == "sh":
                self.call(place, ["bash", "-euo", "pipefail", "-c", content])
            elif kind == "python":
                self.call(place, [sys.executable, "-c", content])
            elif kind == "xml" and name:
                (self.folder / name).write_text(content)
            elif kind == "text":
                self.problems += [f"{place}: nothing printed '{folded(wanted)}'" for wanted in content.splitlines()
                                  if folded(wanted) not in folded(self.printed)]
            else:
                self.problems.append(f"{place}: a box of kind '{kind} {name}'")

    def call(self, place, command):
        done = subprocess.run(command, cwd=self.folder, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=TIMEOUT_S)
        self.printed += done.stdout
        if done.returncode:
            self.problems.append(f"{place}: exit code {done.returncode}\n{done.stdout[-2000:]}")
