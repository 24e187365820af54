"""The data of each section: sums add up, titles are findings, and what was not recorded is named."""

import numpy as np
import pandas as pd
import pytest

from lightrail_post.page import (SECTIONS, collectives, cost, critical_path, links, run_data, step, summary,
                                 timeline)
from lightrail_post.time_uses import time_parts, time_use


def test_the_summary_says_what_the_answer_rests_on(run):
    data = summary.section(run)
    assert data["title"].startswith("The step takes ") and "% exposed communication" in data["title"]
    about = [about for about, _ in data["rests_on"]]
    assert {"grain", "collectives", "hosts"} <= set(about)
    made = dict(data["provenance"])
    assert made["hash of all events"] == run.info["hash"] and made["ranks"] == "1" and made["scenario"] == "page_step"
    assert [row[0] for row in data["traffic"]] == ["tp", "dp", "pp"]
    assert all(kind in run.params for kind, _, _ in data["defaults"]) and data["defaults"]


def test_a_run_that_was_killed_is_called_so(empty_run):
    data = summary.section(empty_run)
    assert data["title"] == "No iteration has ended (status: running)"
    assert data["rests_on"][0] == ["status", "the run is 'running', not complete"]


@pytest.mark.parametrize("name, option", [
    ("step", '<table name="exposed"/>'), ("timeline", '<table name="ops" gpus="all"/>'),
    ("links", '<table name="link_use"/>'), ("collectives", '<table name="collectives" gpus="all"/>'),
    ("path", '<table name="ops" gpus="all"/>'), ("cost", '<table name="power"/>')])
def test_a_section_without_its_table_says_what_records_it(empty_run, name, option):
    assert option in SECTIONS[name].section(empty_run)["missing"]


def test_the_network_is_drawn_without_use(empty_run):
    data = SECTIONS["topology"].section(empty_run)
    assert data["nodes"] and '<table name="link_use"/>' in data["no_use"]


def test_shares_of_a_step_add_up_to_one_and_times_to_a_gpus_time(run):
    data, last = step.section(run), run.steps.iloc[-1]
    assert [row["name"] for row in data["rows"]] == ["all GPUs", "stage 0", "stage 1"]
    for row in data["rows"]:
        assert sum(row["shares"]) == pytest.approx(1)
    assert time_parts(run).sum() == pytest.approx(last["gpu_time_ps"] / last["gpus"])
    assert any(part["name"] == "pp bubble" and part["colour"] == "#333333" for part in data["parts"])


def test_all_gpus_are_the_mean_of_the_roles(run):
    """Two stages of as many GPUs, whose times differ little."""
    steps = run.tables["steps"]
    time = (steps["t_end_ps"] - steps["t_start_ps"]).groupby(steps["gpu"] >= 8).sum().to_numpy()
    roles = time_use(run)[time_parts(run).index].to_numpy()
    assert step.section(run)["rows"][0]["shares"] == pytest.approx((roles.T @ time / time.sum()).tolist())


def test_every_collective_is_counted_once(run):
    table = collectives.table(run)
    assert table["count"].sum() == len(run.tables["collectives"])
    assert (table["max_ps"] >= table["mean_ps"]).all() and table["sum_ps"].is_monotonic_decreasing
    ended = run.summary["collectives"].set_index(["collective", "group", "size_bytes"])
    for row in table.itertuples():
        known = ended.loc[(row.collective, row.group, row.size_bytes)]
        assert (row.count, row.max_ps, row.group_size) == (known["count"], known["max_ps"], known["group_size"])


def test_rows_of_collectives_sort_by_numbers(run):
    data = collectives.section(run)
    size = data["columns"].index("size")
    assert all(isinstance(row[size][1], (int, np.integer)) for row in data["rows"])
    assert len(data["rows"][0]) == len(data["columns"])


def test_the_path_adds_up_to_the_step(run):
    data = critical_path.section(run)
    assert sum(part["share"] for part in data["parts"]) == pytest.approx(1)
    assert data["what_ifs"]


def test_energy_by_kind_adds_up_to_that_of_the_run(run):
    assert cost.energy(run)["energy_j"].sum() == pytest.approx(run.summary["energy_j"])
    data = cost.section(run)
    assert sum(kind["share"] for kind in data["kinds"]) == pytest.approx(1)
    assert ("cost of the network", f"{run.summary['network_cost_usd']:,.0f} USD") in data["bill"]


def test_a_timeline_has_every_operation_of_the_chosen_gpus(run):
    data = timeline.section(run)
    ops = run.tables["ops"]
    ops = ops[(ops["iteration"] == ops["iteration"].max()) & (ops["t_end_ps"] > ops["t_start_ps"])]
    assert data["left_out"] == "" and data["operations"]["start"].size == len(ops)
    assert data["operations"]["length"].sum() == (ops["t_end_ps"] - ops["t_start_ps"]).sum()
    assert [row["first"] for row in data["rows"][1:]] == [row["end"] for row in data["rows"][:-1]]
    assert data["views"][0]["name"] == "the first GPU of each role" and data["views"][0]["gpus"] == [0, 8]


def test_a_page_without_room_keeps_one_gpu_of_each_role_first(run):
    ops = run.tables["ops"]
    room = int(ops["gpu"].isin([0, 8, 1]).sum())
    data = timeline.section(run, most_ops=room)
    assert sorted({row["of"] for row in data["rows"]}) == [0, 1, 8]
    assert data["left_out"].startswith("single operations of 3 of 16 recorded GPUs")
    assert timeline.section(run, most_ops=0)["rows"] == []


def test_shares_by_role_keep_the_time_of_the_operations(run):
    """Of the stream of kernels of stage 0: bins times shares are the mean of what the GPUs computed."""
    data = timeline.section(run)
    row = next(row for row in data["roles"] if row["of"] == "stage 0" and row["name"].endswith("compute"))
    compute = next(i for i, key in enumerate(data["keys"]) if key["name"] == "compute")
    share = dict(row["shares"])[compute].astype(float).sum() / 255 * data["length"] / timeline.BINS
    ops = run.tables["ops"]
    mine = ops[(ops["gpu"] < 8) & (ops["kind"] == "compute")]
    assert share == pytest.approx((mine["t_end_ps"] - mine["t_start_ps"]).sum() / 8, rel=0.01)


def test_use_of_links_is_that_of_the_table(run):
    data = links.section(run)
    rows, columns = len(data["rows"]), len(data["edges"]) - 1
    use = data["values"].reshape(rows, columns) / data["parts"]
    busy = (use * np.diff(data["edges"])).sum(axis=1)
    table = run.tables["link_use"].groupby("link")["t_busy_ps"].sum()
    single = [i for i, row in enumerate(data["rows"]) if row["links"] == 1]
    mean = np.array([data["rows"][i]["use"] for i in single])
    assert busy[single] / data["edges"][-1] == pytest.approx(mean, abs=0.5 / data["parts"])
    assert mean.max() == pytest.approx(table.max() / run.info["sim_end_ps"], rel=1e-6)
    assert len({row["name"] for row in data["rows"]}) == rows


def test_many_intervals_are_put_together_by_their_time(run, monkeypatch):
    whole = links.section(run)
    monkeypatch.setattr(links, "MOST_COLUMNS", 4)
    few = links.section(run)
    assert len(few["edges"]) - 1 <= 4 and few["edges"][-1] == whole["edges"][-1]
    assert "recording intervals a column" in few["detail"]
    assert [row["use"] for row in few["rows"]] == [row["use"] for row in whole["rows"]]


def test_traffic_of_a_link_adds_up_to_its_use(run):
    data = links.section(run)
    columns, carried = len(data["edges"]) - 1, data["carried"]
    sums = pd.Series(carried["bytes"]).groupby(carried["place"] // columns).sum()
    table = run.tables["link_use"].groupby("link")["size_bytes"].sum().sort_values(ascending=False)
    assert sums.max() == table.iloc[0]
    assert any(label.startswith("pp") for label in carried["labels"])


def test_without_link_traffic_the_page_says_what_records_it(run):
    run.tables._read["link_traffic"] = run.tables["link_traffic"].iloc[:0]
    data = links.section(run)
    assert data["carried"] is None and '<table name="link_traffic"/>' in data["no_carried"]


def test_all_sections_are_there(run):
    assert list(run_data(run)) == ["summary", "step", "timeline", "links", "topology", "collectives", "path", "cost"]
