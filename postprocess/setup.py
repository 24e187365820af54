"""The rest stands in pyproject.toml. The version is the tool's, which the repository's CMakeLists.txt names."""

import re
from pathlib import Path

from setuptools import setup

CMAKE = Path(__file__).resolve().parent.parent / "CMakeLists.txt"
found = re.search(r"^project\(lightrail VERSION ([0-9.]+)", CMAKE.read_text() if CMAKE.exists() else "", re.M)
if not found:
    raise SystemExit(f"{CMAKE}: no project(lightrail VERSION ...); install from a checkout of the repository")
setup(version=found[1])
