"""A result opens as DataFrames whose columns need no table of codes."""

import shutil
import subprocess
import sys

import h5py
import numpy as np
import pandas as pd
import pytest

from lightrail_post import open_run
from lightrail_post.result import that_count


@pytest.fixture
def run(result):
    return open_run(result)


def test_names_and_enumerations_are_resolved(run):
    ops = run.tables["ops"]
    assert set(ops["name"]) == {"gemm", "all_reduce", "attention forward"}
    assert set(ops["kind"]) == {"compute"}
    assert set(run.tables["collectives"]["collective"]) == {"all_reduce"}
    assert set(run.tables["collectives"]["protocol"]) == {"simple"}


def test_a_result_of_a_later_layout_says_which_version_reads_it(result, tmp_path):
    later = tmp_path / "later.h5"
    shutil.copy(result, later)
    with h5py.File(later, "r+") as file:
        file.attrs["schema_version"] = 2
        file.attrs["software_version"] = np.bytes_("9.1.0")
    with pytest.raises(ValueError, match=r"later\.h5: has layout 2 and is of lightrail 9\.1\.0, whose"):
        open_run(later)


def test_a_file_that_is_no_result_is_named_in_one_line_with_code_2(tmp_path):
    other = tmp_path / "notes.h5"
    other.write_text("not HDF5")
    with pytest.raises(ValueError, match=r"notes\.h5: not an HDF5 file"):
        open_run(other)
    done = subprocess.run([sys.executable, "-m", "lightrail_post", "show", other], text=True, capture_output=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: {other}: not an HDF5 file\n"


def test_columns_are_integers_in_the_order_of_the_schema(run):
    ops = run.tables["ops"]
    assert list(ops)[:5] == ["component", "gpu", "stream", "op", "name"]
    assert ops["t_start_ps"].dtype == np.int64
    assert ops["size_bytes"].dtype == np.int64


def test_rows_are_ordered_by_interval_and_component(run):
    ops = run.tables["ops"]
    order = list(zip(ops["iteration"], ops["component"]))  # record_rows: the iteration is the interval
    assert order == sorted(order)


def test_an_unknown_table_names_the_known_ones(run):
    with pytest.raises(KeyError, match="no table 'opps' .one of batches, buffer, collectives, "):
        run.tables["opps"]


def test_tables_without_rows_are_empty_frames(run):
    assert len(run.tables["ocs"]) == 0
    assert "t_start_ps" in run.tables["ocs"]


def test_the_model_is_readable(run):
    assert run.components["name"].iloc[3] == "gpu3"
    assert set(run.components["kind"]) == {"gpu"}
    assert run.links["from_name"].iloc[0] == "gpu0"
    assert run.links["latency_ps"].iloc[0] == 500_000
    assert run.params["gpu"].set_index("name")["value"]["memory"] == "80 GB"
    assert run.params["gpu"].set_index("name")["source"]["memory"] == "gpus.xml:3"
    assert run.group_kinds == ["tp"]
    assert run.stream_name(5, 1) == "nccl tp"
    assert run.stream_name(5, 200) == "stream 200"


def test_summary_and_run_are_readable(run):
    assert run.info["status"] == "complete"
    assert run.info["hash"] == "0123456789abcdef"
    assert run.summary["exposed_communication_fraction"] == pytest.approx(1 / 3, rel=1e-3)
    assert run.summary["dimensions"]["name"].tolist() == ["tp", "dp"]
    assert len(run.steps) == 4
    assert run.scenario_xml == "<scenario/>"
    assert run.profile["events"].sum() == 12_345


def test_every_column_has_a_unit(result):
    with h5py.File(result) as file:
        for table in file["tables"].values():
            for column in table.values():
                assert column.attrs["units"], column.name


def test_another_file_is_refused(tmp_path):
    with h5py.File(tmp_path / "other.h5", "w"):
        pass
    with pytest.raises(ValueError, match="other.h5: not a lightrail result"):
        open_run(tmp_path / "other.h5")


def test_of_iterations_that_were_done_again_the_last_time_counts_for_each_job(run):
    rows = pd.DataFrame([(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0), (0, 1, 1)], columns=["gpu", "iteration", "attempt"])
    run.jobs = {"one": [0], "other": [1]}
    assert that_count(run, rows).values.tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 1]]
    run.jobs = {}  # one job, on both GPUs
    assert that_count(run, rows).values.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 1]]
    assert that_count(run, rows.drop(columns="attempt")).equals(rows.drop(columns="attempt"))
