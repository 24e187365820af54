"""Figures of studies: the title is computed from the rows, points that failed are left out, no table is no error."""

import pandas as pd
import pytest
from matplotlib import pyplot as plt

from lightrail_post import studies


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def title_of(figure):
    return figure.axes[0].get_title(loc="left").strip()


def written(folder, name, rows):
    pd.DataFrame(rows).to_csv(folder / f"{name}.csv", index=False)
    return studies.read_study(folder, name)


def row(step_s, **varied):
    return {**varied, "status": "complete", "step_time_ps": int(step_s * 1e12)}


def test_points_that_failed_are_left_out(tmp_path):
    table = written(tmp_path, "s", [row(2, n=1), {"n": 2, "status": "exit code 3"}])
    assert table["step_s"].tolist() == [2]


def test_a_study_that_was_not_made_says_so(tmp_path):
    for name in ("delay", "degree", "failures", "skew", "margin", "prediction", "quality", "overlap", "scaling"):
        figure = getattr(studies, name)(studies.read_study(tmp_path, name))
        assert "no study of" in figure.axes[0].texts[0].get_text()


def test_the_delay_figure_tells_what_25_ms_and_re_activation_cost(tmp_path):
    steps = {("off", 0): 1.0, ("on", 0): 1.2, ("off", 5.67): 6.0, ("on", 5.67): 30.0}
    rows = [row(s * (1.1 if d == 25000 else 1), delay=d, rotate=r, retraining=t) for (r, t), s in steps.items() for d in (1, 25000)]
    title = title_of(studies.delay(written(tmp_path, "s", rows)))
    assert title == "25 ms dark cost 10 %; NICs back after 5.67 s make the step 6 times as long"


def test_the_failures_figure_compares_with_nothing_out_of_order(tmp_path):
    longer = {"none": 0, "0:0": 0.01, "0:3": 0.02, "r0:5": 0.01, "r0": 0.5}
    rows = [row(2 * (1 + more + (0.1 if spare == "server" else 0)), failed=failed, spare=spare)
            for failed, more in longer.items() for spare in ("none", "server", "gpu")]
    title = title_of(studies.failures(written(tmp_path, "s", rows)))
    assert title == "An optical NIC costs 1.0 %, a server on a spare 10 %, the whole OCS 50 %"


def test_the_scaling_figure_compares_fabrics_where_both_ran(tmp_path):
    rows = [row(1, fabric="fat_tree", servers=128), row(1.5, fabric="mixnet", servers=128), row(2, fabric="fat_tree", servers=256),
            row(4, fabric="mixnet", servers=256), row(9, fabric="mixnet", servers=512)]
    title = title_of(studies.scaling(written(tmp_path, "s", rows)))
    assert title == "From 128 to 256 servers MixNet takes 1.50 to 2.00 times the fat tree's step"
