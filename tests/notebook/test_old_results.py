"""Results that older versions wrote are read by today's package and command (tests/data/old_results)."""

import gzip
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import lightrail_post as post
from lightrail_post.report import report

FOLDER = Path(__file__).resolve().parents[1] / "data/old_results"
VERSIONS = sorted(path.name.removesuffix(".h5.gz") for path in FOLDER.glob("*.h5.gz"))


def test_there_is_one_of_every_released_version():
    changelog = (Path(__file__).resolve().parents[2] / "CHANGELOG.md").read_text()
    released = [line.split("]")[0][4:] for line in changelog.splitlines() if line.startswith("## [")]
    assert VERSIONS == sorted(set(released) - {"Unreleased"})


@pytest.fixture(params=VERSIONS)
def old(request, tmp_path):
    path = tmp_path / f"{request.param}.h5"
    with gzip.open(FOLDER / f"{request.param}.h5.gz") as packed, path.open("wb") as file:
        shutil.copyfileobj(packed, file)
    return path


def test_its_tables_and_summary_open(old):
    run = post.open_run(old)
    assert run.schema["software_version"] == old.stem
    assert run.info["status"] == "complete" and run.summary["step_time_ps"] > 0
    assert set(run.tables["ops"]["kind"]) >= {"compute", "collective"}
    assert {"dp", "ep", "pp"} <= set(run.dimensions)
    assert (run.tables["steps"]["t_host_ps"] >= 0).all()
    assert run.tables["steps"]["iteration"].max() == 1 and len(run.tables["messages"]) > 100


def test_its_figures_and_page_are_drawn(old, tmp_path):
    run = post.open_run(old)
    figures = report(run, tmp_path / "figures")
    assert len(figures) > 5 and all(Path(path).stat().st_size > 1000 for path in figures)
    assert post.write_page([run], tmp_path / "page.html") > 1e6
    assert "step" in str(post.bottleneck(run))


def test_the_command_explains_it_or_says_what_it_lacks(old):
    done = subprocess.run([os.environ["LIGHTRAIL"], "explain", old], text=True, capture_output=True)
    assert done.returncode == 0 and "where it went" in done.stdout or \
        done.returncode == 2 and f"{old.name}: has no table exposed (an older result" in done.stderr, done.stdout + done.stderr
