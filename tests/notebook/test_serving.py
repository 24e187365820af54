"""Latencies of requests by hand, percentiles as the summary has them, and the figure's finding."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import lightrail_post as post
from lightrail_post.serving import nearest_rank


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def run_of(rows):
    columns = ["request", "t_arrival_ps", "t_first_token_ps", "t_end_ps", "output_tokens"]
    return SimpleNamespace(tables={"requests": pd.DataFrame(rows, columns=columns)}, label="run",
                           path=Path("run.h5"), info={"settings": []})


def test_latencies_are_those_of_the_definitions():
    latencies = post.request_latencies(run_of([(1, 100, 150, 150, 1), (0, 0, 40, 100, 4)]))
    assert latencies["ttft_ps"].tolist() == [40, 50]
    # one token: no time between tokens
    assert latencies["tpot_ps"][0] == 20 and np.isnan(latencies["tpot_ps"][1])
    assert latencies["e2e_ps"].tolist() == [100, 50]


def test_a_percentile_is_the_smallest_value_that_enough_do_not_exceed():
    assert nearest_rank([3, 1, 2], 50) == 2
    assert nearest_rank(range(1, 101), 99) == 99
    assert nearest_rank([5, np.nan], 90) == 5
    assert np.isnan(nearest_rank([np.nan], 50))


def test_more_load_stands_further_right_and_the_title_says_what_it_costs():
    second = 10**12
    slow = run_of([(i, i * second, i * second + second // 10, i * second + second, 10) for i in range(10)])
    fast = run_of([(i, i * second // 10, i * second // 10 + second // 5, i * second // 10 + second, 10)
                   for i in range(10)])
    table = post.serving_table([fast, slow])
    assert table["offered_per_s"].tolist() == pytest.approx([1, 10])
    assert len(set(table.index)) == 2
    assert table["output_tokens_per_s"].tolist() == pytest.approx([10, 100 / 1.9])
    figure = post.throughput_latency([fast, slow])
    assert figure.axes[0].get_title(loc="left").strip() == "5.3 times the tokens cost 2 times the wait (p99)"
    assert all(axes.get_xlabel() for axes in figure.axes)
    assert [axes.get_ylabel().split(" [")[0] for axes in figure.axes] == ["time to the first token",
                                                                        "time of a further token"]


def test_runs_without_requests_say_so():
    figure = post.throughput_latency([SimpleNamespace(tables={})])
    assert "no run has requests" in figure.axes[0].texts[0].get_text()
