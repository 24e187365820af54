"""A line for each question that is asked most."""

import pytest

import lightrail_post as post


@pytest.fixture
def other(results):
    return post.open_run(results[1])


def test_exposed_time_by_gpu_has_the_mean_of_all(run):
    by_gpu, parts = post.exposed(run, by="gpu"), post.exposed(run)
    assert len(by_gpu) == 16 and by_gpu.sum(axis=1).tolist() == pytest.approx([1] * 16)
    steps = run.tables["steps"].set_index("gpu").sort_index()
    time = steps["t_end_ps"] - steps["t_start_ps"]
    assert by_gpu.mul(time, axis=0).mean()[parts.index].tolist() == pytest.approx(parts["mean_ps"].tolist())


def test_an_unknown_split_is_refused(run):
    with pytest.raises(ValueError, match="cannot split by 'group' .one of dimension, role, gpu."):
        post.exposed(run, by="group")


def test_the_bottleneck_is_what_takes_most(run):
    found = post.bottleneck(run)
    busy = run.tables["link_use"].groupby("link")["t_busy_ps"].sum()
    assert (found.part, found.part_share) == tuple(post.exposed(run)["share"].items())[0]
    assert found.link_use == pytest.approx(busy.max() / run.info["sim_end_ps"])
    assert found.path == run.summary["critical_path"]["parts"]["label"][0]


def test_a_bottleneck_says_what_it_knows(run):
    for table in ("link_use", "exposed"):
        run.tables._read[table] = run.tables[table].iloc[:0]
    del run.summary["critical_path"]
    found = post.bottleneck(run)
    assert (found.part, found.path, found.link) == (None, None, None)
    assert str(found).endswith(": nothing was recorded")


def test_a_comparison_both_ways_has_opposite_signs(run, other):
    there, back = post.compare(run, other), post.compare(other, run)
    assert there["change_ps"].to_dict() == (-back["change_ps"]).to_dict()
    assert there["change_ps"].abs().is_monotonic_decreasing


def test_a_run_without_an_iteration_has_no_answers(run, empty_run):
    for ask in (post.bottleneck, post.exposed, lambda empty: post.compare(run, empty)):
        with pytest.raises(ValueError, match="empty.h5: no "):
            ask(empty_run)
