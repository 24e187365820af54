"""run() and sweep() call the program itself: results, failures as exceptions, paths, what is shown."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import lightrail_post as post
import pandas as pd
import pytest
from lightrail_post.program import LightrailError, Mistake

OWN = Path(__file__).resolve().parents[1] / "mpi" / "scenarios"
SMALL = (OWN / "sweep.xml").read_text().split("<sweep>")[0] + "</scenario>\n"


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("small.xml").write_text(SMALL)


def test_a_run_is_opened_and_is_the_same_on_any_number_of_ranks():
    run = post.run("small.xml", servers=3)
    assert run.path == Path("small.h5") and run.info["status"] == "complete"
    two = post.run("small.xml", servers=3, ranks=2, out="two.h5")
    assert two.info["mpi_ranks"] == 2 and two.info["hash"] == run.info["hash"]
    assert post.run("small.xml", settings={"servers": 4}).info["hash"] != run.info["hash"]


def test_mistakes_of_a_scenario_have_file_and_line():
    Path("wrong.xml").write_text(SMALL.replace('gpus="2"', 'gpus="two"').replace("</cluster>", "<nc/></cluster>"))
    with pytest.raises(post.ScenarioError, match="exit code 2") as caught:
        post.run("wrong.xml")
    assert caught.value.exit_code == 2
    first = caught.value.mistakes[0]
    assert first == Mistake("wrong.xml", 6, first.what) and "gpus" in first.what
    with pytest.raises(post.ScenarioError, match="--set server=2") as caught:
        post.run("small.xml", server=2)
    assert caught.value.mistakes[0].line == 0
    with pytest.raises(post.ScenarioError, match="nowhere.xml"):
        post.sweep("nowhere.xml", servers=[1, 2])


def test_a_system_that_fails_is_an_exception_of_its_own():
    with pytest.raises(post.SimulationFailed) as caught:
        post.run(OWN / "failed_port.xml", at="600 us")
    assert caught.value.exit_code == 3 and caught.value.mistakes


def test_a_file_that_cannot_be_written_is_neither():
    with pytest.raises(LightrailError) as caught:
        post.run("small.xml", out="nowhere/x.h5")
    assert type(caught.value) is LightrailError and caught.value.exit_code == 4


def test_a_sweep_of_lists_is_their_product_and_opens_its_results():
    study = post.sweep("small.xml", jobs=2, servers=[2, 3], length=["2 m", "3 m"])
    assert study["servers"].tolist() == [2, 2, 3, 3] and study["length"].tolist() == ["2 m", "3 m"] * 2
    assert set(study["status"]) == {"complete"} and study["hash"].nunique() == 4
    assert post.open_run(study["result"][3]).info["hash"] == study["hash"][3]
    before = {path: path.stat().st_mtime_ns for path in Path("small.sweep").glob("points/*/summary.json")}
    again = post.sweep("small.xml", servers=[2, 3], length=["2 m", "3 m"])
    pd.testing.assert_frame_equal(again, study)
    assert before == {path: path.stat().st_mtime_ns for path in Path("small.sweep").glob("points/*/summary.json")}


def test_a_sweep_in_the_file_runs_as_it_is_or_makes_room_for_another():
    Path("swept.xml").write_text((OWN / "sweep.xml").read_text())
    study = post.sweep("swept.xml", only={"servers": 2, "length": "3 m"}, keep_results=False)
    assert study["status"].tolist() == ["not run", "complete", "not run", "not run"] and "result" not in study
    other = post.sweep("swept.xml", out="other", servers=[3, 2], length="2 m")
    assert other["servers"].tolist() == [3, 2] and set(other["status"]) == {"complete"}
    with pytest.raises(ValueError, match="values of 'servers'"):
        post.sweep("small.xml", servers=[])


def test_points_that_fail_are_rows():
    study = post.sweep(OWN / "failed_port.xml", out="failed", at=["600 us", "100 s"])
    assert study["status"].tolist() == ["exit code 3", "complete"]
    assert study["error"][0].startswith("error: ")


def test_a_program_that_is_not_there_is_said(monkeypatch):
    with pytest.raises(FileNotFoundError, match="no program '/nowhere/lightrail'"):
        post.run("small.xml", program="/nowhere/lightrail")
    assert post.find_program() == os.environ["LIGHTRAIL"]


def test_an_interrupted_sweep_is_a_keyboard_interrupt_and_goes_on():
    lengths = [f"{length} m" for length in range(1, 41)]
    code = ("import lightrail_post as post\n"
            f"try: post.sweep('small.xml', jobs=1, length={lengths})\n"
            "except KeyboardInterrupt: print('interrupted')")
    job = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while not list(Path("small.sweep").glob("points/*/summary.json")):
        assert time.monotonic() < end and job.poll() is None
        time.sleep(0.01)
    job.send_signal(signal.SIGINT)
    assert job.communicate(timeout=60)[0] == "interrupted\n"
    assert len(list(Path("small.sweep").glob("points/*/summary.json"))) < 40
    assert set(post.sweep("small.xml", length=lengths)["status"]) == {"complete"}
