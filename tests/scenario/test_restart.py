#!/usr/bin/python3
"""A restart inside a run against the sum of its stages, the read of a job that begins with one, and what was
sent against what came in or was thrown away.

usage: test_restart.py LIGHTRAIL SCENARIO    SCENARIO: scenarios/examples/restart.xml
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py

MS = 10**9
DETECTION, REPLACEMENT, RENDEZVOUS, WARM_UP = (20 * MS, 120 * MS, 30 * MS, 60 * MS)
COMMUNICATORS = 16 * 3 * 10**6
TIMEOUT_S = 600
NO_CHECKPOINT = "the job has no checkpoint that all its GPUs write: it begins again at its first iteration"


class Run:
    """One run: exit code, output, summary, and columns of tables."""

    def __init__(self, lightrail, scenario, folder, **settings):
        self.file, summary = folder / "run.h5", folder / "run.json"
        for old in (self.file, summary):
            old.unlink(missing_ok=True)
        options = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
        done = subprocess.run([lightrail, "run", str(scenario), "--out", str(self.file), "--summary", str(summary),
                               "--progress", "none", *options], capture_output=True, text=True, timeout=TIMEOUT_S)
        self.code, self.log = done.returncode, done.stdout + done.stderr
        self.summary = json.loads(summary.read_text()) if summary.exists() else {}

    def rows(self, table):
        """[{column: value}] of a table."""
        with h5py.File(self.file) as file:
            columns = {name: data[:].tolist() for name, data in file[f"tables/{table}"].items()}
        return [dict(zip(columns, values)) for values in zip(*columns.values())]


def good(lightrail, scenario, folder, **settings):
    run = Run(lightrail, scenario, folder, **settings)
    assert run.code == 0, run.log
    return run


def variant(scenario, folder, *changes):
    """The scenario with some of its text changed, beside nothing else."""
    text = scenario.read_text()
    for old, new in changes:
        assert old in text, f"'{old}' is not in {scenario}"
        text = text.replace(old, new)
    changed = folder / "changed.xml"
    changed.write_text(text)
    return changed


def read_time(lightrail, scenario, folder):
    """How long the slowest GPU of a job that begins with reading its checkpoint reads, nothing else going on."""
    begins = variant(scenario, folder, ('mode="${mode}"/>', 'mode="${mode}" restore="on"/>'),
                     ("</scenario>", '<output><table name="ops" gpus="all"/></output></scenario>'))
    run = good(lightrail, begins, folder, at="1000 s")
    with h5py.File(run.file) as file:
        names = [name.decode() for name in file["names"][:]]
    reads = [row for row in run.rows("ops") if names[row["name"]] == "restore checkpoint" and row["iteration"] == 0]
    assert len(reads) == 16, len(reads)
    return max(row["t_end_ps"] - row["t_start_ps"] for row in reads)


def messages_alone(scenario, folder):
    """The scenario with every GPU's messages, which are as long on the wire as what they carry, and no storage."""
    return variant(scenario, folder, ('<checkpoint every="${every}" mode="${mode}"/>', ""),
                   ('  <variable name="mode" value="synchronous"/>\n  <variable name="every" value="2"/>\n', ""),
                   ('catalogue="nccl/nccl_2_21"', 'catalogue="nccl/nccl_2_21" protocol="simple" algorithm="ring"'),
                   ("</scenario>", '<output><table name="messages" gpus="all"/></output></scenario>'))


def without_spares(scenario, folder):
    return variant(scenario, folder, (' spares="${spares}"', ""), ('  <variable name="spares" value="2"/>\n', ""))


def check_stages(lightrail, scenario, folder, read_ps):
    """A GPU fails for good; a spare takes its server's place."""
    undisturbed = good(lightrail, scenario, folder, at="1000 s")
    steps = undisturbed.summary["iterations"]
    fails = (steps[3]["t_start_ps"] + steps[3]["t_end_ps"]) // 2  # in the fourth step, behind the first save
    run = good(lightrail, scenario, folder, at=f"{fails} ps")
    assert NO_CHECKPOINT not in run.log, run.log
    (row,) = run.rows("restarts")
    assert row["t_failed_ps"] == fails
    assert row["t_halted_ps"] - fails == DETECTION
    assert row["t_ready_ps"] - row["t_halted_ps"] == REPLACEMENT + RENDEZVOUS + COMMUNICATORS
    # From another server requests come in another order: who has to wait for whom at a drive is another one.
    load_ps = row["t_loaded_ps"] - row["t_ready_ps"]
    assert abs(load_ps / read_ps - 1) < 0.001, (row, read_ps)
    assert row["t_back_ps"] - row["t_loaded_ps"] == WARM_UP
    assert (row["server"], row["spare"], row["servers"]) == (0, 2, 1)
    assert (row["iteration"], row["reached"]) == (2, 4)  # the other stage of the pipeline gets into the fifth

    times = collections.defaultdict(set)  # by iteration: attempts in which it ended
    for step in run.rows("steps"):
        times[step["iteration"]].add((step["attempt"], step["gpu"]))
    assert times[1] == {(0, gpu) for gpu in range(16)}
    # On GPUs 16 to 23 in the place of 0 to 7; the third step was done before.
    later = {(1, gpu) for gpu in range(8, 24)}
    assert times[2] == {(0, gpu) for gpu in range(16)} | later
    assert times[3] >= later and times[4] == later, times
    # What is done again takes about what it took: GPUs whose reads ended sooner begin sooner.
    kept = run.summary["iterations"]
    for again, before in zip(kept[3:], steps[3:]):
        assert abs(again["step_time_ps"] / before["step_time_ps"] - 1) < 0.02, (again, before)

    explained = subprocess.run([lightrail, "explain", str(run.file)], capture_output=True, text=True)
    assert explained.returncode == 2 and "of a job that was restarted" in explained.stderr, explained
    with h5py.File(run.file) as file:
        assert "the job was restarted" in file["summary/critical_path"].attrs["missing"].decode()

    job = run.summary["restarts"]["job"]
    assert job["lost_iterations"] == 3
    assert job["load_ps"] == load_ps
    ends = [0] + [i["t_end_ps"] for i in kept]  # steps of a pipeline overlap
    assert job["effective_ps"] == sum(i["t_end_ps"] - max(i["t_start_ps"], end) for i, end in zip(kept, ends))
    # All time is of steps that count, of what was undone, or of the restart.
    undone = fails - kept[1]["t_end_ps"]
    stages = DETECTION + REPLACEMENT + RENDEZVOUS + COMMUNICATORS + load_ps + WARM_UP
    slack = job["time_ps"] - job["effective_ps"] - undone - stages
    assert abs(slack) < MS, slack  # GPUs that read less begin sooner
    return fails


def check_conservation(lightrail, scenario, folder, fails):
    """What GPUs sent each other came in whole or was thrown away, and no message came twice."""
    recorded = messages_alone(scenario, folder)
    quick = variant(recorded, folder, ('detection="20 ms"', 'detection="1 us"'))  # in the midst of what it sends
    thrown_in_all = 0
    for shift in range(12):
        run = good(lightrail, quick, folder, at=f"{fails * (shift + 2) // 14} ps")
        sent = sum(row["size_bytes"] for row in run.rows("traffic"))
        came = sum(row["size_bytes"] for row in run.rows("messages") if row["from"] != row["to"])
        thrown = sum(row["size_bytes"] for row in run.rows("discarded"))
        assert NO_CHECKPOINT in run.log, run.log
        assert run.rows("restarts") and sent == came + thrown, (shift, sent, came, thrown, run.rows("discarded"))
        thrown_in_all += thrown
    assert thrown_in_all > 0, "nothing was ever under way"


def check_without_spare(lightrail, scenario, folder, fails, read_ps):
    """The job waits for the repair, and its servers read to the picosecond as at the begin; or it ends."""
    scenario = without_spares(scenario, folder)
    run = good(lightrail, scenario, folder, at=f"{fails} ps", **{"for": "500 ms"})
    (row,) = run.rows("restarts")
    assert row["t_ready_ps"] == fails + 500 * MS + RENDEZVOUS + COMMUNICATORS
    assert row["servers"] == 0
    assert row["t_loaded_ps"] - row["t_ready_ps"] == read_ps, (row, read_ps)
    for_good = variant(scenario, folder, (' for="${for}"', ""),
                       ('  <variable name="for" value="1000 s"/>\n', ""))
    run = Run(lightrail, for_good, folder, at=f"{fails} ps")
    assert run.code == 3, run.log
    assert "the job has ended" in run.log and "gpu3 has failed for good, and no spare server is left" in run.log
    assert run.summary["status"] == "aborted", run.summary["status"]


def check_other_causes(lightrail, scenario, folder, fails):
    """A server that is cut off, a server's host, and a GPU that hangs until the watch has had enough."""
    at = f"{fails} ps"
    run = good(lightrail, scenario, folder, at=at, fails="host24")
    (row,) = run.rows("restarts")
    assert row["server"] == 0 and row["t_halted_ps"] - fails == DETECTION
    run = good(lightrail, scenario, folder, at=at, fails="leaf0")  # of rails: the next GPU's NIC stands in
    assert not run.rows("restarts")
    # Of 4 chips: links of one stand in for those of another, until none is left.
    chips = ('<server catalogue="servers/dgx_h100_storage"/>',
             '<server catalogue="servers/dgx_h100_storage"><nvswitch planes="4" plane-hash="flow"/></server>')
    def lost(count):
        faults = "".join(f'<fault at="${{at}}" for="${{for}}" what="nvswitch0:{8 * chip + 3}"/>' for chip in range(count))
        return variant(scenario, folder, chips, ('<fault at="${at}" for="${for}" what="${fails}"/>', faults),
                       ('  <variable name="fails" value="gpu3"/>\n', ""))
    run = good(lightrail, lost(3), folder, at=at)
    assert not run.rows("restarts")
    run = good(lightrail, lost(4), folder, at=at)
    (row,) = run.rows("restarts")
    assert row["server"] == 0 and row["t_halted_ps"] - fails == DETECTION
    slow = variant(without_spares(scenario, folder), folder, ('detection="20 ms"', 'detection="10 s"'),
                   ('collective-timeout="1 s"', 'collective-timeout="1 ms"'))
    run = good(lightrail, slow, folder, at=at, **{"for": "5 ms"})
    row = run.rows("restarts")[0]
    with h5py.File(run.file) as file:
        causes = [label.decode() for label in file["tables/restarts/cause"].attrs["labels"]]
    assert causes[row["cause"]] == "timeout", row
    assert row["t_halted_ps"] - row["t_failed_ps"] == 2 * 10**6
    assert fails < row["t_failed_ps"] <= fails + 3 * MS


def check_others(lightrail, scenario, folder, fails):
    """Beside a job that is restarted another one does what it does alone, and without faults nothing changes."""
    second = ('</scenario>', '''<workload kind="training" name="b" gpus="16-23" host="none" global-batch="8" sequence="128" iterations="40">
    <model layers="2" hidden="256" heads="8" kv-heads="4" ffn="512" vocabulary="1000"/></workload></scenario>''')
    names = ('gpus="0-15" host', 'name="a" gpus="0-15" host')
    both = variant(scenario, folder, second, names, ('cluster servers="3"', 'cluster servers="4"'))
    disturbed = good(lightrail, both, folder, at=f"{fails} ps", spares="3")
    quiet = good(lightrail, both, folder, at="1000 s", spares="3")
    def of_b(run):
        return [(i["t_start_ps"], i["t_end_ps"]) for i in run.summary["iterations"] if i["job"] == "b"]
    assert set(disturbed.summary["restarts"]) == {"a"}
    assert len(of_b(quiet)) == 40 and of_b(disturbed) == of_b(quiet)

    fault = '<fault at="${at}" for="${for}" what="${fails}"/>'
    lines = scenario.read_text().splitlines()
    (restart,) = [line for line in lines if "<restart " in line]
    names = tuple(f'<variable name="{name}"' for name in ("at", "for", "fails"))
    of_fault = [(line, "") for line in lines if line.lstrip().startswith(names)]
    of_spare = [(line, "") for line in lines if '<variable name="spares"' in line]
    with_restart = good(lightrail, variant(scenario, folder, (fault, ""), *of_fault), folder)
    bare = variant(scenario, folder, (fault, ""), (restart, ""), *of_fault, *of_spare)
    without = good(lightrail, bare, folder)
    assert with_restart.summary["hash"] == without.summary["hash"]


def main():
    lightrail, scenario = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        read_ps = read_time(lightrail, scenario, folder)
        fails = check_stages(lightrail, scenario, folder, read_ps)
        check_conservation(lightrail, scenario, folder, fails)
        check_without_spare(lightrail, scenario, folder, fails, read_ps)
        check_other_causes(lightrail, scenario, folder, fails)
        check_others(lightrail, scenario, folder, fails)
    print(f"a restart takes its stages and the read of {read_ps} ps; nothing is lost unsaid")
    return 0


if __name__ == "__main__":
    sys.exit(main())
