"""The tables of scenarios/sweeps/README.md are what its studies gave, and tools/studies says where not."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])


def check(root):
    return subprocess.run([sys.executable, root / "tools/studies", "--check"], capture_output=True, text=True)


def copied(folder, edit):
    """A copy of what tools/studies reads, its README through `edit`."""
    root = pathlib.Path(folder)
    for part in ("tools/studies", "scenarios/sweeps/README.md", "scenarios/sweeps/tables",
                 "postprocess/lightrail_post"):
        (root / part).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / part).is_dir() else shutil.copy)(ROOT / part, root / part)
    readme = root / "scenarios/sweeps/README.md"
    readme.write_text(edit(readme.read_text()))
    return root


done = check(ROOT)
assert done.returncode == 0, done.stderr

first = "| one gate | "
edits = {
    "not what the tables say": lambda text: text.replace(first, first + "1"),
    "has no line <!-- table mixnet_delay -->": lambda text: text.replace("<!-- table mixnet_delay -->", ""),
    "the table mixnet_margin of scenarios/sweeps/README.md has lost: bit errors, median":
        lambda text: text.replace("| bit errors, median |", "| bit errors |"),
    "has a table mixnet_dealy that no study gives": lambda text: text.replace("table mixnet_delay", "table mixnet_dealy"),
}
for message, edit in edits.items():
    with tempfile.TemporaryDirectory() as folder:
        root = copied(folder, edit)
        done = check(root)
        assert done.returncode == 1 and message in done.stderr, (message, done.returncode, done.stderr)
        if "tables say" in message:
            subprocess.run([sys.executable, root / "tools/studies"], check=True)
            assert (root / "scenarios/sweeps/README.md").read_text() == (ROOT / "scenarios/sweeps/README.md").read_text()
