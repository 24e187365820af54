"""Figure of two jobs: bars alone and beside the other one, the finding from the rows."""

import pandas as pd
import pytest
from matplotlib import pyplot as plt

from lightrail_post.__main__ import main
from lightrail_post.two_jobs import read_two_jobs, two_jobs


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def jobs():
    steps = {("packed", "off"): 104, ("packed", "on"): 104, ("spread", "off"): 105, ("spread", "on"): 151}
    return pd.DataFrame([{"placement": placement, "spine": spine, "b": b, "status": "complete",
                          "jobs_a_mean_step_time_ps": int(ms * 1e9)}
                         for spine in (1, 4) for (placement, b), ms in steps.items()])


def test_two_jobs_have_a_bar_alone_and_one_beside_the_other():
    axes = two_jobs(jobs()).axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["spine 1:1", "spine 4:1"]
    heights = sorted(bar.get_height() for bar in axes.patches if bar.get_height())
    assert heights == [104] * 4 + [105] * 2 + [151] * 2
    assert axes.get_title(loc="left") == "Spine 4:1, what the other job costs: packed +0 %, spread +44 %"


def test_the_picture_is_written(tmp_path):
    jobs().to_csv(tmp_path / "two_jobs.csv", index=False)
    assert main(["two-jobs", str(tmp_path), "--out", str(tmp_path / "made" / "two_jobs.png")]) == 0
    assert (tmp_path / "made" / "two_jobs.png").stat().st_size > 10_000


def test_no_table_is_no_error(tmp_path):
    assert "no study of" in two_jobs(read_two_jobs(tmp_path)).axes[0].texts[0].get_text()
