"""Every figure has a finding as its title, units on its axes, and says so when it has nothing to draw."""

import gzip
import json
import shutil

import h5py
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

import lightrail_post as post
from lightrail_post import link_uses, style, timelines
from lightrail_post.__main__ import main
from lightrail_post.report import FIGURES


@pytest.fixture
def run(result):
    return post.open_run(result)


@pytest.fixture
def empty_run(result, tmp_path):
    """The same file with all tables emptied, as a run that is killed early leaves it."""
    path = shutil.copy(result, tmp_path / "empty.h5")
    with h5py.File(path, "r+") as file:
        for table in file["tables"].values():
            for column in table.values():
                column.resize((0,))
        del file["summary"]
    return post.open_run(path)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def title_of(figure):
    return figure.axes[0].get_title(loc="left").strip()


def test_the_timeline_tells_how_much_gpus_compute(run):
    figure = post.timeline(run)
    assert title_of(figure) == "8 GPUs compute for 56 % of the 900 µs step and wait for communication for 33 %"
    assert figure.axes[0].get_xlabel() == "time since the start of iteration 3 [µs]"
    labels = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    assert labels[-1].split() == ["gpu0", "compute"]


def test_the_timeline_can_show_a_part(run):
    figure = post.timeline(run, gpus=[2], iteration=1, span_ps=(0, 10_000_000))
    assert figure.axes[0].get_xlim() == (0, 10)


def timeline_of(run, ops, **how):
    """Of other operations than the file's."""
    run.tables._read["ops"] = pd.DataFrame({
        "gpu": 0, "stream": 0, "op": 0, "name": "x", "kind": "compute", "iteration": 0, "dimension": -1,
        "size_bytes": 0, **ops})
    return post.timeline(run, iteration=0, **how)


def heights(figure):
    """By colour the heights of all bars."""
    found = {}
    for collection in figure.axes[0].collections:
        corners = np.array([path.vertices for path in collection.get_paths()])
        found[to_hex(collection.get_facecolor()[0])] = np.ptp(corners[:, :, 1], axis=1)
    return found


def test_a_dense_stream_shows_shares_and_no_solid_block(run):
    """2,000 kernels of 3 us, one each 10 us, and in the pauses as many collectives of 2 us."""
    begin = np.arange(2000) * 10_000_000
    kind = np.repeat(["compute", "collective"], 2000)
    figure = timeline_of(run, {"t_start_ps": np.concatenate([begin, begin + 5_000_000]),
                               "t_end_ps": np.concatenate([begin + 3_000_000, begin + 7_000_000]),
                               "kind": kind, "dimension": np.repeat([-1, 0], 2000)})
    of_colour = heights(figure)
    assert len(of_colour) == 2
    assert of_colour[style.COMPUTE.lower()].mean() == pytest.approx(timelines.ROW * 0.3, rel=0.02)
    assert of_colour[style.DIMENSION_COLOURS[0].lower()].mean() == pytest.approx(timelines.ROW * 0.2,
                                                                                 rel=0.02)
    assert "shares of the time, stacked" in figure.axes[0].texts[0].get_text()


def test_a_dimension_keeps_its_colour_in_every_part(run):
    ops = {"t_start_ps": [0, 1_000_000], "t_end_ps": [900_000, 2_000_000], "kind": "collective",
           "dimension": [0, 1]}
    both = heights(timeline_of(run, ops))
    second = heights(timeline_of(run, ops, span_ps=(1_000_000, 2_000_000)))
    assert set(both) == {colour.lower() for colour in style.DIMENSION_COLOURS[:2]}
    assert set(second) == {style.DIMENSION_COLOURS[1].lower()}


def test_the_title_of_a_part_is_of_the_part(run):
    """Kernels from 0 to 4 us, communication from 2 to 8 us, of 10 us shown."""
    figure = timeline_of(run, {"t_start_ps": [0, 2_000_000], "t_end_ps": [4_000_000, 8_000_000],
                               "kind": ["compute", "collective"], "dimension": [-1, 0]},
                         span_ps=(0, 10_000_000))
    assert title_of(figure) == "GPU 0 computes for 40 % of the 10 µs shown and waits for communication for 40 %"


def test_the_breakdown_tells_the_exposed_communication(run):
    figure = post.step_breakdown(run)
    assert title_of(figure) == "33 % of the 900 µs step is exposed communication"
    assert figure.axes[0].get_xlabel() == "time in iteration 3 [µs]"


def test_waiting_for_launches_is_apart_from_idle(run):
    def parts():
        return [text.get_text() for text in post.step_breakdown(run).axes[0].get_legend().get_texts()]

    # record_rows: half of idle time waits for launches.
    assert [part.split(" (")[0] for part in parts()] == ["compute", "exposed communication", "waiting for launches",
                                                         "idle"]
    shares = [float(part.split("(")[1].split(" %")[0]) for part in parts()]
    assert abs(shares[2] - shares[3]) <= 1 and abs(sum(shares) - 100) <= 2
    run.tables._read["steps"] = run.tables["steps"].assign(t_host_ps=0)
    assert [part.split(" (")[0] for part in parts()] == ["compute", "exposed communication", "idle"]


def test_a_timeline_ends_with_the_iteration(run):
    """Also where its last operation ends before: CPUs still launch."""
    steps = run.tables["steps"].copy()
    is_shown = steps["iteration"] == 0
    steps.loc[is_shown, ["t_start_ps", "t_end_ps", "t_host_ps"]] = 0, 10_000_000, 0
    run.tables._read["steps"] = steps
    figure = timeline_of(run, {"gpu": 1, "t_start_ps": [1_000_000], "t_end_ps": [4_000_000]}, gpus=[1])
    assert figure.axes[0].get_xlim() == (0, 10)
    assert "launches" not in figure.axes[0].texts[0].get_text()
    run.tables._read["steps"] = steps.assign(t_host_ps=5_000_000)
    figure = timeline_of(run, {"gpu": 1, "t_start_ps": [1_000_000], "t_end_ps": [4_000_000]}, gpus=[1])
    assert "each with the launches between its kernels" in figure.axes[0].texts[0].get_text()


def test_link_use_is_the_share_of_the_interval(run):
    use = post.link_use(run)
    # record_rows: link 2 i is busy for 5 i us of each interval of 1 ms.
    assert use.loc[20].max() == pytest.approx(0.050)
    assert use.to_numpy().max() <= 1


def test_the_heat_map_tells_the_busiest_links(run):
    figure = post.link_use_heatmap(run)
    assert title_of(figure).startswith("gpu")
    # Four intervals have rows, the run lasts for seven.
    assert " is the busiest link: used 29 % of the time, 52 % in its busiest interval" in title_of(figure)
    assert "[ms]" in figure.axes[0].get_xlabel()


def test_communication_below_the_links_is_that_of_gpus_and_counts_overlaps_once(run):
    """Two GPUs, intervals of 10 ps. GPU 0: [0, 8) and, inside and beyond, [5, 12); GPU 1: [14, 20)."""
    run.tables._read["ops"] = pd.DataFrame({"gpu": [0, 0, 1, 1], "dimension": [0, 0, 0, -1],
                                            "t_start_ps": [0, 5, 14, 0], "t_end_ps": [8, 12, 20, 20]})
    shares = link_uses.communication_by_dimension(run, np.array([0, 10, 20]))
    assert shares.index.tolist() == [run.dimensions[0]]
    assert shares.iloc[0].tolist() == [10 / 10 / 2, (2 + 6) / 10 / 2]
    run.tables._read["ops"] = run.tables._read["ops"].iloc[:0]
    assert link_uses.communication_by_dimension(run, np.array([0, 10, 20])).empty


def test_use_counts_up_to_the_end_of_the_run(run):
    """Link 20 is busy for 50 us in intervals of 1 ms; the last three intervals of the run have no row."""
    use, rows = post.link_use(run), run.tables["link_use"]
    assert use.shape[1] == run.info["sim_end_ps"] // run.info["interval_ps"] == 7
    busy = rows.loc[rows["link"] == 20, "t_busy_ps"].sum()
    assert link_uses.mean_use(run, use)[20] == pytest.approx(busy / run.info["sim_end_ps"])


def set_use(run, rows):
    """[(link, interval, share of the interval)], of which the last one is a hundredth of the others."""
    run.info["interval_ps"], run.info["sim_end_ps"] = 1_000_000, 2_010_000
    length = np.array([1_000_000, 1_000_000, 10_000])
    link, interval, share = map(np.array, zip(*rows))
    run.tables._read["link_use"] = pd.DataFrame({"link": link, "interval": interval, "size_bytes": 0,
                                                 "t_busy_ps": (share * length[interval]).astype(np.int64)})


def test_a_short_last_interval_does_not_name_the_busiest_link(run):
    set_use(run, [(0, 0, 0.5), (0, 1, 0.5), (0, 2, 0.0), (2, 0, 0.1), (2, 1, 0.1), (2, 2, 1.0)])
    title = title_of(post.link_use_heatmap(run))
    names = [f"{run.links.loc[i]['from_name']} → {run.links.loc[i]['to_name']}" for i in (0, 2)]
    assert title == (f"{names[0]} is the busiest link: used 50 % of the time; {names[1]} 100 % in one interval")


def test_one_slow_link_among_many_is_seen(run):
    """Of a class of 60 links, none of them used for more than a fifth of the time, one is full for a while."""
    links = run.links.iloc[:1].loc[run.links.index[:1].repeat(60)].reset_index(drop=True)
    run.links = links
    set_use(run, [(i, 0, 0.2) for i in range(59)] + [(i, 1, 0.2) for i in range(59)] + [(59, 1, 0.3)]
            + [(40, 2, 1.0)])
    image = post.link_use_heatmap(run).axes[0].collections[0].get_array()
    assert image.size == 3 * link_uses.MOST_ROWS_A_CLASS
    assert image.max() == pytest.approx(100)


def test_the_traffic_matrix_tells_what_stays_inside_a_server(run):
    figure = post.traffic_matrix(run)  # record_rows sends to the next server only
    assert title_of(figure).startswith("0 % of ")
    assert figure.axes[0].get_xlabel() == "receiver"


def test_the_largest_dimension_is_named(run):
    assert " of the traffic is " in title_of(post.traffic_by_dimension(run))


def test_runs_are_compared_by_their_step(run):
    figure, table = post.compare_steps([run, run], ["a", "b"])
    assert title_of(figure) == "all runs take the same time"
    assert table["step_ps"]["a"] == run.summary["step_time_ps"]


def test_shares_of_a_comparison_are_those_of_the_summary(run, capsys, result, tmp_path):
    """Also where GPUs begin and end at different times: shares are of the GPUs' time, not of the step."""
    iterations = run.summary["iterations"]
    iterations["t_end_ps"] += 300_000_000
    figure, table = post.compare_steps([run], ["a"])
    for part, name in (("compute", "compute"), ("exposed", "exposed_communication"), ("idle", "idle")):
        share = table[f"{part}_ps"]["a"] / table["gpu_ps"]["a"]
        assert share == pytest.approx(run.summary[f"{name}_fraction"])
    assert main(["compare", str(result), "--out", str(tmp_path / "c.png")]) == 0
    shares = [float(text) for text in capsys.readouterr().out.split()[-3:]]
    assert sum(shares) == pytest.approx(100, abs=0.1)


def test_time_use_names_what_waits_most_beside_compute(run):
    uses = ["compute", "communication", "bubble"]
    run.tables._read["exposed"] = pd.DataFrame({
        "gpu": [0, 0, 0, 1, 1, 0], "iteration": [3, 3, 3, 3, 3, 2], "dimension": [-1, 0, 1, -1, 1, -1],
        "use": pd.Categorical.from_codes([0, 1, 2, 0, 1, 0], uses), "group": [-1, 0, -1, -1, 0, -1],
        "time_ps": [50, 30, 20, 90, 10, 7]})
    table = post.time_use(run)
    assert list(table.index) == ["stage 0"]
    assert table.iloc[0].to_dict() == {"compute": 0.7, "tp": 0.15, "dp bubble": 0.1, "dp (tp)": 0.05}
    figure = post.time_use_bars(run)
    assert title_of(figure) == "beside compute, most time goes into tp: 15 to 15 % by role"
    assert figure.axes[0].get_xlabel() == "share of the GPUs' time [%]"
    assert sum(bar.get_width() for bar in figure.axes[0].patches) == pytest.approx(100)


@pytest.mark.parametrize("draw", FIGURES.values())
def test_a_figure_without_data_says_why(empty_run, draw):
    texts = [text.get_text() for text in draw(empty_run).axes[0].texts]
    assert len(texts) == 1 and texts[0].startswith(("no ", "no GPU"))


def test_perfetto_gets_every_operation_on_its_thread(run, tmp_path):
    count = post.write_perfetto(run, tmp_path / "trace.json.gz", gpus=[0, 1])
    with gzip.open(tmp_path / "trace.json.gz", "rt") as file:
        events = json.load(file)["traceEvents"]
    assert len(events) == count
    slices = [e for e in events if e["ph"] == "X"]
    assert len(slices) == run.tables["ops"]["gpu"].isin([0, 1]).sum()
    first = next(e for e in slices if e["pid"] == 1 and e["args"]["op"] == 0)
    row = run.tables["ops"].query("gpu == 1 and op == 0").iloc[0]
    assert first["ts"] == row["t_start_ps"] / 1e6
    assert {"process_name", "thread_name"} <= {e["name"] for e in events if e["ph"] == "M"}


def test_the_report_writes_one_picture_a_figure(result, tmp_path, capsys):
    assert main(["report", str(result), "--out", str(tmp_path / "figures")]) == 0
    written = capsys.readouterr().out.split()
    assert len(written) == len(FIGURES)
    for path in written:
        assert plt.imread(path).std() > 0.01


def test_diff_sees_values_shapes_and_attributes(record_rows, result, tmp_path, capsys):
    same = record_rows(tmp_path / "same.h5")
    assert main(["diff", str(result), str(same)]) == 0
    longer = record_rows(tmp_path / "longer.h5", rows=13)
    assert main(["diff", str(result), str(longer)]) == 1
    assert "/tables/ops/gpu: (" in capsys.readouterr().out
    with h5py.File(same, "r+") as file:
        file["tables/ops/t_end_ps"][5] += 1
        file["tables/ops/t_end_ps"].attrs["units"] = "ns"
    assert main(["diff", str(result), str(same)]) == 1
    text = capsys.readouterr().out
    assert "/tables/ops/t_end_ps: 1 values differ, first at 5" in text
    assert "/tables/ops/t_end_ps@units" in text
