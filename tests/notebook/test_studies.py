"""Figures of studies: the title is computed from the rows, points that failed are left out, no table is no
error."""

import pathlib

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
    nothing = studies.read_study(tmp_path, "nothing")
    for figure in [*(studies.lines(name, nothing) for name in studies.LINES), studies.failures(nothing),
                   studies.overlap(nothing), studies.models(nothing), studies.fabrics(nothing)]:
        assert "no study of" in figure.axes[0].texts[0].get_text()


def test_every_study_in_the_repository_has_a_figure():
    tables = pathlib.Path(__file__).resolve().parents[2] / "scenarios" / "sweeps" / "tables"
    names = sorted(path.stem for path in tables.glob("*.csv"))
    for name in names:
        if name.endswith("_iterations"):
            continue  # a part of another one's
        axes = studies.figure(name, tables).axes[0]
        assert axes.lines or axes.patches or axes.collections, name


def test_a_line_study_has_a_line_for_each_combination_of_what_else_varies(tmp_path):
    rows = [row(1 + skew, fabric=f, skew=skew, drift=d) for f in ("fat_tree", "mixnet") for skew in (0, 1)
            for d in (0.0, 1.0)]
    figure = studies.lines("skew", written(tmp_path, "s", rows))
    assert [line.get_label() for line in figure.axes[0].lines] == ["fat tree, drift 0", "fat tree, drift 1",
                                                                   "MixNet, drift 0", "MixNet, drift 1"]


def test_the_models_figure_divides_speed_by_the_bill(tmp_path):
    rows = [row(1, case="llama_moe", fabric="fat_tree", rate=r, network_cost_usd=10) for r in (100, 400)]
    rows += [row(1.25, case="llama_moe", fabric="mixnet", rate=r, network_cost_usd=4) for r in (100, 400)]
    figure = studies.models(written(tmp_path, "s", rows))
    assert figure._suptitle.get_text() == "Performance per dollar over a fat tree's: MixNet 2.0 to 2.0"


def test_the_fabrics_figure_names_the_best_for_a_dollar_and_for_a_watt(tmp_path):
    rows = [row(1, fabric="fat_tree", exchange="", network_cost_usd=10, network_power_w=10),
            row(1.25, fabric="rail_only", exchange="", network_cost_usd=4, network_power_w=8),
            row(2, fabric="photonic_rails", exchange="pairwise", network_cost_usd=4, network_power_w=2)]
    figure = studies.fabrics(written(tmp_path, "s", rows))
    assert title_of(figure) == "Most for a dollar and for a watt: rail-only and photonic rails, 25 ms, pairwise; fastest: fat tree"


def test_the_delay_figure_tells_what_25_ms_and_re_activation_cost(tmp_path):
    steps = {("off", 0): 1.0, ("on", 0): 1.2, ("off", 5.67): 6.0, ("on", 5.67): 30.0}
    rows = [row(s * (1.1 if d == 25000 else 1), delay=d, rotate=r, retraining=t)
            for (r, t), s in steps.items() for d in (1, 25000)]
    title = title_of(studies.lines("delay", written(tmp_path, "s", rows)))
    assert title == "25 ms dark cost 10 %; NICs back after 5.67 s make the step 6 times as long"


def test_the_failures_figure_compares_with_nothing_out_of_order(tmp_path):
    longer = {"none": 0, "0:0": 0.01, "0:3": 0.02, "r0:5": 0.01, "r0": 0.5}
    rows = [row(2 * (1 + more + (0.1 if spare == "server" else 0)), failed=failed, spare=spare)
            for failed, more in longer.items() for spare in ("none", "server", "gpu")]
    title = title_of(studies.failures(written(tmp_path, "s", rows)))
    assert title == "An optical NIC costs 1.0 %, a server on a spare 10 %, the whole OCS 50 %"


def test_the_scaling_figure_compares_sizes_where_both_fabrics_ran(tmp_path):
    rows = [row(1, fabric="fat_tree", servers=128), row(1.5, fabric="mixnet", servers=128),
            row(2, fabric="fat_tree", servers=256), row(4, fabric="mixnet", servers=256),
            row(9, fabric="mixnet", servers=512)]
    title = title_of(studies.lines("scaling", written(tmp_path, "s", rows)))
    assert title == "From 128 to 256 servers the step grows by 100.0 % on a fat tree, 166.7 % on MixNet"


def test_the_rails_figure_says_what_a_millisecond_costs_by_stages(tmp_path):
    rows = [row(s * (1 + 0.1 * (pp - 1) * (d == 1000)), pp=pp, delay=d)
            for pp, s in ((1, 2.0), (2, 1.0), (4, 0.5)) for d in (1, 1000)]
    figure = studies.lines("photonic_rails", written(tmp_path, "s", rows))
    assert title_of(figure) == "Changes of 1 ms, not 1 µs: step 0, 10, 30 % longer with 1, 2, 4 stages"
    assert [tick.get_text() for tick in figure.axes[0].get_xticklabels()] == ["1", "1,000"]


def test_the_margin_figure_compares_paths_alike_with_paths_that_differ(tmp_path):
    rows = [row(s, loss=loss, spread=spread)
            for loss, spread, s in ((2.0, 0.0, 1.0), (4.0, 0.0, 1.0), (2.0, 1.0, 1.5), (4.0, 1.0, 3.0))]
    title = title_of(studies.lines("margin", written(tmp_path, "s", rows)))
    assert title == "The step takes up to 3.0 times the shortest with a spread of 1 dB, 1.0 times with 0 dB"


def test_the_overlap_figure_names_all_policies_that_are_fastest(tmp_path):
    rows = [row(1.2 if policy == "always" else 1.0, delay=d, early=early, policy=policy)
            for d in (1000, 25000) for early in ("on", "off")
            for policy in ("always", "gain", "once", "never")]
    assert title_of(studies.overlap(written(tmp_path, "s",
                                            rows))).endswith("fastest: 'gain' and 'once' and 'never'")
