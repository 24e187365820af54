"""Target E6: what comes behind a pause (PFC), for which a lossless class needs headroom.

Closed form, exact to a packet: the one that fills a memory has the pause sent at once; it is heard after its
frame and a cable, and the sender's packets begin until its reaction is over (IEEE 802.3 annex 31B.3.7; above
400 Gb/s its time at 400 Gb/s).
"""
import math

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


TARGETS = {"E6": target_e6}
