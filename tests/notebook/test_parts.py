"""Where the steps of several runs go: parts add up to a GPU's time, and the picture is written."""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from matplotlib import pyplot as plt

from lightrail_post.parts import PARTS, markdown, step_parts, step_parts_bars

DIMENSIONS = ["tp", "ep"]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def a_run(uses, step_ps=10e9, label="a"):
    """`uses`: (gpu, iteration, use, dimension, time [ps])."""
    table = pd.DataFrame(uses, columns=["gpu", "iteration", "use", "dimension", "time_ps"])
    return SimpleNamespace(path=Path("a.h5"), label=label, dimensions=DIMENSIONS, tables={"exposed": table},
                           summary={"step_time_ps": step_ps})


def two_gpus():
    return a_run([(0, 0, "compute", -1, 99e9), (0, 1, "compute", -1, 6e9), (0, 1, "communication", 1, 3e9),
                  (0, 1, "host", -1, 1e9), (1, 1, "compute", -1, 4e9), (1, 1, "communication", 0, 2e9),
                  (1, 1, "bubble", 0, 3e9), (1, 1, "idle", -1, 1e9)])


def test_parts_are_means_over_the_gpus_of_the_last_iteration():
    row = step_parts([two_gpus()], ["b"]).loc["b"]
    assert {part: row[part] for part in PARTS} == {"compute": 5, "expert exchange": 1.5, "other communication": 1,
                                                   "host": 0.5, "bubble": 1.5, "rest": 0.5}
    assert row["step_ms"] == 10


def test_the_table_has_the_parts_that_occur_as_shares():
    text = markdown(step_parts([a_run([(0, 0, "compute", -1, 3e9), (0, 0, "host", -1, 1e9)], 4e9)]))
    assert text == "| | step | compute | host |\n|---|---|---|---|\n| a | 4 ms | 75.0 % | 25.0 % |"


def test_the_picture_says_for_how_long_gpus_compute():
    figure = step_parts_bars(step_parts([two_gpus(), a_run([(0, 0, "compute", -1, 1e9)])], ["b", "c"]))
    assert figure.axes[0].get_title(loc="left") == "GPUs compute for 50 to 100 % of a step"


def test_runs_of_one_name_are_rows_of_their_own():
    table = step_parts([two_gpus(), a_run([(0, 0, "compute", -1, 1e9)])], ["same", "same"])
    assert list(table.index) == ["same", "same"] and list(table["host"]) == [0.5, 0]


def test_a_run_without_the_table_is_refused():
    run = two_gpus()
    run.tables = {}
    with pytest.raises(ValueError, match="a.h5: no use of time was recorded"):
        step_parts([run])
