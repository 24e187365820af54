#!/usr/bin/python3
"""Random regions of circuits with random demands and random faults of their optical switch, in mid-run: every
byte that a GPU sends to another one is delivered to that one once, or the run ends with an error that says
what has no light; alike on 1, 2 and 4 ranks.

usage: test_random_faults.py LIGHTRAIL [FIRST_SEED [COUNT]]
"""
import random
import re
import sys

import h5py
from random_runs import EVEN, random_runs, undelivered, uneven
from run_equivalence import compare, start

SCENARIO = """<scenario name="faults_{seed}">
  <cluster servers="{servers}"><server catalogue="servers/dgx_h100"><nic retransmit-timeout="{timeout} us" retries="3"/></server></cluster>
  <fabric kind="mixnet" tiers="2" optical-nics="{optical}" region-servers="{region}" circuits-for="{group}" routing="adaptive"
          join-packet="{join}" gather="{gather}" scatter="{scatter}">
    <switch catalogue="switches/qm9700"/>
    <ocs ports="64" dark-time="{dark} us" insertion-loss="{loss} dB" loss-spread="{spread} dB" serial="{serial}" dark="{scope}">
      {faults}
    </ocs>
    {controller}
    <link role="host" catalogue="links/ndr_copper"/>
    <link role="trunk" catalogue="links/ndr_copper"/>
    <link role="optical" catalogue="links/{optics}" length="{length}"/>
  </fabric>
  <nccl catalogue="nccl/nccl_2_21"/>
  {workload}
  <output><table name="messages" gpus="all"/><table name="traffic_matrix" gpus="all"/><table name="ocs"/></output>
</scenario>
"""
CLEAR = re.compile(r"gave up sending to endpoint \d+ \(gpu\d+\).*no light on the|no circuit and no packet NIC leads to endpoint")


GATED = """<workload kind="training" ep="{ep}" sequence="512" micro-batch="1" global-batch="{gpus}" gradients="bf16" recompute="none">
    <model layers="1" hidden="512" heads="4" kv-heads="2" ffn="256" vocabulary="1000" experts="{ep}" active-experts="2"/>
    <gate tokens="{tokens}" rotate="{rotate}" drift="{drift}"/>
  </workload>"""


def gated(r, gpus, ep):
    """A layer of experts whose gate sends tokens by a matrix of any numbers: full of nothing, a few heavy
    pairs, whole columns that nobody sends to."""
    heavy, empty = r.choice([0.02, 0.3]), r.choice([0, 0.5, 0.9])
    cold = set(r.sample(range(ep), r.choice([0, ep // 2])))

    def tokens(column):
        if column in cold or r.random() < empty:
            return 0
        return r.randint(1000, 100000) if r.random() < heavy else r.randint(1, 100)

    rows = [[tokens(column) for column in range(ep)] for _ in range(ep)]
    for row in rows:
        row[r.randrange(ep)] += 1
    text = "; ".join(" ".join(map(str, row)) for row in rows)
    return GATED.format(ep=ep, gpus=gpus, rotate=r.choice(["on", "off"]), drift=r.choice([0, 0.5]),
                        tokens=text)


def scenario(seed):
    """A region, its faults in order of time, and mostly a controller."""
    r = random.Random(seed)
    region = r.choice([2, 3, 4])
    optical = r.choice([2, 4, 6])
    faults, at = [], 0
    for _ in range(r.randint(1, 6)):
        at += r.randint(1, 150)
        kind = r.choice(["failed", "failed", "stuck", "repaired"])
        whole = kind == "failed" and r.random() < 0.15
        port = "" if whole else f' port="{r.randrange(region * optical)}"'
        faults.append(f'<fault at="{at} us"{port} kind="{kind}"/>')
    algorithm = r.choice(["greedy", "greedy-printed", "matching", "uniform", "birkhoff"] + 3
                         * ["birkhoff-schedule"])
    is_schedule = algorithm == "birkhoff-schedule"
    policy = r.choice(["always", "always", "gain"] + ([] if is_schedule else ["once", "never"]))
    more = (f' phases="{r.randint(1, 5)}"' if is_schedule else "") + (' expected-dark="10 us"' if policy
                                                                      == "gain" else "")
    controller = (f'<controller latency="{r.choice([1, 5])} us" guard="{r.choice([0, 2, 10])} us" policy="{policy}" algorithm="{algorithm}"{more}/>'
                  if r.random() < 0.8 else "")
    # Often some paths are so weak that they lose much or do not come up, over so much fibre that what comes
    # back finds circuits changed.
    light = r.choice([{"optics": "ndr_fr4", "length": "20 m", "loss": 0.5, "spread": 0},
                      {"optics": "ndr_lr4", "length": "5 km", "loss": 0.85, "spread": r.choice([0.3, 0.4])}])
    servers = region * r.choice([1, 2])
    workload = r.choice([EVEN, uneven(r, 8 * servers), gated(r, 8 * servers, 8 * region)])
    return SCENARIO.format(seed=seed, **light, servers=servers, group="world" if workload == EVEN else "ep",
                           workload=workload, timeout=r.choice([20, 60]), optical=optical, region=region,
                           join=r.choice(["on", "off"]), dark=r.choice([1, 10, 40]),
                           serial=r.choice(["on", "off"]), scope=r.choice(["changed", "all"]),
                           gather=r.choice(["on", "off"]), scatter=r.choice(["on", "off"]),
                           faults="\n      ".join(faults), controller=controller)


def problems(code, log, folder):
    """What is wrong with a run: nothing, where it delivered all it sent, or said what has no light."""
    if code == 3:
        return [] if CLEAR.search(log) else [f"an error that does not say what has no light: {log[-400:]}"]
    if code != 0:
        return [f"exit code {code}: {log[-400:]}"]
    return undelivered(folder)


def lost(folder):
    """Payload that met darkness in a run [B]."""
    with h5py.File(folder / "run.h5") as file:
        return int(file["tables/ocs/lost_bytes"][:].sum())


def dark_problems(folder, path):
    """The same region without faults and with light to spare, whatever its circuits do: nothing is on its way
    when they change."""
    quiet = folder / "quiet.xml"
    text = re.sub(r"<fault [^>]*/>", "", path.read_text()).replace("links/ndr_lr4", "links/ndr_fr4").replace('length="5 km"', 'length="20 m"')
    quiet.write_text(re.sub(r'loss-spread="[^"]*"', "",
                            re.sub(r'insertion-loss="[^"]*"', 'insertion-loss="0.5 dB"', text)))
    code, log = start(sys.argv[1], quiet, folder, "run", 1, [])
    found = problems(code, log, folder)
    return found or ([f"{lost(folder)} B met darkness without a fault"] if code != 0 or lost(folder) else [])


def main():
    failed, recovered, count, dark = [], 0, 0, 0
    for seed, folder, path, code, log in random_runs(scenario):
        found = problems(code, log, folder)
        count += 1
        recovered += code == 0
        dark += code == 0 and lost(folder) > 0
        if code == 0 and seed % 4 == 0 and not compare(sys.argv[1], path, [1, 2, 4], []):
            found.append("ranks differ")
        found += dark_problems(folder, path)
        print(f"seed {seed}: exit code {code}", *found, flush=True)
        if found:
            failed.append(seed)
    print(f"{recovered} of {count} runs delivered everything, {dark} of them after losses in the dark"
          + (f"; wrong: seeds {failed}" if failed else ""))
    return 1 if failed or recovered * 2 < count or dark == 0 else 0


sys.exit(main())
