#!/usr/bin/python3
"""Random jobs that are restarted after random faults, in InfiniBand and Ethernet: every byte that a GPU
sends to another one arrives in a whole message or is counted as thrown away, once; alike on 1, 2 and 4
ranks.

usage: test_random_restarts.py LIGHTRAIL [FIRST_SEED [COUNT]]
"""
import random
import re
import sys

import h5py
from random_runs import queue_pairs, random_runs
from run_equivalence import compare

SCENARIO = """<scenario name="restarts_{seed}">
  <cluster servers="{servers}"><server catalogue="servers/dgx_h100">{nic}</server></cluster>
  <fabric {fabric} tiers="2" routing="{routing}">
    {switch}
    <link role="host" catalogue="links/{link}"/>
    <link role="trunk" catalogue="links/{link}"/>
  </fabric>
  <faults detection="{known} us" reconvergence="{known} us" collective-timeout="{watch} us">
    {faults}
    <restart detection="{detection} us" replacement="{replacement} us" rendezvous="50 us" init-per-gpu="1 us"
             warm-up="{warm_up} us" {spares}/>
  </faults>
  <nccl catalogue="nccl/nccl_2_21" protocol="simple" algorithm="ring" pxn="{pxn}"{queue_pairs}/>
  <groups><group name="all"><members gpus="0-{last}"/></group>{tp}</groups>
  <workload kind="explicit" iterations="{iterations}"><program gpus="0-{last}">
    {ops}
  </program></workload>
  <output><table name="messages" gpus="all"/></output>
</scenario>
"""
CLEAR = re.compile("no spare server is left|has been restarted 7 times")


def scenario(seed):
    r = random.Random(seed)
    servers, is_ethernet = r.choice([2, 3]), r.random() < 0.4
    spares = r.choice([0, 1, 2])
    gpus = 8 * servers
    names = [f"gpu{r.randrange(gpus)}", f"host{8 * (servers + spares) + r.randrange(servers)}",
             f"nvswitch{r.randrange(servers)}", f"nic{r.randrange(gpus)}", "leaf0", "leaf0:0"]
    faults = []
    for _ in range(r.choice([1, 1, 2, 3])):
        length = "" if r.random() < 0.4 else f'for="{r.randint(20, 3000)} us"'
        faults.append(f'<fault at="{r.randint(1, 1500)} us" {length} what="{r.choice(names)}"/>')
    ops = []
    for k in range(r.randint(1, 3)):
        kind = r.choice(["all-reduce", "all-gather", "all-to-all", "reduce-scatter"])
        group = r.choice(["all", "tp"])
        ops.append(f'<op kind="compute" duration="{r.randint(1, 200)} us"/><op kind="collective" collective="{kind}" '
                   f'group="{group}" size="{r.randint(1, 4000)} KiB"/>')
    nic = '<nic retransmit-timeout="50 us" retries="2"/>'
    switch = '<switch catalogue="switches/qm9700" retransmit-timeout="50 us" retries="2"/>'
    if is_ethernet:
        nic = '<nic catalogue="nics/connectx7_400g_roce" retransmit-timeout="50 us" retries="2"/>'
        switch = ('<ethernet-switch catalogue="ethernet-switches/asterfusion_cx864e" retransmit-timeout="50 us" '
                  'retries="2"/>')
    tp = "".join(f'<members gpus="{8 * s}-{8 * s + 7}"/>' for s in range(servers))
    return SCENARIO.format(
        seed=seed, queue_pairs=queue_pairs(seed), servers=servers + spares, nic=nic, switch=switch,
        last=gpus - 1,
        link="roce_400g_copper" if is_ethernet else "ndr_copper",
        fabric=r.choice(['kind="rail-optimised"', 'kind="fat-tree" nics-per-leaf="8"']), routing=r.choice(["static", "ecmp", "adaptive"]),
        known=r.choice([5, 50, 500]), watch=r.choice([300, 2000, 100000]), faults="\n    ".join(faults),
        detection=r.choice([1, 40, 400]), replacement=r.choice([0, 100]), warm_up=r.choice([0, 30]),
        spares=f'spares="{servers}-{servers + spares - 1}"' if spares else "", pxn=r.choice(["on", "off"]),
        tp=f'<group name="tp">{tp}</group>', iterations=r.randint(2, 6), ops="\n    ".join(ops))


def total(file, table, of=lambda rows: slice(None)):
    rows = {name: data[:] for name, data in file[f"tables/{table}"].items()}
    return int(rows["size_bytes"][of(rows)].sum()) if len(rows["size_bytes"]) else 0


def main():
    problems, ended, restarts, thrown = [], 0, 0, 0
    for seed, folder, path, code, log in random_runs(scenario):
        if code == 3 and CLEAR.search(log):
            ended += 1
            continue
        if code != 0:
            problems.append(f"seed {seed}: exit code {code}\n{log[-1500:]}")
            continue
        with h5py.File(folder / "run.h5") as file:
            sent, discarded = total(file, "traffic"), total(file, "discarded")
            came = total(file, "messages", lambda rows: rows["from"] != rows["to"])
            restarts += len(file["tables/restarts/attempt"])
            thrown += discarded
        # All-to-alls over NVLink have more bytes on the wire than they carry, a quarter at most.
        more = discarded // 4 if "all-to-all" in path.read_text() else 0
        if not sent <= came + discarded <= sent + more:
            problems.append(f"seed {seed}: {sent} B sent, {came} B came, {discarded} B thrown away")
        if not compare(sys.argv[1], path, [1, 2, 4], []):
            problems.append(f"seed {seed}: not the same on every number of ranks")
    print(f"{restarts} restarts threw {thrown} B away; {ended} jobs ended", *problems, sep="\n")
    return 1 if problems or restarts == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
