"""Figure of the study of InfiniBand against RoCE: a group of bars a case, the finding from the rows."""

import pandas as pd
import pytest
from matplotlib import pyplot as plt

from lightrail_post import studies
from lightrail_post.__main__ import main


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def rows():
    steps = {"infiniband": 0.1, "pauses": 0.09, "go_back_n": 0.11}
    return pd.DataFrame([
        {"network": network, "routing": routing, "spine": spine, "buffer": buffer, "status": "complete",
         "step_time_ps": int(step * scale * 1e12)}
        for routing, spine, buffer, scale in (("adaptive", 1, "200 MB", 1), ("ecmp", 1.5, "16 MB", 2))
        for network, step in steps.items() if (network, buffer) != ("infiniband", "16 MB")])


def test_each_case_has_a_bar_for_each_network_that_ran(tmp_path):
    rows().to_csv(tmp_path / "roce.csv", index=False)
    axes = studies.roce(studies.read_study(tmp_path, "roce")).axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == [
        "full spine, adaptive", "spine 1.5:1, ECMP,\n16 MB a switch"]
    assert sorted(round(bar.get_height()) for bar in axes.patches) == [90, 100, 110, 180, 220]
    assert axes.get_title(loc="left") == (
        "full spine, adaptive: RoCE -10.0 to +10.0 % of InfiniBand; all in all 2.44 apart")


def test_the_picture_is_written(tmp_path):
    rows().to_csv(tmp_path / "roce.csv", index=False)
    assert main(["roce", str(tmp_path), "--out", str(tmp_path / "made" / "roce.png")]) == 0
    assert (tmp_path / "made" / "roce.png").stat().st_size > 10_000


def test_no_table_is_no_error(tmp_path):
    assert "no study of" in studies.roce(studies.read_study(tmp_path, "a")).axes[0].texts[0].get_text()
