"""Figure of the study of PXN: gains are of points that differ in nothing else, titles from the rows."""

import pandas as pd
import pytest
from matplotlib import pyplot as plt

from lightrail_post import pxn, studies
from lightrail_post.__main__ import main


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def row(step_s, **varied):
    return {**varied, "status": "complete", "step_time_ps": int(step_s * 1e12)}


def all_to_alls():
    return [row(s, servers=4, size=size, routing=routing, spine=spine, pxn=on)
            for size in ("4KiB", "256MiB") for routing in ("ecmp", "adaptive") for spine in (1, 4)
            for on, s in (("off", 1 + 0.5 * (spine == 4)), ("on", 1))]


def test_gains_compare_points_that_differ_in_pxn_alone(tmp_path):
    pd.DataFrame(all_to_alls() + [row(9, servers=30, size="4KiB", routing="ecmp", spine=1, pxn="off")]).to_csv(
        tmp_path / "t.csv", index=False)
    gains = pxn.pxn_gains(studies.read_study(tmp_path, "t"))
    assert len(gains) == 8 and set(gains["servers"]) == {4}
    assert gains[gains["spine"] == 4]["longer_pct"].tolist() == pytest.approx([50] * 4)


def test_the_picture_is_written_with_the_finding_of_its_rows(tmp_path):
    pd.DataFrame(all_to_alls()).to_csv(tmp_path / "pxn_all_to_all.csv", index=False)
    figure = pxn.pxn_all_to_all(studies.read_study(tmp_path, "pxn_all_to_all"))
    assert figure.axes[0].get_title(loc="left") == "4 servers: 0 to 50 % longer without PXN"
    assert len(figure.axes[0].lines) == 4
    assert main(["pxn", str(tmp_path), "--out", str(tmp_path / "made" / "pxn.png")]) == 0
    assert (tmp_path / "made" / "pxn.png").stat().st_size > 10_000


def test_no_table_is_no_error(tmp_path):
    assert "no study of" in pxn.pxn_all_to_all(studies.read_study(tmp_path, "a")).axes[0].texts[0].get_text()
