"""What a program prints is kept; of its progress the newest line is shown."""

import sys

from lightrail_post.progress import shown

PROGRAM = r"""
import sys
sys.stderr.write("\r\033[K[####----]  20.0% sim 1 ms\r\033[K[########] 100.0% sim 5 ms\n")
print("status complete")
sys.stderr.write("error: s.xml:3: naïve\n")
sys.exit(3)
"""


class Terminal:
    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text

    def flush(self):
        pass

    def isatty(self):
        return True


def test_progress_is_shown_and_the_rest_is_kept(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    code, output = shown([sys.executable, "-c", PROGRAM])
    assert code == 3
    assert sorted(line for line in output.splitlines() if line) == ["error: s.xml:3: naïve", "status complete"]
    assert "[####----]  20.0%" in terminal.text and terminal.text.endswith("[########] 100.0% sim 5 ms\n")


def test_nothing_is_shown_where_nobody_looks(capsys):
    shown([sys.executable, "-c", PROGRAM])
    assert capsys.readouterr() == ("", "")
