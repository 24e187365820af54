"""Weeks of a job: the best interval of each run, and the figure's finding."""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from matplotlib import pyplot as plt

import lightrail_post as post

MINUTE = 60 * 10**12


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def run_of(gpus, means, blocking_s=1, write_s=0):
    intervals = pd.DataFrame({"every_ps": [(i + 1) * MINUTE for i in range(len(means))], "mean": means,
                              "p5": [m - 0.01 for m in means], "p95": [m + 0.01 for m in means], "closed_form": means},
                             columns=["every_ps", "mean", "p5", "p95", "closed_form"])
    return SimpleNamespace(label=f"{gpus}", path=Path(f"{gpus}.h5"), info={"settings": []}, summary={"goodput": {
        "every_ps": 5 * MINUTE, "effective": 0.4, "gpus": gpus, "blocking_ps": blocking_s * 10**12, "write_ps": write_s * 10**12, "intervals": intervals,
        "best_every_ps": int(intervals["every_ps"][intervals["mean"].idxmax()]) if means else 0,
        "closed_best_every_s": 90.0, "young_s": 120.0}})


def test_a_row_a_run_by_the_way_of_saving_and_the_size():
    table = post.best_intervals([run_of(16384, [0.5, 0.7, 0.6]), run_of(1024, [0.9, 0.8]),
                                 run_of(64, [0.9], 1, 30)])
    assert table["gpus"].tolist() == [1024, 16384, 64]
    assert table["best_min"].tolist() == [1, 2, 1]
    assert table.index.tolist() == ["1024", "16384", "64"]
    assert table["best_effective"].tolist() == [0.9, 0.7, 0.9]
    assert table["every_min"].tolist() == [5, 5, 5] and table["effective"].tolist() == [0.4, 0.4, 0.4]
    assert table["exact_min"].iloc[0] == 1.5 and table["young_min"].iloc[0] == 2


def test_runs_of_one_size_have_one_line_of_the_legend():
    figure = post.effective_over_interval([run_of(64, [0.9, 0.8]), run_of(64, [0.9, 0.7])])
    texts = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert texts == ["64 GPUs"]


def test_the_title_of_each_panel_is_the_largest_jobs_best_interval():
    figure = post.effective_over_interval([run_of(16384, [0.5, 0.7, 0.6]), run_of(1024, [0.9, 0.8]),
                                           run_of(64, [0.9], 1, 30)])
    titles = [axes.get_title(loc="left").strip() for axes in figure.axes]
    assert titles == ["16,384 GPUs: 70.0 % if they save each 2 min", "64 GPUs: 90.0 % if they save each 1 min"]
    assert figure.axes[0].texts[0].get_text() == "1 s blocked"
    assert figure.axes[1].texts[0].get_text() == "1 s blocked, 30 s beside training"


def test_runs_without_intervals_say_so():
    figure = post.effective_over_interval([
        SimpleNamespace(label="x", path=Path("x.h5"), info={}, summary={}), run_of(8, [])])
    assert "no run has played checkpoint intervals" in figure.axes[0].texts[0].get_text()
