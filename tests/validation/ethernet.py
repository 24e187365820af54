"""Target E1: packet trimming and NSCC against uet-htsim. Target E6: what comes behind a pause (PFC),
for which a lossless class needs headroom.

E6's closed form, exact to a packet: the one that fills a memory has the pause sent at once; it is heard after
its frame and a cable, and the sender's packets begin until its reaction is over (IEEE 802.3 annex 31B.3.7;
above 400 Gb/s its time at 400 Gb/s).
"""
import math
import pathlib
import random
import tempfile

PACKET_BYTES, FRAME_BYTES = 4096, 84
PS_PER_METRE = 1e12 / (299_792_458 * 0.6666666667)  # of the scenario's cable
REACTION_QUANTA = {100: 394, 200: 453, 400: 905}  # of 512 bit times


def headroom_bytes(gbps, metres):
    ps_per_byte = 8000 / gbps
    nominal = min(gbps, 400)
    reaction = REACTION_QUANTA[nominal] * 512_000 / nominal
    window = FRAME_BYTES * ps_per_byte + 2 * metres * PS_PER_METRE + reaction
    return PACKET_BYTES * (math.ceil(window / (PACKET_BYTES * ps_per_byte)) - 1)


def target_e6(run, short):
    cases = [(gbps, metres) for gbps in (100, 200, 400, 800) for metres in (1, 30, 100)]
    run.ahead("ethernet/headroom.xml", [{"rate": gbps, "length": metres} for gbps, metres in cases])
    for gbps, metres in cases:
        used = run("ethernet/headroom.xml", rate=gbps, length=metres)["most_headroom_bytes"]
        yield {"row": f"headroom that just suffices, {gbps} Gb/s, {metres} m",
               "published": headroom_bytes(gbps, metres), "simulated": used, "unit": "B", "bound_pct": 0}


def goal(messages, ranks, size_bytes):
    """A GOAL schedule of messages that all start at once; [(from, to)]."""
    programs = {}
    for sender, receiver in messages:
        for rank, what in ((sender, f"send {size_bytes}b to {receiver}"),
                           (receiver, f"recv {size_bytes}b from {sender}")):
            lines = programs.setdefault(rank, [])
            lines.append(f"l{len(lines) + 1}: {what} tag 0\n")
    idle = ["l1: calc 0\n"]
    blocks = ("".join(programs.get(rank, idle)) for rank in range(ranks))
    return f"num_ranks {ranks}\n\n" + "\n".join(
        f"rank {rank} {{\n{block}}}\n" for rank, block in enumerate(blocks))


def permutation(ranks, seed):
    """[(from, to)]; nobody sends to itself."""
    draw = random.Random(seed)
    receivers = list(range(ranks))
    while any(sender == receiver for sender, receiver in enumerate(receivers)):
        draw.shuffle(receivers)
    return list(enumerate(receivers))


# github.com/ultraethernet/uet-htsim 40ccb05, htsim/sim/datacenter/results: 8,192 hosts, two tiers, links of
# 1 us, NSCC: rate [Gb/s], MB, entropy values, NICs for an uplink; slowest and fastest completion [us] in the
# files of 2024-07-30, and in those of 2024-08-02 ("NSCC results after commit on July 29th", which initialises
# its parameters properly and removes its fair decrease: 9cfe344).
HTSIM_PERMUTATIONS = [(400, 1, 32, 1, (38.7065, 24.4542), (37.1783, 24.486)),
                      (400, 4, 128, 1, (99.4849, 85.6536), (106.265, 86.0678)),
                      (200, 1, 32, 1, (59.8538, 44.9494), (63.6259, 45.1286)),
                      (800, 1, 32, 1, (25.2974, 14.2194), (25.0993, 14.2213)),
                      (400, 1, 32, 4, (188.805, 24.5707), (119.811, 24.5848)),
                      (400, 1, 32, 8, (242.868, 24.586), (203.658, 24.5873))]
# The same program as it is (40ccb05, 2025-08-13; its NSCC is that of the Ultra Ethernet Specification 1.0),
# run on the pairs of permutation(hosts, 1) with the options that its files name, 1 MB at 400 Gb/s, 32 values:
# hosts, NICs for an uplink, slowest and fastest completion [us].
HTSIM_TODAY = [(1024, 4, 105.072, 24.4696), (1024, 8, 196.887, 24.4696),
               (8192, 4, 112.482, 24.5694), (8192, 8, 201.538, 24.5822)]
# Two senders to one host at 400 Gb/s: MB each, slowest completion [us].
HTSIM_INCASTS = [(1, 50.9895), (16, 691.018)]


def base_rtt_us(gbps):
    """As uet-htsim has it: four links of 1 us each way, and a packet and an acknowledgement over each."""
    return 8 + 4 * (4160 + 64) * 8 / (gbps * 1000)


def slowest_and_fastest(title, published, result):
    for what, own, simulated in (("slowest", published[0], result["step_time_ps"] * 1e-6 + 4),
                                 ("fastest", published[1], min(result["end_by_gpu_ps"].values()) * 1e-6 + 2)):
        yield {"row": f"{title}, {what}", "published": own, "simulated": simulated, "unit": "us", "bound_pct": 10}


def of_today(run, folder, permutations):
    """Rows of HTSIM_TODAY."""
    settings = []
    for hosts, ratio, *_ in permutations:
        trace = folder / (f"{hosts}.goal" if hosts < 8192 else "1.goal")  # there the run of the files' row
        if not trace.exists():
            trace.write_text(goal(permutation(hosts, 1), hosts, 1_000_000))
        settings.append({"hosts": hosts, "nics_per_leaf": 64, "trace": trace, "rate": "400 Gb/s",
                         "base_rtt": f"{base_rtt_us(400)} us", "values": 32, "oversubscription": ratio})
    run.ahead("ethernet/trimming.xml", settings)
    for own, (hosts, ratio, slowest, fastest) in zip(settings, permutations):
        result = run("ethernet/trimming.xml", **own)
        title = f"{hosts} hosts, {ratio}:1, uet-htsim of 2025 run on these pairs"
        yield from slowest_and_fastest(title, (slowest, fastest), result)


def target_e1(run, short):
    """Completion there is at the sender, when the last acknowledgement is back: over four links of 1 us, or
    two where both hosts are on one leaf, as those of the fastest are."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "1.goal").write_text(goal(permutation(8192, 1), 8192, 1_000_000))
        (folder / "4.goal").write_text(goal(permutation(8192, 1), 8192, 4_000_000))
        for mb, slowest in HTSIM_INCASTS:
            trace = folder / f"incast_{mb}.goal"
            trace.write_text(goal([(3, 0), (20, 0)], 32, mb * 1_000_000))
            done = run("ethernet/trimming.xml", hosts=32, trace=trace)["step_time_ps"] * 1e-6
            yield {"row": f"two to one, {mb} MB, slowest", "published": slowest, "simulated": done + 4,
                   "unit": "us", "bound_pct": 10}
        yield from of_today(run, folder, [one for one in HTSIM_TODAY if one[0] == 1024])
        if short:
            return
        yield from of_today(run, folder, [one for one in HTSIM_TODAY if one[0] == 8192])
        settings = [{"hosts": 8192, "nics_per_leaf": 64, "trace": folder / f"{mb}.goal", "rate": f"{gbps} Gb/s",
                     "base_rtt": f"{base_rtt_us(gbps)} us", "values": values, "oversubscription": ratio}
                    for gbps, mb, values, ratio, *_ in HTSIM_PERMUTATIONS]
        run.ahead("ethernet/trimming.xml", settings)
        for own, (gbps, mb, values, ratio, first, second) in zip(settings, HTSIM_PERMUTATIONS):
            result = run("ethernet/trimming.xml", **own)
            title = f"permutation of {mb} MB, {gbps} Gb/s, {values} values" + (f", {ratio}:1" if ratio > 1 else "")
            yield from slowest_and_fastest(title, first, result)
            yield from slowest_and_fastest(f"{title}, files of 2 August", second, result)


TARGETS = {"E1": target_e1, "E6": target_e6}
