"""What tests of plugins share: runs of the installed lightrail with plugins, and checks."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import h5py


def run(*command, expect=0, **options):
    """The output of a command that must end with exit code `expect`."""
    done = subprocess.run([str(c) for c in command], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    if done.returncode != expect:
        sys.exit(f"FAIL {' '.join(map(str, command))}: exit code {done.returncode}, wanted {expect}\n{done.stdout}")
    return done.stdout


def check(what, found, wanted=True):
    if found != wanted:
        sys.exit(f"FAIL {what}: {found}, wanted {wanted}")
    print(f"ok   {what}")


class PluginBed:
    """Runs in a folder of its own; `bed` is what build_plugins.py has made."""

    def __init__(self, bed):
        self.bed = pathlib.Path(bed)
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        # A wrong catalogue of the source tree must not be found by accident.
        self.environment = {k: v for k, v in os.environ.items() if k != "LIGHTRAIL_CATALOGUE"}

    def plugin(self, name):
        return self.bed / "build" / f"{name}.so"

    def lightrail(self, *arguments, plugins=(), ranks=1, expect=0):
        start = ["mpiexec", "-n", ranks] if ranks > 1 else []
        loaded = [word for name in plugins for word in ("--plugin", self.plugin(name))]
        return run(*start, self.bed / "prefix/bin/lightrail", *arguments, *loaded, expect=expect, cwd=self.folder,
                   env=self.environment)

    def write(self, xml, name="scenario.xml"):
        (self.folder / name).write_text(xml)
        return name

    def run(self, xml, *options, plugins=(), ranks=1, expect=0):
        """What `lightrail run` prints; its result is read by summary() and result()."""
        return self.lightrail("run", self.write(xml), "--out", "r.h5", "--summary", "r.json", *options, plugins=plugins,
                              ranks=ranks, expect=expect)

    def summary(self):
        return json.loads((self.folder / "r.json").read_text())

    def result(self):
        return h5py.File(self.folder / "r.h5")

    def table(self, name):
        """{column: list of values}, and {column: labels} of those that have some."""
        with self.result() as file:
            columns = file["tables"][name]
            labels = {key: [text.decode() for text in column.attrs["labels"]] for key, column in columns.items()
                      if "labels" in column.attrs}
            return {key: column[()].tolist() for key, column in columns.items()}, labels
