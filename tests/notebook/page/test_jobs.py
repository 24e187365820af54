"""Results of several jobs: each has its own steps, GPUs and use of time."""

import os
import subprocess
from pathlib import Path

import pytest

import lightrail_post as post

SCENARIO = Path(__file__).resolve().parents[2] / "mpi/scenarios/jobs.xml"


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    path = tmp_path_factory.mktemp("jobs") / "jobs.h5"
    subprocess.run([os.environ["LIGHTRAIL"], "run", str(SCENARIO), "--out", str(path), "--progress", "none"], check=True,
                   stdout=subprocess.DEVNULL)
    return post.open_run(path)


def test_each_job_has_its_gpus(jobs):
    assert {name: len(gpus) for name, gpus in jobs.jobs.items()} == {"large": 10, "late": 8, "chat": 4}
    assert jobs.gpus_of("chat") == [24, 25, 26, 27]
    with pytest.raises(ValueError, match="no job 'lat' .jobs: large, late, chat."):
        jobs.gpus_of("lat")


def test_time_is_that_of_each_job_s_own_last_iteration(jobs):
    """`large` has two iterations, `late` three: the last of the run is none of `large`."""
    large, late = post.exposed(jobs, job="large"), post.exposed(jobs, job="late")
    assert {"large.pp bubble", "large.dp"} <= set(large.index) and {"late.tp", "late.ep"} <= set(late.index)
    both = post.exposed(jobs)
    assert set(both.index) == set(large.index) | set(late.index)
    assert both["mean_ps"].sum() * 18 == pytest.approx(large["mean_ps"].sum() * 10 + late["mean_ps"].sum() * 8)
    assert len(post.exposed(jobs, by="gpu")) == 18 and len(post.exposed(jobs, by="gpu", job="late")) == 8


def test_the_bottleneck_is_asked_of_a_job(jobs):
    table = jobs.summary["jobs"].set_index("name")["step_time_ps"]
    assert post.bottleneck(jobs, job="late").step_ps == table["late"]
    assert post.bottleneck(jobs, job="large").part == post.exposed(jobs, job="large").index[0]
    with pytest.raises(ValueError, match="several jobs, say job= .one of large, late, chat."):
        post.bottleneck(jobs)
    with pytest.raises(ValueError, match="no iteration has ended"):
        post.bottleneck(jobs, job="chat")


def test_one_job_has_no_name(run):
    assert run.jobs == {} and post.exposed(run).equals(post.exposed(run, job=None))
    with pytest.raises(ValueError, match="jobs: only one, without a name"):
        post.exposed(run, job="a")


def test_a_page_of_several_jobs_is_written(jobs, tmp_path):
    assert post.write_page([jobs], tmp_path / "page.html") > 1e6
