"""Figure of the study of queue pairs: axes for each collective, a line for each use and kind of ways."""

import pandas as pd
import pytest
from matplotlib import pyplot as plt

from lightrail_post import studies
from lightrail_post.__main__ import main


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def row(collective, routing, qps, use, paths, seed, milliseconds):
    return {"collective": collective, "routing": routing, "qps": qps, "use": use, "paths": paths, "seed": seed,
            "status": "complete", "step_time_ps": int(milliseconds * 1e9)}


def rows():
    for collective, even in (("all-reduce", 1), ("all-to-all", 2)):
        yield row(collective, "adaptive", 1, "turns", "hashed", 1, even)
        for seed, by in ((1, 1), (2, 3)):
            yield row(collective, "ecmp", 1, "turns", "hashed", seed, even * by)
            yield row(collective, "ecmp", 4, "turns", "hashed", seed, even * (by + 1) / 2)
            yield row(collective, "ecmp", 4, "turns", "disjoint", seed, even)


def test_lines_are_means_over_seeds_and_over_adaptive_routing(tmp_path):
    pd.DataFrame(rows()).to_csv(tmp_path / "queue_pairs.csv", index=False)
    figure = studies.queue_pairs(studies.read_study(tmp_path, "queue_pairs"))
    assert len(figure.axes) == 2
    for axes in figure.axes:
        lines = {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines}
        assert lines["chunks in turns, hashed ways"] == ([1, 4], [2, 1.5])
        assert lines["chunks in turns, disjoint ways"] == ([1, 4], [2, 1])
    assert figure.axes[0].get_title(loc="left") == "all-reduce: 2.00 to 1.00"


def test_the_picture_is_written(tmp_path):
    pd.DataFrame(rows()).to_csv(tmp_path / "queue_pairs.csv", index=False)
    assert main(["queue-pairs", str(tmp_path), "--out", str(tmp_path / "queue_pairs.png")]) == 0
    assert (tmp_path / "queue_pairs.png").stat().st_size > 10_000


def test_no_table_is_no_error(tmp_path):
    assert "no study of" in studies.queue_pairs(studies.read_study(tmp_path, "a")).axes[0].texts[0].get_text()
