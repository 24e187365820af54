#!/usr/bin/python3
"""Checkpoints in peers' memory: how long copies take against their bytes and rates, that they do not hold up
a step where they wait for the network, and what a restart reads from where.

usage: test_peers.py LIGHTRAIL SCENARIOS    SCENARIOS: the folder scenarios
"""
import pathlib
import sys
import tempfile

import h5py

from test_restart import MS, RENDEZVOUS, COMMUNICATORS, DETECTION, REPLACEMENT, WARM_UP, Run, good, variant

PIECE = 32 << 20
SOURCES = ("beginning", "storage", "memory")


def ops(run, name, gpu=0):
    """Rows of ops of that name on a GPU, in order."""
    with h5py.File(run.file) as file:
        names = [text.decode() for text in file["names"][:]]
    rows = [row for row in run.rows("ops") if names[row["name"]] == name and row["gpu"] == gpu]
    return sorted(rows, key=lambda row: row["t_start_ps"])


def span(rows):
    return min(row["t_start_ps"] for row in rows), max(row["t_end_ps"] for row in rows)


def check_copies(lightrail, scenarios, folder):
    """A step saves what the one before left; idle, it is as long as one that does not save."""
    scenario = scenarios / "training" / "peers.xml"
    steps = {}
    for name, settings in (("never", {"every": 1000}), ("idle", {}), ("at once", {"traffic": "at-once"})):
        run = good(lightrail, scenario, folder, **settings)
        steps[name] = [i["step_time_ps"] for i in run.summary["iterations"]]
        if name == "never":
            assert not ops(run, "send checkpoint")
            continue
        sent, kept, own = (ops(run, op) for op in ("send checkpoint", "keep peer's checkpoint", "keep checkpoint"))
        # In the second and third of three steps, each all of what a GPU keeps.
        saves = len(own)
        assert saves == 2, own
        state = 26.9e9 / 16  # bytes a GPU keeps
        pieces = -(-int(state) // PIECE)
        assert abs(len(sent) / saves - pieces) <= 1 and len(kept) == len(sent), (len(sent), pieces)
        if name == "at once":
            begin, end = span(sent[:len(sent) // saves])
            took = (end - begin) / 1e12
            # 400 Gb/s, 0.96 of which is payload at best; training's own traffic lies beside some of it.
            assert took > state * 8 / 400e9, took
        # The host has all before the next update: it is in the step that sends it.
        iteration = run.summary["iterations"][1]
        assert span(kept[:len(kept) // saves])[1] <= iteration["t_end_ps"]
    # Copies take the GPU's memory, and what begins while a piece is under way waits for its end: little, and
    # less than half of what it is where pieces do not wait.
    assert steps["idle"][0] == steps["at once"][0] == steps["never"][0], steps
    for idle, at_once, never in list(zip(steps["idle"], steps["at once"], steps["never"]))[1:]:
        assert never < idle < 1.03 * never, steps
        assert idle - never < 0.5 * (at_once - never), steps


def restart_row(run):
    (row,) = run.rows("restarts")
    return row, SOURCES[row["source"]]


def check_restart(lightrail, scenarios, folder):
    """From memory where a server of each group is left, else from storage; what is lost."""
    scenario = scenarios / "examples" / "peers_restart.xml"
    undisturbed = good(lightrail, scenario, folder, at="1000 s")
    steps = undisturbed.summary["iterations"]
    fails = (steps[4]["t_start_ps"] + steps[4]["t_end_ps"]) // 2  # in the fifth step
    run = good(lightrail, scenario, folder, at=f"{fails} ps")
    row, source = restart_row(run)
    assert source == "memory", row
    assert (row["server"], row["spare"], row["servers"]) == (0, 4, 1)
    assert row["t_halted_ps"] - fails == DETECTION
    assert row["t_ready_ps"] - row["t_halted_ps"] == REPLACEMENT + RENDEZVOUS + COMMUNICATORS * 2
    assert row["t_back_ps"] - row["t_loaded_ps"] == WARM_UP
    assert row["iteration"] >= 3, row  # storage alone would have taken it back to the third step, 2
    from_memory_ps = row["t_loaded_ps"] - row["t_ready_ps"]

    fault = '<fault at="${at}" what="${fails}"/>'
    pair = (fault, fault + '<fault at="${at}" what="gpu11"/>')
    run = good(lightrail, variant(scenario, folder, pair), folder, at=f"{fails} ps")
    row, source = restart_row(run)
    assert (source, row["servers"]) == ("storage", 2), row
    assert row["iteration"] in (2, 4), row  # each second step is in storage
    assert row["t_loaded_ps"] - row["t_ready_ps"] > from_memory_ps, (row, from_memory_ps)

    # One of each group may fail.
    two = variant(scenario, folder, (fault, fault + '<fault at="${at}" what="gpu19"/>'))
    run = good(lightrail, two, folder, at=f"{fails} ps")
    row, source = restart_row(run)
    assert (source, row["servers"]) == ("memory", 2), row

    # Without storage a lost group is the end of all that was done.
    bare = variant(scenario, folder, pair, ('storage-every="${storage}" ', ""),
                   ('  <variable name="storage" value="2"/>\n', ""))
    row, source = restart_row(good(lightrail, bare, folder, at=f"{fails} ps"))
    assert (source, row["iteration"]) == ("beginning", 0), row


def main(lightrail, scenarios):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_copies(lightrail, scenarios, folder)
        check_restart(lightrail, scenarios, folder)


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
