#!/usr/bin/python3
"""The critical path of `lightrail explain`: what it is where that is known by hand, and whether a change that
it names shortens the step by what it says.

usage: test_critical_path.py LIGHTRAIL TRAINING

TRAINING: a small step with pipeline and expert parallelism.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from named_cases import check, run_cases  # noqa: E402

MS = 10**9
PEERS = pathlib.Path(__file__).resolve().parents[2] / "scenarios/training/peers.xml"
EVERYTHING = '<output><table name="ops" gpus="all"/><table name="messages" gpus="all"/></output>'

# Two stages, `count` micro-batches: stage 0 takes first, stage 1 takes second each. Another GPU computes
# beside them what nobody waits for.
PIPELINE = """
<scenario name="pipeline">
  <cluster servers="2"><server catalogue="servers/dgx_h100"/></cluster>
  <fabric kind="single-switch">
    <switch catalogue="switches/qm9700"/>
    <link role="host" catalogue="links/ndr_copper"/>
  </fabric>
  <workload kind="explicit">
    <program gpus="0">{sender}</program>
    <program gpus="1"><op kind="compute" name="beside" duration="{beside}"/></program>
    <program gpus="8">{receiver}</program>
  </workload>
  {output}
</scenario>
"""


def pipeline(first, second, count=4, beside="1 us", output=EVERYTHING):
    sender, receiver = "", ""
    for k in range(count):
        sender += f'<op kind="compute" name="first" id="f{k}" duration="{first}"/>'
        sender += f'<op kind="send" peer="8" size="4 MB" stream="out" after="f{k}"/>'
        receiver += f'<op kind="recv" peer="0" size="4 MB" stream="in" id="r{k}"/>'
        receiver += f'<op kind="compute" name="second" duration="{second}" after="r{k}"/>'
    return PIPELINE.format(sender=sender, receiver=receiver, beside=beside, output=output)


class Tool:
    def __init__(self, lightrail, folder):
        self.lightrail, self.folder = lightrail, folder

    def call(self, *words, ranks=1):
        start = ["mpiexec", "-n", str(ranks)] if ranks > 1 else []
        done = subprocess.run([*start, self.lightrail, *map(str, words)], text=True, capture_output=True,
                              timeout=300, cwd=self.folder, stdin=subprocess.DEVNULL)
        check(done.returncode == 0, done.stdout + done.stderr)
        return done.stdout

    def path(self, scenario, name="a", **how):
        """The critical path of a scenario's text, which is one chain without a gap."""
        (self.folder / f"{name}.xml").write_text(scenario)
        self.call("run", f"{name}.xml", "--out", f"{name}.h5", "--progress", "none", **how)
        told = json.loads(self.call("explain", f"{name}.h5", "--json"))
        path = told["critical_path"]
        if path["missing"]:
            return path
        check(path["step_ps"] == told["step"]["step_ps"], (path["step_ps"], told["step"]))
        check(sum(part["time_ps"] for part in path["parts"]) == path["step_ps"], path["parts"])
        segments = path["segments"]
        check(all(a["t_end_ps"] == b["t_start_ps"] for a, b in zip(segments, segments[1:])), segments)
        check(segments[-1]["t_end_ps"] - segments[0]["t_start_ps"] == path["step_ps"], segments)
        return path


def times(path):
    return {part["label"]: part["time_ps"] for part in path["parts"]}


def told_step(path, change):
    found = [c["step_ps"] for c in path["what_ifs"] if c["change"] == change]
    check(len(found) == 1, f"{change}: {path['what_ifs']}")
    return found[0]


def the_slow_stage_is_the_path(tool):
    """Stage 1 is the slow one: its first message is waited for, then it computes without a break:
    step = 1 ms + message + 4 x 3 ms."""
    path = tool.path(pipeline("1 ms", "3 ms"))
    parts = times(path)
    check(parts["kernel first"] == 1 * MS and parts["kernel second"] == 12 * MS, parts)
    check(set(parts) == {"kernel first", "kernel second", "message world"}, parts)
    check(0 < parts["message world"] < MS // 2 and path["step_ps"] == 13 * MS + parts["message world"], parts)
    check([s["gpu"] for s in path["segments"]] == [0] + [8] * 5, path["segments"])
    # Ten per cent of each, since nothing else comes near.
    check(path["step_ps"] - told_step(path, "kernel second") == 12 * MS // 10, path["what_ifs"])
    check(path["step_ps"] - told_step(path, "kernel first") == 1 * MS // 10, path["what_ifs"])
    check(path["what_ifs"][0]["change"] == "kernel second", path["what_ifs"])


def the_fast_stage_waits_for_the_slow_one(tool):
    """Stage 0 is the slow one: step = 4 x 3 ms + message + 1 ms."""
    path = tool.path(pipeline("3 ms", "1 ms"))
    parts = times(path)
    check(parts["kernel first"] == 12 * MS and parts["kernel second"] == 1 * MS, parts)
    check(path["step_ps"] == 13 * MS + parts["message world"], parts)


def what_takes_over_is_said(tool):
    """Beside the pipeline of 13.1 ms a GPU computes for 12.9 ms: a tenth of 12 ms does not come off."""
    path = tool.path(pipeline("1 ms", "3 ms", beside="12900 us"))
    check("kernel beside" not in times(path), times(path))
    check(told_step(path, "kernel second") == 12_900 * 10**6, path["what_ifs"])


def a_kernel_shortened_as_named(tool):
    for name, first, second in (("kernel second", "1 ms", "2700 us"), ("kernel first", "900 us", "3 ms")):
        expected = told_step(tool.path(pipeline("1 ms", "3 ms")), name)
        check(expected == tool.path(pipeline(first, second), "b")["step_ps"], name)


def a_rate_raised_as_named(tool):
    """Kernels of 10 us, so that messages of 32 MB make the step. From 360 to 400 Gb/s bytes take a tenth less
    time. What was told is right to a hundredth of the change: the bus behind the link is as fast as
    before."""
    link = '<link role="host" catalogue="links/ndr_copper" rate="{} Gb/s"/>'
    text = pipeline("10 us", "10 us").replace("4 MB", "32 MB")
    text = text.replace('<link role="host" catalogue="links/ndr_copper"/>', link.format(360))
    check(link.format(360) in text, text)
    before = tool.path(text)
    after = tool.path(text.replace(link.format(360), link.format(400)), "b")["step_ps"]
    expected = told_step(before, "bytes of message world")
    print(f"     from {before['step_ps']}, told {expected}, found {after} ps")
    check(before["step_ps"] - expected > before["step_ps"] // 20, before["what_ifs"])
    check(abs(after - expected) < (before["step_ps"] - after) // 100, (before["step_ps"], expected, after))


def a_real_step(tool):
    """Every collective and both iterations; a kernel that is a tenth shorter everywhere."""
    text = pathlib.Path(TRAINING).read_text()
    text = text.replace('<output interval="100 us"/>', EVERYTHING)
    workload = '<workload kind="training"'
    check(EVERYTHING in text and workload in text, text)
    # Small kernels: where CPUs launch them, nothing else is worth a word.
    launched = tool.path(text)
    check(launched["parts"][0]["label"] == "launch", launched["parts"])
    check([c["change"] for c in launched["what_ifs"]][:1] == ["launch"], launched["what_ifs"])
    text = text.replace(workload, workload + ' host="none"')
    path = tool.path(text)
    check("launch" not in times(path), path["parts"])
    check(path["iteration"] == 1 and path["unsplit"] == "", path["unsplit"])
    check(len(path["what_ifs"]) > 2, path["what_ifs"])
    with h5py.File(tool.folder / "a.h5") as file:
        kept = file["summary/critical_path"]
        check(kept.attrs["step_ps"] == path["step_ps"], dict(kept.attrs))
        check([c.decode() for c in kept["what_ifs/change"][:]] == [c["change"] for c in path["what_ifs"]], path)
        check(kept["segments/t_end_ps"][:].tolist() == [s["t_end_ps"] for s in path["segments"]], path)
    for ranks in (2, 4):
        check(tool.path(text, f"on{ranks}", ranks=ranks) == path, f"another path on {ranks} ranks")


def after_a_checkpoint(tool):
    """A run that goes on from the middle of its second iteration, on other ranks, explains itself as one that
    was not interrupted: the whole answer, path, links, collectives and step."""
    text = pathlib.Path(TRAINING).read_text().replace('<output interval="100 us"/>', EVERYTHING)
    path = tool.path(text)
    middle = path["segments"][0]["t_start_ps"] + path["step_ps"] // 2
    tool.call("run", "a.xml", "--out", "saved.h5", "--progress", "none", "--checkpoint", "kept", "--checkpoint-every",
              f"{middle} ps")
    newest = sorted((tool.folder / "kept").glob("checkpoint-*.lr"))[-1]
    whole = json.loads(tool.call("explain", "a.h5", "--json"))
    for ranks in (1, 2, 4):
        tool.call("run", "a.xml", "--out", f"on{ranks}.h5", "--progress", "none", "--resume", str(newest),
                  "--checkpoint", "none", ranks=ranks)
        resumed = json.loads(tool.call("explain", f"on{ranks}.h5", "--json"))
        different = [key for key in whole if resumed[key] != whole[key]]
        check(resumed.keys() == whole.keys() and different in ([], ["file"]), f"on {ranks} ranks: {different}")


def operations_that_were_passed_over(tool):
    """The first iteration has no checkpoint to peers' memory: its operations have no rows, and take no time."""
    text = PEERS.read_text().replace('name="traffic" value="idle"', 'name="traffic" value="at-once"')
    check("at-once" in text, "the scenario has another variable")
    path = tool.path(text)
    check(not path["missing"], path["missing"])


def what_lacks_is_said(tool):
    """Without ops of all GPUs there is no path; without messages there is one, rate and latency together."""
    path = tool.path(pipeline("1 ms", "3 ms", output=""))
    check(path["missing"] == 'it needs the table ops of all GPUs, and 2 of 16 were recorded: '
          '<table name="ops" gpus="all"/>', path["missing"])
    with h5py.File(tool.folder / "a.h5") as file:
        check(file["summary/critical_path"].attrs["missing"].decode() == path["missing"], "in the file")
    text = tool.call("explain", "a.h5")
    check('none: it needs the table ops of all GPUs' in text, text)
    off = '<output><table name="ops" gpus="all"/><table name="messages" record="off"/></output>'
    path = tool.path(pipeline("1 ms", "3 ms", output=off), "b")
    check(path["unsplit"] == 'no messages were recorded: <table name="messages" gpus="all"/>', path["unsplit"])
    check(all(part["bytes_ps"] is None for part in path["parts"]), path["parts"])
    check(told_step(path, "message world") < path["step_ps"], path["what_ifs"])


def what_was_not_simulated_has_no_path(tool):
    text = pathlib.Path(TRAINING).read_text()
    old = '<output interval="100 us"/>'
    check(old in text and 'global-batch="32"' in text, "the scenario has changed")
    text = text.replace(old, EVERYTHING).replace('global-batch="32"', 'global-batch="256" step-over="pipeline"')
    path = tool.path(text)
    check(path["missing"].startswith("the run stepped over a part of its steps (step-over)"), path["missing"])


CASES = {
    "the slow second stage is the path, with its first message": the_slow_stage_is_the_path,
    "the slow first stage is the path, with its last message": the_fast_stage_waits_for_the_slow_one,
    "what then takes as long is said": what_takes_over_is_said,
    "a kernel that is shortened shortens the step by what was told": a_kernel_shortened_as_named,
    "a rate that is raised shortens the step by about what was told": a_rate_raised_as_named,
    "a training step has one path, in the file too and on any number of ranks": a_real_step,
    "a run that goes on from a checkpoint explains itself as one that was not interrupted": after_a_checkpoint,
    "what an iteration passes over takes no time on the path": operations_that_were_passed_over,
    "what was not recorded is said, with how to record it": what_lacks_is_said,
    "a step of which a part was stepped over has no path": what_was_not_simulated_has_no_path,
}


def main():
    lightrail = str(pathlib.Path(sys.argv[1]).resolve())

    def call_in_a_folder(case):
        with tempfile.TemporaryDirectory() as folder:
            case(Tool(lightrail, pathlib.Path(folder)))

    return run_cases(CASES, call_in_a_folder)


TRAINING = sys.argv[2]
sys.exit(main())
