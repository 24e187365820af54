#!/usr/bin/python3
"""Runs that recall collectives against the same runs that simulate each: every table is equal, to the
picosecond and the byte.

usage: test_recall.py LIGHTRAIL KIND FIRST_SEED COUNT

plans: training steps whose tensor parallelism or experts fill the NVLink domain of a server
(tests/mpi/scenarios/recall.xml), by packets and in trains, with hosts, overlapped gradients, jitter, skewed
starts.

programs: operations one by one on one or two servers, in two streams: collectives of a server, of a half and
of all, by every algorithm, messages within servers and between them, members that come at different times; so
that some collectives may be recalled and others must not.
"""
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import h5py

LIGHTRAIL, KIND = sys.argv[1:3]
FIRST, COUNT = map(int, sys.argv[3:5])
SCENARIO = pathlib.Path(__file__).resolve().parent / "scenarios/recall.xml"
EQUAL = ["status", "sim_end_ps", "step_time_ps", "bytes_by_dimension", "messages_by_dimension", "energy_j",
         "compute_fraction", "exposed_communication_fraction", "idle_fraction", "all_reduce_median_ps"]


def plan(seed):
    """The text of a scenario, and variables of it."""
    draw = random.Random(seed)
    is_packets = draw.random() < 0.4
    with_experts = draw.random() < 0.3
    schedule = draw.choice(["1f1b", "1f1b", "zb-h1"])
    pp = 2 if schedule != "1f1b" else draw.choice([1, 2])
    variables = {"detail": "packets" if is_packets else "trains", "grain": draw.choice([1, 8]),
                 "nvlink_grain": draw.choice([4, 16, 64]), "servers": pp * draw.choice([1, 2]), "pp": pp,
                 "schedule": schedule, "layers": 2 * pp, "micro_batches": draw.choice([2, 4]),
                 "hidden": draw.choice([256, 384, 512]) if is_packets else draw.choice([512, 768, 1024]),
                 "sequence": draw.choice([256, 512]), "host": draw.choice(["auto", "none", "none"]),
                 "overlap": draw.choice(["on", "off"]), "iterations": draw.choice([1, 2]),
                 "fold_rings": draw.choice(["off", "off", "on"]),
                 "algorithm": draw.choice(["auto", "auto", "ring", "nvls"]),
                 "link_traffic": draw.choice(["on", "off"]),
                 "skew": draw.choice(["0 us", "0 us", "0 us", "1 us"])}
    if with_experts:
        variables.update(tp=1, ep=8, experts=8, active=2)
        variables["overlap"] = "off" if draw.random() < 0.7 else "on"
    elif draw.random() < 0.3:
        variables["tensor_overlap"] = draw.choice(["backward", "all"])
    text = SCENARIO.read_text()
    if draw.random() < 0.15:
        text = text.replace("  <workload", '  <variation jitter="0.02"/>\n  <workload')
    return text, variables


class Programs:
    """Operations that every GPU sees in one order, each on the same stream everywhere."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.gpus = self.draw.choice([2, 4, 4, 8])
        self.servers = self.draw.choice([1, 1, 2])
        self.all = range(self.gpus * self.servers)
        self.lines = [[] for _ in self.all]

    def size(self):
        return self.draw.choice(["1 B", "4096 B", "65 kB", "300001 B", "1 MB", "3 MiB"])

    def stream(self):
        return self.draw.choice(["main", "main", "main", "main", "side"])

    def collective(self, group):
        what = self.draw.choice(["all-reduce", "all-reduce", "all-gather", "reduce-scatter", "all-to-all",
                                 "broadcast", "barrier"])
        size = "" if what == "barrier" else f' size="{self.size()}"'
        one_server = group in ("node", "half") or self.servers == 1
        algorithms = {"all-reduce": ["auto", "ring", "tree"] + ["nvls"] * one_server,
                      "all-gather": ["auto", "ring"] + ["nvls"] * one_server,
                      "reduce-scatter": ["auto", "ring"] + ["nvls"] * one_server,
                      "all-to-all": ["auto", "pairwise"]}
        algorithm = self.draw.choice(algorithms.get(what, ["auto"]))
        chosen = "" if algorithm == "auto" else f' algorithm="{algorithm}"'
        line = (f'<op kind="collective" collective="{what}" group="{group}"{size}{chosen} '
                f'stream="{self.stream()}"/>')
        for gpu in self.all:
            self.lines[gpu].append(line)

    def compute(self):
        """Members that come together, nearly, or one of them late."""
        late = self.draw.choice([0, 0, 700, 5_000, 300_000])
        base, stream = self.draw.choice([1, 40, 90]), self.stream()
        for gpu in self.all:
            duration = 1000 * base + self.draw.choice([0, late])
            self.lines[gpu].append(f'<op kind="compute" duration="{duration} ns" stream="{stream}"/>')

    def message(self):
        sender, receiver = self.draw.sample(list(self.all), 2)
        size, stream = self.size(), self.stream()
        self.lines[sender].append(f'<op kind="send" peer="{receiver}" size="{size}" stream="{stream}"/>')
        self.lines[receiver].append(f'<op kind="recv" peer="{sender}" size="{size}" stream="{stream}"/>')

    def scenario(self):
        halves = self.draw.random() < 0.3 and self.gpus > 2
        messages = self.draw.random() < 0.4
        for _ in range(self.draw.randint(3, 9)):
            kind = self.draw.random()
            if kind < 0.5:
                self.collective("node")
            elif kind < 0.75:
                self.compute()
            elif kind < 0.85 and messages:
                self.message()
            elif halves:
                self.collective("half")
            elif self.servers == 2:
                self.collective(self.draw.choice(["world", "rail"]))
        servers = [list(range(s * self.gpus, (s + 1) * self.gpus)) for s in range(self.servers)]
        cut = self.gpus // 2
        groups = {"node": servers, "half": [part for s in servers for part in (s[:cut], s[cut:])],
                  "rail": [list(rail) for rail in zip(*servers)]}
        listed = "".join(f'<group name="{name}">' + "".join(
            f'<members gpus="{",".join(map(str, members))}"/>' for members in lists) + "</group>"
            for name, lists in groups.items())
        fabric = ('<fabric kind="single-switch"><switch catalogue="switches/qm9700"/>'
                  '<link role="host" catalogue="links/ndr_copper"/></fabric>' if self.servers > 1 else "")
        programs = "".join(f'<program gpus="{gpu}">{"".join(lines)}</program>'
                           for gpu, lines in enumerate(self.lines))
        grain = self.draw.choice([1, 1, 4, 64])
        return f"""<scenario name="programs">
  <variable name="recall" value="collectives"/>
  <run recall="${{recall}}"/>
  <cluster servers="{self.servers}"><server gpus="{self.gpus}" nics="{self.gpus}">
    <gpu catalogue="gpus/h100_sxm"/><nvswitch catalogue="nvswitches/nvswitch_gen3"/>
    <nic catalogue="nics/connectx7_400g"/><link role="nvlink" catalogue="links/nvlink4"/>
    <link role="pcie" catalogue="links/pcie_gen5_x16"/>
  </server></cluster>{fabric}
  <network grain="4" nvlink-grain="{grain}" send-ahead="{self.draw.choice([0, 0, 0, 5])} us"/>
  <groups>{listed}</groups>
  <workload kind="explicit" iterations="{self.draw.choice([3, 4])}">{programs}</workload>
  <output interval="{self.draw.choice([20, 300])} us">
    <table name="link_traffic" record="{self.draw.choice(["on", "off"])}"/>
    <table name="messages" gpus="all"/><table name="ops" gpus="all"/><table name="collectives" gpus="all"/>
    <table name="traffic_matrix" gpus="all"/>
  </output>
</scenario>
""", {}


def run(folder, recall, text, variables):
    path = folder / "s.xml"
    path.write_text(text)
    words = [LIGHTRAIL, "run", path, "--out", folder / f"{recall}.h5", "--summary", folder / f"{recall}.json",
             "--progress", "none"]
    for variable, value in {**variables, "recall": recall}.items():
        words += ["--set", f"{variable}={value}"]
    done = subprocess.run(list(map(str, words)), text=True, capture_output=True, timeout=900)
    assert done.returncode == 0, (variables, text if KIND == "programs" else "", done.stdout + done.stderr)
    return json.loads((folder / f"{recall}.json").read_text()), done.stdout


def tables(path):
    """By name, all rows, sorted; without what became of collectives."""
    with h5py.File(path) as file:
        return {name: sorted(zip(*(columns[c][:].tolist() for c in sorted(columns))))
                for name, columns in file["tables"].items() if name != "recalled"}


def compare(seed, folder):
    text, variables = plan(seed) if KIND == "plans" else Programs(seed).scenario()
    whole, _ = run(folder, "none", text, variables)
    short, said = run(folder, "collectives", text, variables)
    here = (seed, variables, text if KIND == "programs" else "")
    counts = collections.Counter(short["recalled"])
    assert whole["recalled"] == {}, here
    assert ("recalled  " in said) == bool(counts), (said, here)
    for name in EQUAL:
        assert whole[name] == short[name], (name, whole[name], short[name], here)
    of_whole, of_short = tables(folder / "none.h5"), tables(folder / "collectives.h5")
    assert of_whole.keys() == of_short.keys(), here
    for name, rows in of_whole.items():
        if rows != of_short[name]:
            gone = [row for row in rows if row not in set(of_short[name])][:4]
            come = [row for row in of_short[name] if row not in set(rows)][:4]
            raise AssertionError((name, len(rows), len(of_short[name]), "gone", gone, "come", come, here))
    print(f"seed {seed}: {dict(counts)}, {whole['events'] / short['events']:.2f} x fewer events", flush=True)
    return counts, whole["events"], short["events"]


def main():
    all_counts, whole, short = collections.Counter(), 0, 0
    for seed in range(FIRST, FIRST + COUNT):
        with tempfile.TemporaryDirectory() as folder:
            counts, of_whole, of_short = compare(seed, pathlib.Path(folder))
            all_counts, whole, short = all_counts + counts, whole + of_whole, short + of_short
    print(f"all tables equal: {dict(all_counts)}; {whole / short:.2f} x fewer events")
    # Random programs seldom meet the same twice; the layers of a step do.
    least = all_counts["first"] if KIND == "plans" else 0
    assert all_counts["recalled"] > least and all_counts["first"] > 0, "patterns come again"
    for outcome in ("beside", "apart") if KIND == "programs" else ():
        assert all_counts[outcome] > 0, f"some are {outcome}"


main()
