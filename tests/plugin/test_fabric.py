#!/usr/bin/python3
"""A fabric, a routing and a kind of workload, of three plugins: times of messages over a dumbbell.

usage: test_fabric.py BED

A message of one train, S bytes: its head takes the latencies of the links and devices on its way, its tail follows at the rate of the
slowest link. Software takes no time here.
"""
import sys

from plugin_bed import PluginBed, check

PLUGINS = ["dumbbell", "last_port", "ping"]
SIZE = 32 * 1024
TRUNK_RATE = 100_000_000_000
DEVICE_PS = {"nic": 100_000, "side": 200_000, "gpu": 0}


def scenario(workload, trunks=2, routing="static", servers=4):
    return f"""
<scenario name="dumbbell">
  <cluster servers="{servers}">
    <server gpus="1" nics="1">
      <gpu sms="100" memory="80 GB" memory-bandwidth="3 TB/s"/><nic catalogue="nics/connectx7_400g"/>
      <link role="pcie" catalogue="links/pcie_gen5_x16"/>
    </server>
  </cluster>
  <fabric kind="dumbbell" trunks="{trunks}" routing="{routing}">
    <switch ports="8" latency="200 ns"/>
    <link role="host" kind="electrical" rate="400 Gb/s" length="2 m"/>
    <link role="trunk" kind="electrical" rate="100 Gb/s" length="10 m"/>
  </fabric>
  <nccl net-simple="0 s" net-overhead="0 s" net-progress="0 s" point-simple="0 s" protocol="simple"/>
  {workload}
</scenario>
"""


def ping(to=3, size=SIZE):
    return f'<workload kind="ping" size="{size} B" from="0" to="{to}"/>'


# GPU 0 to 2 and 1 to 3 at the same time.
BOTH = f"""<workload kind="explicit">
  <program gpus="0-1"><op kind="send" peer="+2" size="{SIZE} B"/></program>
  <program gpus="2-3"><op kind="recv" peer="-2" size="{SIZE} B"/></program>
</workload>"""


def line_ps(size):
    return size * 8 * 10**12 // TRUNK_RATE


def latency_ps(bed, path):
    """Of the links between the named components, and of these."""
    with bed.result() as file:
        names = [name.decode() for name in file["model/components/name"][()]]
        links = file["model/links"]
        latency = {(names[a], names[b]): int(t) for a, b, t in zip(links["from"][()], links["to"][()], links["latency_ps"][()])}
    return sum(latency[pair] for pair in zip(path, path[1:])) + sum(DEVICE_PS[name.rstrip("0123456789")] for name in path)


def ends(bed):
    """{receiver: end of its message [ps]}"""
    messages, _ = bed.table("messages")
    return dict(zip(messages["to"], messages["t_end_ps"]))


def main():
    bed = PluginBed(sys.argv[1])
    bed.run(scenario(ping()), plugins=PLUGINS)
    across = latency_ps(bed, ["gpu0", "nic0", "side0", "side1", "nic3", "gpu3"])
    check("a ping across takes the latencies of its path and its line time on a trunk", ends(bed), {3: across + line_ps(SIZE)})
    bed.run(scenario(ping(to=1)), plugins=PLUGINS)
    near = latency_ps(bed, ["gpu0", "nic0", "side0", "nic1", "gpu1"])
    # The slowest line is the NIC's, of 400 Gb/s; a trunk would take four times as long.
    check("a ping to its own side passes one switch and no trunk", ends(bed), {1: near + line_ps(SIZE) // 4})

    bed.run(scenario(BOTH), plugins=PLUGINS)
    check("two messages on two trunks do not meet", sorted(ends(bed).values()), [across + line_ps(SIZE)] * 2)
    bed.run(scenario(BOTH, trunks=1), plugins=PLUGINS)
    check("two messages on one trunk share its rate", max(ends(bed).values()), across + line_ps(2 * SIZE))
    hashes = set()
    for ranks in (1, 2, 4):
        bed.run(scenario(BOTH, routing="last-port"), plugins=PLUGINS, ranks=ranks)
        check(f"the plugin's routing sends both over the last trunk ({ranks} ranks)", max(ends(bed).values()),
              across + line_ps(2 * SIZE))
        hashes.add(bed.summary()["hash"])
    check("the hash is the same on 1, 2 and 4 ranks", len(hashes), 1)
    check("the fabric's effective parameters are in the result", bed.result()["model/params/fabric/name"][()].tolist(),
          [b"kind", b"trunks"])
    check("describe fabric shows the plugin's kind and its attributes", "links between the two switches" in
          bed.lightrail("describe", "fabric", plugins=PLUGINS))
    check("describe switch has the plugin's routing and its sentence", "last-port: the last port that leads there" in
          bed.lightrail("describe", "switch", plugins=PLUGINS))
    check("describe workload shows the plugin's kind", "the GPU that receives" in bed.lightrail("describe", "workload", plugins=PLUGINS))
    check("the schema names the plugin's kinds", '<xs:enumeration value="dumbbell"/>' in
          bed.lightrail("describe", "--format", "xsd", plugins=PLUGINS))


main()
