"""Every figure has a finding as its title, units on its axes, and says so when it has nothing to draw."""

import gzip
import json
import shutil

import h5py
import pytest
from matplotlib import pyplot as plt

import lightrail_post as post
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


def test_the_breakdown_tells_the_exposed_communication(run):
    figure = post.step_breakdown(run)
    assert title_of(figure) == "33 % of the 900 µs step is exposed communication"
    assert figure.axes[0].get_xlabel() == "time in iteration 3 [µs]"


def test_link_use_is_the_share_of_the_interval(run):
    use = post.link_use(run)
    # record_rows: link 2 i is busy for 5 i us of each interval of 1 ms.
    assert use.loc[20].max() == pytest.approx(0.050)
    assert use.to_numpy().max() <= 1


def test_the_heat_map_tells_the_busiest_links(run):
    figure = post.link_use_heatmap(run)
    assert title_of(figure).startswith("The busiest link is a gpu → gpu link: used ")
    assert "[ms]" in figure.axes[0].get_xlabel()


def test_the_traffic_matrix_tells_what_stays_inside_a_server(run):
    figure = post.traffic_matrix(run)  # record_rows sends to the next server only
    assert title_of(figure).startswith("0 % of ")
    assert figure.axes[0].get_xlabel() == "receiver"


def test_the_largest_dimension_is_named(run):
    assert " of the traffic is " in title_of(post.traffic_by_dimension(run))


def test_runs_are_compared_by_their_step(run):
    figure, table = post.compare([run, run], ["a", "b"])
    assert title_of(figure) == "all runs take the same time"
    assert table["step_ps"]["a"] == run.summary["step_time_ps"]


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
