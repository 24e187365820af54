"""Calls a program and shows the last line of what it says of its progress, in a notebook or on a terminal."""

import codecs
import os
import re
import selectors
import signal
import subprocess
import sys

PROGRESS = re.compile(r"^(\[[#-]+\]|progress |sim |\[\d+/\d+\] )")


class _Line:
    """A line that the next one replaces."""

    def __init__(self):
        self._handle = None
        self._is_notebook = "ipykernel" in sys.modules
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()

    def show(self, text):
        if self._is_notebook:
            from IPython.display import display
            content = {"text/plain": text}
            if self._handle is None:
                self._handle = display(content, raw=True, display_id=True)
            else:
                self._handle.update(content, raw=True)
        elif self._is_terminal:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
            self._handle = text

    def end(self):
        if self._handle is not None and not self._is_notebook:
            print(file=sys.stderr)


def shown(words):
    """(exit code, what it printed): progress is shown while it runs, everything else returned. Ctrl-C stops
    the program, which leaves a checkpoint, and comes out as KeyboardInterrupt."""
    line, kept, rest = _Line(), [], ""
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as program:
        try:
            with selectors.DefaultSelector() as ready:
                ready.register(program.stdout, selectors.EVENT_READ)
                while data := (ready.select() and os.read(program.stdout.fileno(), 65536)):
                    *texts, rest = re.split(r"\r\033\[K|[\r\n]", rest + decode(data))
                    for text in texts + ([rest] if PROGRESS.match(rest) else []):
                        if PROGRESS.match(text):
                            line.show(text)
                        else:
                            kept.append(text)
        except KeyboardInterrupt:
            program.send_signal(signal.SIGINT)
            program.wait()
            raise
        finally:
            line.end()
    return program.returncode, "\n".join([*kept, rest])
