#!/usr/bin/python3
"""The table link_traffic: adds up to link_use, has the bytes of `traffic`, is the same on any number of ranks
and through a checkpoint, is off unless asked for, and `lightrail explain` says what it has.

usage: test_link_traffic.py LIGHTRAIL TRAINING OPTICAL

TRAINING: a small step with pipeline and expert parallelism, two iterations. OPTICAL: one over circuits.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
from collections import defaultdict

import h5py

LIGHTRAIL, TRAINING, OPTICAL = sys.argv[1:4]
OUTPUT = '<output interval="100 us"/>'
ASKED = '<output interval="100 us"><table name="link_traffic"/></output>'
COLUMNS = ["component", "link", "interval", "group", "traffic", "size_bytes", "t_busy_ps"]


def call(*words, ranks=1):
    start = ["mpiexec", "-n", str(ranks)] if ranks > 1 else []
    done = subprocess.run([*start, LIGHTRAIL, *map(str, words)], text=True, capture_output=True, timeout=300,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def scenario(folder):
    text = pathlib.Path(TRAINING).read_text()
    workload = '<workload kind="training"'
    assert OUTPUT in text and workload in text
    text = text.replace(workload, workload + ' host="none"')  # links and not launches take the time
    (folder / "plain.xml").write_text(text)
    (folder / "s.xml").write_text(text.replace(OUTPUT, ASKED))
    return folder / "s.xml"


def rows_of(path):
    with h5py.File(path) as file:
        return list(zip(*(file[f"tables/link_traffic/{column}"][:].tolist() for column in COLUMNS)))


def it_adds_up_to_link_use(path):
    with h5py.File(path) as file:
        use = {column: values[:] for column, values in file["tables/link_use"].items()}
    expected = {(link, interval): (size, busy) for link, interval, size, busy in
                zip(use["link"], use["interval"], use["size_bytes"], use["t_busy_ps"])}
    found = defaultdict(lambda: [0, 0])
    for _, link, interval, _, _, size, busy in rows_of(path):
        found[link, interval][0] += size
        found[link, interval][1] += busy
    assert {key: tuple(value) for key, value in found.items()} == expected


def it_has_the_bytes_of_traffic(path):
    """What leaves servers by dimension, from `traffic` of a pipeline: stages lie on different servers."""
    with h5py.File(path) as file:
        groups = [name.decode() for name in file["model/group_kinds/name"][:]]
        dimensions = [name.decode() for name in file["dimensions"][:]]
        kinds = file["tables/link_traffic/traffic"].attrs["labels"]
        kinds = [name.decode() if isinstance(name, bytes) else name for name in kinds]
        components = [name.decode() for name in file["model/components/kind"][:]]
        ends = list(zip(file["model/links/from"][:], file["model/links/to"][:]))
        traffic = zip(*(file[f"tables/traffic/{column}"][:] for column in ("dimension", "size_bytes")))
        sent = sum(size for dimension, size in traffic if dimensions[dimension] == "pp")
    found = defaultdict(int)
    for _, link, _, group, kind, size, _ in rows_of(path):
        if components[ends[link][0]] == "nic" and components[ends[link][1]] == "switch":
            found[groups[group], kinds[kind]] += size
    assert found["pp", "point_to_point"] == sent > 0, (dict(found), sent)
    assert sum(found.values()) == sent, "only stages lie on different servers"


def it_is_the_same_on_any_number_of_ranks(folder, path):
    whole = rows_of(path)
    for ranks in (2, 4):
        call("run", scenario(folder), "--out", folder / f"on{ranks}.h5", "--progress", "none", ranks=ranks)
        assert rows_of(folder / f"on{ranks}.h5") == whole, ranks
    with h5py.File(path) as file:
        middle = int(file["run"].attrs["sim_end_ps"]) // 2
    call("run", scenario(folder), "--out", folder / "saved.h5", "--progress", "none", "--checkpoint",
         folder / "kept", "--checkpoint-every", f"{middle}ps")
    newest = sorted((folder / "kept").glob("checkpoint-*.lr"))[-1]
    for ranks in (1, 2, 4):
        call("run", scenario(folder), "--out", folder / f"gone{ranks}.h5", "--progress", "none", "--resume",
             newest, "--checkpoint", "none", ranks=ranks)
        assert rows_of(folder / f"gone{ranks}.h5") == whole, ranks


def it_has_what_optical_switches_pass_on(folder):
    text = pathlib.Path(OPTICAL).read_text()
    assert OUTPUT in text
    (folder / "optical.xml").write_text(text.replace(OUTPUT, ASKED))
    call("run", folder / "optical.xml", "--out", folder / "optical.h5", "--progress", "none")
    it_adds_up_to_link_use(folder / "optical.h5")
    with h5py.File(folder / "optical.h5") as file:
        kinds = [name.decode() for name in file["model/components/kind"][:]]
    assert sum(row[5] for row in rows_of(folder / "optical.h5") if kinds[row[0]] == "ocs") > 0


def it_is_off_unless_asked_for(folder):
    call("run", folder / "plain.xml", "--out", folder / "plain.h5", "--progress", "none")
    with h5py.File(folder / "plain.h5") as file:
        assert len(file["tables/link_use/link"]) > 0
        assert len(file["tables/link_traffic/link"]) == 0
    told = json.loads(call("explain", folder / "plain.h5", "--json"))
    assert all(link["carried"] == [] for link in told["links"] + told["limits"])


def what_is_explained_is_in_the_table(path):
    told = json.loads(call("explain", path, "--json"))
    with h5py.File(path) as file:
        length = int(file["run"].attrs["interval_ps"])
        groups = [name.decode() for name in file["model/group_kinds/name"][:]]
    assert told["limits"]
    for link in told["links"] + told["limits"]:
        inside = [row for row in rows_of(path) if row[1] == link["link"]
                  and link["peak_start_ps"] <= row[2] * length < link["peak_end_ps"]]
        assert sum(part["busy_ps"] for part in link["carried"]) == sum(row[6] for row in inside) > 0
        assert {part["group"] for part in link["carried"]} == {groups[row[3]] for row in inside}
        busy = [part["busy_ps"] for part in link["carried"]]
        assert busy == sorted(busy, reverse=True)
    text = call("explain", path)
    assert "with whose traffic it was" in text and "dp ring 100 % of it" in text, text


def a_group_that_is_not_there_is_refused(path):
    with h5py.File(path, "r+") as file:
        file["tables/link_traffic/group"][0] = 99
    done = subprocess.run([LIGHTRAIL, "explain", path], text=True, capture_output=True, timeout=300)
    assert done.returncode == 2, done
    assert "has a row of link_traffic for a group or a kind of traffic that does not exist" in done.stderr, done


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        path = folder / "whole.h5"
        call("run", scenario(folder), "--out", path, "--progress", "none")
        it_adds_up_to_link_use(path)
        it_has_the_bytes_of_traffic(path)
        what_is_explained_is_in_the_table(path)
        it_has_what_optical_switches_pass_on(folder)
        it_is_off_unless_asked_for(folder)
        it_is_the_same_on_any_number_of_ranks(folder, path)
        a_group_that_is_not_there_is_refused(path)


main()
