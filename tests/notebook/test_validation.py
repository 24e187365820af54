"""The picture of the validation report: what is beyond its bound, means as tools/validate prints them."""

import math

import numpy as np
import pandas as pd
import pytest
from matplotlib import colors
from matplotlib import pyplot as plt

from lightrail_post.validation import (BEYOND, WITHIN, published_bars, published_markdown, read_validation,
                                       validation_panels, validation_table)

ROWS = pd.DataFrame({"target": ["N1", "N1", "O3"], "row": ["8 B", "1 MiB", "circuits"],
                     "published": [10.0, 20.0, 24.0], "simulated": [11.0, 10.0, 24.0],
                     "unit": ["us", "us", ""], "error_pct": [10.0, -50.0, 0.0],
                     "bound_pct": [30.0, 30.0, 0.0], "ok": [True, False, True]})


def test_errors_by_target():
    table = validation_table(ROWS)
    assert list(table.index) == ["N1", "O3"]
    assert table.loc["N1", ["rows", "beyond", "worst_pct"]].tolist() == [2, 1, 50]
    assert table.loc["N1", "mean_pct"] == pytest.approx(100 * (math.sqrt(1.1 * 2) - 1))  # 10 % more, half
    assert table.loc["O3"].tolist() == [1, 0, 0, 0]


def test_a_panel_a_target_and_rows_beyond_in_their_colour():
    figure = validation_panels(ROWS)
    shown = [axes for axes in figure.axes if axes.get_visible()]
    assert [axes.get_title(loc="left") for axes in shown] == ["N1: 2 rows, 1 beyond", "O3: 1 row"]
    dots = shown[0].collections[-1]
    assert np.allclose(dots.get_offsets(), [[1, 10], [2, -50]])
    assert [colors.to_hex(c).upper() for c in dots.get_facecolors()] == [WITHIN, BEYOND]
    assert "2 of 3 rows of 2 targets" in figure._suptitle.get_text()
    plt.close(figure)


def test_targets_come_in_their_order(tmp_path):
    pd.concat([ROWS.assign(target=name) for name in ("T10", "N1", "T2")]).to_csv(tmp_path / "rows.csv", index=False)
    assert list(dict.fromkeys(read_validation(tmp_path / "rows.csv")["target"])) == ["N1", "T2", "T10"]


def test_files_that_are_none_are_refused(tmp_path):
    (tmp_path / "other.csv").write_text("target,row\nN1,8 B\n")
    with pytest.raises(ValueError, match="other.csv: no column published"):
        read_validation(tmp_path / "other.csv")
    ROWS.head(0).to_csv(tmp_path / "empty.csv", index=False)
    with pytest.raises(ValueError, match="empty.csv: no rows"):
        read_validation(tmp_path / "empty.csv")


def test_published_and_simulated_values_side_by_side():
    rows = pd.concat([ROWS, ROWS[:1].assign(row="gain", unit="1", published=1.5, simulated=1.25, error_pct=-17.0)])
    lines = published_markdown(rows[rows["target"] == "N1"]).split("\n")
    assert lines[2:] == ["| 8 B | 10 us | 11 us | +10 % |", "| 1 MiB | 20 us | 10 us | -50 % |",
                         "| gain | 1.50 | 1.25 | -17 % |"]
    figure = published_bars(rows[rows["target"] == "N1"])  # ratios have no bar
    published, simulated = figure.axes[0].containers
    assert [bar.get_width() for bar in published] == [10, 20]
    assert [bar.get_width() for bar in simulated] == [11, 10]
    plt.close(figure)
    with pytest.raises(ValueError, match="no row with a unit"):
        published_bars(rows[rows["unit"] == "1"])
