"""Target E2: flows of Facebook's Hadoop clusters at half load under DCTCP, DCQCN and TIMELY, by runs of
HPCC's simulator (Y. Li et al., SIGCOMM 2019; github.com/alibaba-edu/High-Precision-Congestion-Control) that a
third party has published: slowdown by size. Neither their percentile nor their length is stated. The
simulator's script prints 50, 95 and 99 of 20 parts of equally many flows, named by their largest size. 95 is
taken: the simulator itself has 7 there and 13 at 99 of DCQCN's small flows (second millisecond, 128 hosts).

Slowdown, as that script has it: a flow's time until its last acknowledgement, over the time alone, 1 at
least. Alone: twice the cables of the way and the time of a packet of 1,000 B on each of its lines, and the
flow's bytes with headers at the rate of a host. Queues have built up after a millisecond: flows that come up
before are not counted.
"""
import numpy as np

PARTS = 20
PERCENTILE = 95
WARM_UP_PS = 1_000_000_000
# Of PARTS the ones whose largest flows have that size.
PART_OF = {"324 B": 1, "1 KB": 11, "7 KB": 13, "46 KB": 15, "120 KB": 17, "300 KB": 18}
PUBLISHED = {
    "dctcp": {"324 B": 3.505, "1 KB": 3.526, "7 KB": 3.514, "46 KB": 3.573, "120 KB": 3.788, "300 KB": 4.72},
    "dcqcn": {"324 B": 8.618, "1 KB": 8.601, "7 KB": 8.527, "46 KB": 7.44, "120 KB": 6.746, "300 KB": 5.808},
    "timely": {"324 B": 10.354, "1 KB": 10.251, "7 KB": 10.314, "46 KB": 8.687, "120 KB": 7.765, "300 KB": 6.341}}
HEADER_BYTES = 48  # 56 with TIMELY's time stamp, which the script leaves out as well
LEAF, GROUP = 16, 64  # hosts


def alone_ps(sender, receiver, size_bytes):
    """Of arrays."""
    is_near, is_in_group = sender // LEAF == receiver // LEAF, sender // GROUP == receiver // GROUP
    links = np.where(is_near, 2, np.where(is_in_group, 4, 6))
    round_trip = 2e6 * links + 2 * 80_000 + (links - 2) * 20_000
    packets = (size_bytes - 1) // 1000 + 1
    return round_trip + (size_bytes + HEADER_BYTES * packets) * 80


def slowdowns(flows, percentile):
    """{size: slowdown of its part of the flows}; flows: columns from, to, size [B], start, end [ps]."""
    sender, receiver, size, start, end = flows[:, flows[3] >= WARM_UP_PS]
    slow = np.maximum((end - start) / alone_ps(sender, receiver, size), 1)
    slow = slow[np.argsort(size, kind="stable")]
    parts = {name: slow[k * len(slow) // PARTS:(k + 1) * len(slow) // PARTS] for name, k in PART_OF.items()}
    return {name: float(np.sort(part)[int(len(part) * percentile / 100)]) for name, part in parts.items()}


def target_e2(run, short):
    if short:
        return
    settings = [{"control": control, "leaves": 20, "duration": "3 ms"} for control in PUBLISHED]
    run.ahead("ethernet/fb_hadoop.xml", settings)
    for own in settings:
        simulated = slowdowns(run("ethernet/fb_hadoop.xml", **own)["flows"], PERCENTILE)
        for size, published in PUBLISHED[own["control"]].items():
            yield {"row": f"{own['control'].upper()}, flows up to {size}", "published": published,
                   "simulated": simulated[size], "unit": "x", "bound_pct": 33.3}


TARGETS = {"E2": target_e2}
