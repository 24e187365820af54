"""Several results: parts and differences add up, and a study's figure is drawn where there is one."""

from types import SimpleNamespace

import pytest

import lightrail_post as post
from lightrail_post import studies, varied
from lightrail_post.answers import APART, parts_of_steps
from lightrail_post.page import study


@pytest.fixture
def runs(results):
    return [post.open_run(path) for path in results]


def test_parts_add_up_to_the_step_and_differences_to_its_difference(runs):
    parts = parts_of_steps(runs)
    steps = [run.summary["step_time_ps"] for run in runs]
    assert parts.sum(axis=1).tolist() == pytest.approx(steps)
    assert (parts.loc[1] - parts.loc[0]).sum() == pytest.approx(steps[1] - steps[0])
    assert (parts >= 0).all(axis=None) and {"compute", "tp", "pp bubble", APART} <= set(parts)


def test_what_was_set_and_what_differs_in_the_scenarios_is_told(runs):
    data = study.section(runs, ["a", "b"])
    assert data["settings"] == [["tp"], ["not set"], ["8"]]
    differing = {row[0]: row[1:] for row in data["inputs"]}
    assert differing["scenario/workload@tp"] == ["4", "8"]
    assert data["title"].startswith("a is ") and data["title"].endswith(" times as fast as b")
    assert data["figure"] == "" and data["no_figure"] == ""


def test_a_result_without_a_step_has_no_parts(runs, empty_run):
    parts = parts_of_steps([runs[0], empty_run])
    assert parts.loc[1].tolist() == [0] * len(parts.columns)
    assert study.section([runs[0], empty_run], ["a", "b"])["title"] == "2 results"


def point(delay, pp, step):
    return SimpleNamespace(label=f"{delay}-{pp}", path=None, scenario_xml='<scenario name="photonic_rails"/>',
                           info={"command_line": f"lightrail run p.xml --set delay={delay} --set=pp={pp}",
                                 "status": "complete"},
                           summary={"step_time_ps": step}, tables={}, dimensions=[])


def test_points_of_a_study_get_its_figure():
    points = [point(delay, pp, seconds * 10**12)
              for delay, pp, seconds in ((1, 1, 1), (1000, 1, 2), (1, 4, 1), (1000, 4, 3))]
    svg, why = study.study_figure(points)
    assert why == "" and svg.startswith("<svg")
    table = study.study_table(points)
    assert table["step_s"].tolist() == [1, 2, 1, 3] and table["delay"].tolist() == [1, 1000, 1, 1000]


def test_a_figure_that_needs_more_points_says_so():
    svg, why = study.study_figure([point(1, 1, 10**12), point(2, 1, 10**12)])
    assert svg == "" and why.startswith("the figure of the study photonic_rails needs all its points")


def test_results_of_an_own_scenario_that_has_a_study_s_name_get_a_page():
    points = [point(1, 1, 10**12), point(2, 1, 10**12)]
    for one in points:
        one.scenario_xml = '<scenario name="fabrics"/>'
    svg, why = study.study_figure(points)
    assert svg == "" and why.startswith("the figure of the study fabrics needs all its points")


@pytest.mark.parametrize("name, is_known", [("mixnet_delay", True), ("photonic_rails", True), ("fabrics", True),
                                            ("mixnet_failures", True), ("pxn_step", True), ("", False), ("mine", False)])
def test_studies_are_known_by_the_names_of_their_scenarios(name, is_known):
    assert (studies.figure_of(name) is not None) == is_known


def test_without_different_settings_the_scenarios_tell_what_varies(runs):
    for run in runs:
        run.info["settings"] = []
    table = varied.varied_settings(runs, varied.input_differences(runs)[0])
    assert table["workload tp"].tolist() == ["4", "8"]
    assert list(varied.varied_settings([runs[0], runs[0]], [])) == []


def test_results_have_the_columns_that_some_of_them_know(runs):
    names = [name for name, _ in study.columns_of(runs)]
    assert names[:2] == ["step", "exposed communication"] and "effective time" not in names
    serving = SimpleNamespace(summary={"serving": {"output_tokens_per_s": 1234.5, "ttft_p99_ps": 10**9,
                                                   "tpot_p99_ps": 10**8}})
    columns = dict(study.columns_of([serving, SimpleNamespace(summary={"network_cost_usd": 5e5})]))
    assert columns["tokens a second"][0] in ("1,234", "1,235") and columns["tokens a second"][1] == ""
    assert columns["network"] == ["", "500,000 USD"]


def test_weeks_of_a_job_are_compared_by_their_effective_time():
    weeks = [SimpleNamespace(summary={"goodput": {"effective": share}}) for share in (0.9, 0.97)]
    assert study._weeks_finding(weeks, ["a", "b"]) == (
        "b is effective for 97.0 % of the time, a for 90.0 %")
    assert study._weeks_finding([*weeks, SimpleNamespace(summary={})], ["a", "b", "c"]) == ""
