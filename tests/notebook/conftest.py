"""Results for the tests, written by the recorder itself (tests/unit/engine/record/record_rows.cpp)."""

import os
import subprocess
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(scope="session")
def record_rows():
    program = os.environ.get("LIGHTRAIL_RECORD_ROWS")
    if not program:
        pytest.fail("LIGHTRAIL_RECORD_ROWS does not name the program record_rows")

    def write(path, intervals=4, rows=12):
        subprocess.run([program, str(path), "gather", str(intervals), str(rows), "0"], check=True)
        return Path(path)

    return write


@pytest.fixture(scope="session")
def result(record_rows, tmp_path_factory):
    return record_rows(tmp_path_factory.mktemp("result") / "synthetic.h5")
