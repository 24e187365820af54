"""Figure of plans: what `lightrail plan --out` has written, and the front of time and cost."""

import pytest
from matplotlib import pyplot as plt

from lightrail_post.__main__ import main
from lightrail_post.plans import front, plans, read_plans

HEAD = "gpus,network_dollars,network_watts,rank,estimate_ps,formula_ps,trains_ps,tokens_per_s_per_gpu,memory_bytes,plan\n"


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_the_front_has_what_nothing_beats_in_both():
    assert front([(3, 1), (1, 5), (2, 5), (2, 4), (1, 6), (4, 1)]) == [(1, 5), (2, 4), (3, 1)]


def test_clusters_are_compared_by_their_networks_cost(tmp_path):
    path = tmp_path / "plans.csv"
    path.write_text("spine," + HEAD
                    + '"1",16,2000000,9.5,1,4100000000,4000000000,3000000000,1.0,1,"tp=1"\n'
                    + '"3",16,1000000,5.5,1,6100000000,6000000000,-1,1.0,1,"tp=2"\n')
    table = read_plans(path)
    assert table["step_s"].tolist() == pytest.approx([0.003, 0.006])  # trains before formula
    assert table["cluster"].tolist() == ["spine=1", "spine=3"]
    axes = plans(table).axes[0]
    assert axes.get_xlabel() == "network [M$]"
    assert axes.get_title(loc="left") == "50 % shorter steps for 2.00 times as much"


def test_plans_of_one_cluster_are_compared_by_memory(tmp_path):
    path = tmp_path / "plans.csv"
    path.write_text(HEAD + '16,,,1,-1,4000000000,-1,1.0,2147483648,"tp=1"\n')
    axes = plans(read_plans(path)).axes[0]
    assert axes.get_xlabel() == "memory of a GPU [GiB]"
    assert axes.get_title(loc="left") == "The cheapest is the fastest"
    assert main(["plans", str(path), "--out", str(tmp_path / "made" / "plans.png")]) == 0
    assert (tmp_path / "made" / "plans.png").stat().st_size > 10_000


def test_no_plan_is_no_error(tmp_path):
    path = tmp_path / "plans.csv"
    path.write_text(HEAD)
    assert "no plan fits" in plans(read_plans(path)).axes[0].texts[0].get_text()
