"""Figure of the loss of a leaf: a panel a run, with its steps or why it ended."""

import pandas as pd
import pytest
from matplotlib import pyplot as plt

from lightrail_post.__main__ import main
from lightrail_post.leaf_loss import leaf_loss, read_leaf_loss


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def write_leaf_loss(folder):
    pd.DataFrame([
        {"point": 0, "fabric": "rail-optimised", "repair": "300 ms", "status": "complete", "error": ""},
        {"point": 1, "fabric": "fat-tree", "repair": "1000 s", "status": "exit code 3",
         "error": "nic48 at 714.762 ms: gave up sending to endpoint 56"}]).to_csv(folder / "leaf_loss.csv", index=False)
    pd.DataFrame([{"point": 0, "iteration": i, "gpu_step_max_ps": int(ms * 1e9)}
                  for i, ms in ((1, 290.0), (0, 85.6), (2, 120.7))]).to_csv(folder / "leaf_loss_iterations.csv",
                                                                           index=False)


def test_each_run_has_a_panel_of_its_steps_or_of_why_it_ended(tmp_path):
    write_leaf_loss(tmp_path)
    rails, tree = leaf_loss(*read_leaf_loss(tmp_path)).axes
    assert [round(bar.get_height(), 1) for bar in rails.patches] == [85.6, 290.0, 120.7]
    assert rails.get_title(loc="left") == "rails, leaf away 300 ms:\n86 ms, longest 290, last 121"
    assert tree.get_title(loc="left") == "fat tree, leaf away for good:\nthe job ends"
    assert "gave up sending" in tree.texts[0].get_text().replace("\n", " ")


def test_the_picture_is_written(tmp_path):
    write_leaf_loss(tmp_path)
    assert main(["leaf-loss", str(tmp_path), "--out", str(tmp_path / "made" / "leaf_loss.png")]) == 0
    assert (tmp_path / "made" / "leaf_loss.png").stat().st_size > 10_000


def test_no_table_is_no_error(tmp_path):
    assert "no study of" in leaf_loss(*read_leaf_loss(tmp_path)).axes[0].texts[0].get_text()
