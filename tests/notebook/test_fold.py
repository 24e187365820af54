"""Figure of the study of folded steps: a line a case, errors against the whole step of the same cluster."""

import pandas as pd
import pytest
from matplotlib import pyplot as plt

from lightrail_post import studies
from lightrail_post.__main__ import main
from lightrail_post.fold import fold_errors


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def rows():
    return pd.DataFrame([
        {"experts": experts, "jitter": 0.0, "gpus": gpus, "fold": fold, "status": "complete",
         "events": 1000 // fold,
         "step_time_ps": int((1 + experts) * 1e12 * (1 if fold == 1 else 1 + gpus * 1e-5))}
        for experts in (0, 8) for gpus in (256, 1024) for fold in (1, 4)
        if (experts, gpus, fold) != (8, 1024, 1)])


def test_errors_are_those_against_the_whole_step_of_the_same_cluster(tmp_path):
    rows().to_csv(tmp_path / "fold.csv", index=False)
    errors = fold_errors(studies.read_study(tmp_path, "fold"))
    # With 8 experts 1,024 GPUs have no whole step.
    assert list(zip(errors["experts"], errors["gpus"])) == [(0, 256), (0, 1024), (8, 256)]
    assert errors["error"].tolist() == pytest.approx([0.256, 1.024, 0.256])
    assert errors["gain"].tolist() == [4, 4, 4]


def test_the_picture_names_the_worst_and_is_written(tmp_path):
    rows().to_csv(tmp_path / "fold.csv", index=False)
    axes = studies.fold(studies.read_study(tmp_path, "fold")).axes[0]
    assert axes.get_title(loc="left") == "A folded step is +1.02 % off the whole one at most, at 1,024 GPUs"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "dense, fold 4 (4.0 times fewer events)", "experts, fold 4 (4.0 times fewer events)"]
    assert main(["fold", str(tmp_path), "--out", str(tmp_path / "made" / "fold.png")]) == 0
    assert (tmp_path / "made" / "fold.png").stat().st_size > 10_000


def test_no_table_is_no_error(tmp_path):
    assert "no study of" in studies.fold(studies.read_study(tmp_path, "a")).axes[0].texts[0].get_text()
