"""plot() of any study: lines over quantities, bars over names, units, what was left out."""

import lightrail_post as post
import pandas as pd
import pytest

STUDY = pd.DataFrame({"rate": ["400 Gb/s", "100 Gb/s", "400 Gb/s", "100 Gb/s", "100 Gb/s"],
                      "fabric": ["a", "a", "b", "b", "c"], "status": ["complete"] * 4 + ["exit code 3"],
                      "step_time_ps": [2e9, 4e9, 1e9, 8e9, None], "idle_fraction": [0.5, 0.25, 0.1, 0.2, None],
                      "network_cost_usd": [1.0, 1.0, 1.0, 1.0, 1.0]})


def test_quantities_of_one_unit_are_numbers_in_order():
    axes = post.plot(STUDY, x="rate", by="fabric").axes[0]
    assert [line.get_label() for line in axes.lines] == ["fabric a", "fabric b"]
    assert axes.lines[0].get_xydata().tolist() == [[100, 4], [400, 2]]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("rate [Gb/s]", "step time [ms]")
    assert axes.get_title(loc="left") == "rate 100 Gb/s, fabric b: 8 times as much as rate 400 Gb/s, fabric b"
    assert "4 points, 1 not complete" in [text.get_text() for text in axes.texts]


def test_names_are_bars():
    axes = post.plot(STUDY, x="fabric", y="idle_fraction", by=["rate"]).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["a", "b"]
    assert axes.get_ylabel() == "idle [%]"
    assert [patch.get_height() for patch in axes.patches] == [50, 10, 25, 20]


def test_what_does_not_differ_is_said():
    axes = post.plot(STUDY, x="rate", y="network_cost_usd").axes[0]
    assert axes.get_title(loc="left") == "network cost usd is the same in all 4 points"
    assert axes.get_ylabel() == "network cost [$]"


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(KeyError, match="no column 'step' \\(one of rate, fabric"):
        post.plot(STUDY, x="rate", y="step")
    with pytest.raises(ValueError, match="no point of the study is complete"):
        post.plot(STUDY[STUDY["status"] != "complete"], x="rate")
    with pytest.raises(ValueError, match="column 'fabric' has texts"):
        post.plot(STUDY, x="rate", y="fabric")


def test_there_are_no_half_servers_and_the_highest_point_is_whole():
    study = pd.DataFrame({"servers": [8, 9, 10], "step_time_ps": [3e9, 2e9, 1e9]})
    figure = post.plot(study, x="servers")
    figure.canvas.draw()
    axes = figure.axes[0]
    assert all(float(tick).is_integer() for tick in axes.get_xticks())
    assert axes.get_ylim()[0] == 0 and axes.get_ylim()[1] > 3.1
