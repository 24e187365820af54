#!/usr/bin/python3
"""GPUs that are told of batches of trains (<network arrivals="batches">) against the same that are told of each.

usage: test_arrivals.py LIGHTRAIL KIND FIRST_SEED COUNT

in-order: collectives, messages and late receivers on random fabrics whose routes keep flows in order: every
row of every table is equal, to the picosecond and the byte. (Seeds 0 to 143; of seed 152 see docs/grain.md.)

overtaking: the same where routing is adaptive or sprays, on narrow spines. Trains of one message overtake
those of the one before: a GPU takes the first bytes that it hears of for the first message, and of a batch
that is not there it has heard of one train, so that messages end with their own last train rather than with
bytes of the next. All bytes are the same; ends are 1 % apart at most on average and 20 % in any program (one
with adaptive-flow ends up to 15 % apart from seed to seed).
"""
import pathlib
import random
import subprocess
import sys
import tempfile

import h5py

LIGHTRAIL, KIND = sys.argv[1:3]
FIRST, COUNT = map(int, sys.argv[3:5])
COLLECTIVES = ["all-reduce", "all-gather", "reduce-scatter", "broadcast", "all-to-all", "all-to-all"]
#: Tables without times, equal in any case.
OF_BYTES = ["traffic", "traffic_matrix"]


def scenario(seed):
    draw = random.Random(f"{KIND} {seed}")
    servers, gpus = draw.choice([2, 3, 4, 6]), draw.choice([1, 2, 4])
    nics = gpus * draw.choice([1, 1, 1, 2])
    count = servers * gpus
    routing = draw.choice(["static", "ecmp"] if KIND == "in-order" else ["adaptive", "adaptive-flow", "spray"])
    kind = draw.choice(["single-switch", "rail-optimised", "fat-tree"]) if KIND == "in-order" else "fat-tree"
    leaf = "servers-per-pod" if kind == "rail-optimised" else "nics-per-leaf"
    shape = "" if kind == "single-switch" else f' tiers="2" {leaf}="{draw.choice([2, 4])}"'
    if KIND == "overtaking":
        shape += f' oversubscription="{draw.choice([1, 2])}"'
    trunk = '<link role="trunk" catalogue="links/ndr_dr4" length="30 m"/>' if shape else ""
    lines = [[] for _ in range(count)]
    for _ in range(draw.randint(2, 7)):
        size, stream = draw.choice([5000, 70_000, 1_000_000, 6_000_001]), draw.choice(["main", "side"])
        if draw.random() < 0.6:
            line = (f'<op kind="collective" collective="{draw.choice(COLLECTIVES)}" group="world" '
                    f'size="{size} B"/>')
            for each in lines:
                each.append(line)
            continue
        sender, receiver = draw.sample(range(count), 2)
        if draw.random() < 0.5:
            lines[receiver].append(f'<op kind="compute" duration="{draw.randint(1, 200)} us" stream="{stream}"/>')
        for _ in range(draw.choice([1, 4])):
            lines[sender].append(f'<op kind="send" peer="{receiver}" size="{size} B" stream="{stream}"/>')
            lines[receiver].append(f'<op kind="recv" peer="{sender}" size="{size} B" stream="{stream}"/>')
    programs = "".join(f'<program gpus="{g}">{"".join(each)}</program>' for g, each in enumerate(lines))
    nvlink = ('<nvswitch catalogue="nvswitches/nvswitch_gen3"/><link role="nvlink" catalogue="links/nvlink4"/>'
              if gpus > 1 else "")
    return f"""<scenario name="arrivals">
  <variable name="arrivals" value="batches"/>
  <cluster servers="{servers}"><server gpus="{gpus}" nics="{nics}">
    <gpu catalogue="gpus/h100_sxm"/>{nvlink}
    <nic catalogue="nics/connectx7_400g"/><link role="pcie" catalogue="links/pcie_gen5_x16"/>
  </server></cluster>
  <fabric kind="{kind}" routing="{routing}"{shape}>
    <switch catalogue="switches/qm9700"/><link role="host" catalogue="links/ndr_copper"/>{trunk}
  </fabric>
  <nccl pxn="{draw.choice(["on", "off"])}"/>
  <network arrivals="${{arrivals}}" grain="{draw.choice([1, 4, 16])}"
           send-ahead="{draw.choice([0, 0, 10])} us"/>
  <workload kind="explicit" iterations="{draw.choice([1, 2])}">{programs}</workload>
  <output interval="50 us">
    <table name="link_traffic" record="on"/><table name="queue" record="on"/>
    <table name="messages" gpus="all"/><table name="ops" gpus="all"/><table name="collectives" gpus="all"/>
    <table name="traffic_matrix" gpus="all"/>
  </output>
</scenario>
"""


def run(path, arrivals):
    """All rows of its tables, sorted, by table; when it ends [ps]; its events."""
    out = path.with_name(f"{arrivals}.h5")
    done = subprocess.run([LIGHTRAIL, "run", path, "--set", f"arrivals={arrivals}", "--out", out, "--progress",
                           "none"], text=True, capture_output=True, timeout=600)
    assert done.returncode == 0, (path.read_text(), done.stdout + done.stderr)
    with h5py.File(out) as file:
        rows = {name: sorted(zip(*(columns[c][:].tolist() for c in sorted(columns))))
                for name, columns in file["tables"].items()}
        about = file["run"].attrs
        return rows, int(about["sim_end_ps"]), int(about["events"])


def main():
    counts, equal, apart = [0, 0], 0, []
    for seed in range(FIRST, FIRST + COUNT):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "scenario.xml"
            path.write_text(scenario(seed))
            (each, end, events), (batches, end_of_batches, fewer) = run(path, "trains"), run(path, "batches")
        differing = [name for name in each if each[name] != batches.get(name)]
        print(f"seed {seed}: {events} and {fewer} events, ends {end_of_batches / end - 1:+.3%}, "
              f"differ: {', '.join(differing) or 'none'}", flush=True)
        assert fewer <= events, seed
        if KIND == "in-order":
            assert not differing, (seed, differing)
        assert all(each[name] == batches[name] for name in OF_BYTES), seed
        apart.append(abs(end_of_batches / end - 1))
        assert apart[-1] < 0.2, (seed, end, end_of_batches)
        counts[0] += events
        counts[1] += fewer
        equal += not differing
    mean = sum(apart) / COUNT
    print(f"{equal} of {COUNT} equal in every row; ends {mean:.2%} apart on average, {max(apart):.1%} at most; "
          f"{counts[0] / counts[1]:.2f} x fewer events")
    assert mean < 0.01
    assert counts[0] > 1.1 * counts[1], "most of what comes in comes in batches"
    assert equal > 0


main()
