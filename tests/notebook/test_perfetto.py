"""The export for Perfetto: arrows from send to receive, counters, a part of GPUs and time."""

import json
import pathlib
import re

import numpy as np
import pandas as pd
import pytest

import lightrail_post as post
from lightrail_post.__main__ import main, picoseconds, selected_gpus
from lightrail_post.counters import received_rate
from lightrail_post.flows import POINT_TO_POINT, matched_sends
from lightrail_post.perfetto import event_texts, perfetto_events

MS = 10**9


def ops_of(rows):
    """[(gpu, kind, size, start, end)]"""
    ops = pd.DataFrame(rows, columns=["gpu", "kind", "size_bytes", "t_start_ps", "t_end_ps"])
    return ops.assign(stream=0, op=range(len(ops)), name="x", iteration=0, dimension=-1)


def messages_of(rows):
    """[(from, to, size, first byte, last byte)]"""
    messages = pd.DataFrame(rows, columns=["from", "to", "size_bytes", "t_start_ps", "t_end_ps"], dtype=np.int64)
    return messages.assign(connection=POINT_TO_POINT)


@pytest.fixture
def run(result):
    return post.open_run(result)


def matched(run, ops, messages):
    run.tables._read["ops"], run.tables._read["messages"] = ops, messages
    pairs = matched_sends(run)
    return sorted(zip(pairs["receive"], pairs["send"]))


def test_a_receive_is_joined_to_the_send_whose_message_ended_it(run):
    """GPU 0 sends 10 B twice and GPU 2 once, all to GPU 1, and 20 B beside them."""
    ops = ops_of([(0, "send", 10, 0, 50), (0, "send", 10, 100, 150), (2, "send", 10, 60, 90),
                  (1, "recv", 10, 0, 55), (1, "recv", 10, 60, 95), (1, "recv", 10, 100, 160),
                  (0, "send", 20, 0, 400), (1, "recv", 20, 0, 410), (0, "compute", 10, 0, 500)])
    messages = messages_of([(0, 1, 10, 20, 54), (2, 1, 10, 70, 93), (0, 1, 10, 120, 158),
                            (0, 1, 20, 30, 405)])
    assert matched(run, ops, messages) == [(3, 0), (4, 2), (5, 1), (7, 6)]


def test_messages_of_collectives_and_of_other_dimensions_end_no_receive(run):
    ops = ops_of([(0, "send", 10, 0, 50), (2, "send", 10, 0, 70), (1, "recv", 10, 0, 75), (1, "recv", 10, 0, 55)])
    ops["dimension"] = [0, 1, 1, 0]
    messages = messages_of([(0, 1, 10, 20, 30), (2, 1, 10, 20, 54), (0, 1, 10, 20, 55)])
    messages["connection"] = [0, 1 << 16 | 4, 4]
    run.dimensions, run.group_kinds = ["pp", "cp"], ["pp", "cp"]
    assert matched(run, ops, messages) == [(2, 1), (3, 0)]


def test_the_phase_of_sends_is_that_of_the_simulator():
    """The fifth of network/wire/phase.hpp."""
    header = pathlib.Path(__file__).resolve().parents[2] / "network/wire/phase.hpp"
    names = re.findall(r"^  (\w+),? ", header.read_text(), re.M)
    assert names.index("point_to_point") == POINT_TO_POINT


def test_nothing_is_joined_without_messages_or_in_parts(run):
    ops = ops_of([(0, "send", 10, 0, 50), (1, "recv", 10, 0, 55)])
    assert matched(run, ops, messages_of([])) == []
    assert matched(run, ops, messages_of([(0, 1, 5, 20, 54), (0, 1, 5, 20, 54)])) == []


def test_arrows_begin_at_the_send_and_end_at_the_receive(run):
    run.tables._read["ops"] = ops_of([(0, "send", 10, 0, 50_000_000), (1, "recv", 10, 0, 55_000_000)])
    run.tables._read["messages"] = messages_of([(0, 1, 10, 20_000_000, 54_000_000)])
    begin, end = [e for e in perfetto_events(run) if e["ph"] in "sf"]
    assert (begin["ph"], begin["pid"], begin["ts"]) == ("s", 0, 0)
    assert (end["ph"], end["pid"], end["ts"], end["bp"]) == ("f", 1, 55, "e")
    assert begin["id"] == end["id"]
    assert not [e for e in perfetto_events(run, gpus=[1]) if e["ph"] in "sf"]


def test_a_rate_is_even_from_the_first_byte_to_the_last():
    """1,000 B from 10 to 20 ps and 500 B from 15 to 25 ps, in bins of 10 ps."""
    rates = received_rate(messages_of([(0, 1, 1000, 10, 20), (2, 1, 500, 15, 25)]), np.array([0, 10, 20, 30]))
    assert rates == pytest.approx([0, 1250 / 10e-12, 250 / 10e-12])


def test_counters_tell_what_comes_in_and_how_links_are_used(run):
    run.tables._read["messages"] = messages_of([(0, 1, 1000, 0, MS), (0, 2, 1000, MS, 2 * MS)])
    counted = [e for e in perfetto_events(run) if e["ph"] == "C"]
    names = {e["name"] for e in counted}
    assert "receives [GB/s]" in names
    mine = [e for e in counted if e["pid"] == 1]
    assert [(e["ts"], e["args"]) for e in mine] == [(0, {"GB/s": 0.001}), (1000, {"GB/s": 0})]
    assert any(name.endswith(" [%]") and " → " in name for name in names)
    link = next(e for e in counted if " → " in e["name"])
    assert 0 <= link["args"]["mean"] <= link["args"]["largest"] <= 100


def test_a_range_of_time_has_what_lies_in_it_in_part(run, result, tmp_path, capsys):
    ops = run.tables["ops"]
    low, high = int(ops["t_start_ps"].quantile(0.4)), int(ops["t_start_ps"].quantile(0.6))
    wanted = ops[(ops["t_end_ps"] >= low) & (ops["t_start_ps"] <= high) & (ops["gpu"] == 1)]
    out = tmp_path / "part.json"
    assert main(["perfetto", str(result), "--out", str(out), "--gpus", "1", "--from", f"{low}ps", "--to",
                 f"{high} ps"]) == 0
    events = json.loads(out.read_text())["traceEvents"]
    assert len([e for e in events if e["ph"] == "X"]) == len(wanted) > 0
    assert f"{len(events)} events" in capsys.readouterr().out


def test_lists_of_gpus_and_times_are_read():
    assert selected_gpus("0-2,7") == [0, 1, 2, 7]
    assert picoseconds("1.5ms") == 1_500_000_000 and picoseconds("2 µs") == 2_000_000
    for bad in ("7-2", "a", "1,,2"):
        with pytest.raises(Exception, match="invalid GPU list"):
            selected_gpus(bad)
    with pytest.raises(Exception, match="invalid time '12'"):
        picoseconds("12")


def test_an_end_before_the_start_is_refused(result, tmp_path):
    with pytest.raises(ValueError, match="--to must lie after --from"):
        main(["perfetto", str(result), "--out", str(tmp_path / "x"), "--from", "2ms", "--to", "1ms"])


def test_a_run_without_operations_is_a_valid_trace(run, tmp_path):
    for table in ("ops", "messages", "link_use"):
        run.tables._read[table] = run.tables[table].iloc[:0]
    assert sum(map(len, event_texts(run))) == 1
    post.write_perfetto(run, tmp_path / "none.json")
    assert json.loads((tmp_path / "none.json").read_text())["traceEvents"][0]["args"]["name"] == "links"
