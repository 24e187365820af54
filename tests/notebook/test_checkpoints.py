"""Checkpoints: what steps wait for, what is written beside them, and the figure."""

from types import SimpleNamespace

import pandas as pd
import pytest
from matplotlib import pyplot as plt

import lightrail_post as post

S = 10**12


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def run_of(writes):
    """Two GPUs, steps of 1 s but for the second one of 3 s, in which GPUs wait 1 s and 2 s for copies and storage."""
    steps = pd.DataFrame([(gpu, i, start * S, end * S) for gpu in (0, 1)
                          for i, (start, end) in enumerate([(0, 1), (1, 4), (4, 5)])],
                         columns=["gpu", "iteration", "t_start_ps", "t_end_ps"])
    exposed = pd.DataFrame([(0, "compute", 2 * S), (0, "copy", 1 * S), (1, "storage", 2 * S)],
                           columns=["gpu", "use", "time_ps"])
    storage = pd.DataFrame([(gpu, 1, 500_000_000, start * S, end * S) for gpu, start, end in writes] +
                           [(0, 0, 7, 0, S)],
                           columns=["from", "is_write", "size_bytes", "t_start_ps", "t_end_ps"])
    return SimpleNamespace(tables={"steps": steps, "exposed": exposed, "storage": storage})


def test_a_save_is_what_all_gpus_write_in_turn():
    table = post.checkpoint_table({"a": run_of([(0, 1, 2), (1, 1, 3), (0, 4, 5), (1, 4, 8)]), "b": run_of([])})
    assert table["saves"].tolist() == [2, 0]
    assert table["saved_gb"]["a"] == 1.0
    assert table["write_s"]["a"] == 3.0  # 1 to 3 s and 4 to 8 s
    assert table["blocked_s"]["a"] == 0.75  # 3 s of two GPUs and two saves
    assert table["mean_step_s"].tolist() == [5 / 3, 5 / 3]


def test_the_figure_has_a_panel_a_run_and_a_bar_a_step():
    figure = post.checkpoint_steps({"one": run_of([(0, 1, 2)]), "two": run_of([])})
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["one\nmean step 1.67 s", "two\nmean step 1.67 s"]
    heights = [patch.get_height() for patch in figure.axes[1].patches]
    assert heights == [1, 3, 1]


def test_runs_without_checkpoints_say_so():
    assert "no run has written a checkpoint" in post.checkpoint_steps({"a": run_of([])}).axes[0].texts[0].get_text()
