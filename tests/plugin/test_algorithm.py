#!/usr/bin/python3
"""A collective algorithm of a plugin: neighbour exchange, in closed form.

usage: test_algorithm.py BED

n GPUs of one server, blocks of b bytes: start + t(b) + (n / 2 - 1) t(2 b), with t(x) the time of a message over NVLink: x over the
rate, the path through the NVSwitch, and what NCCL's constant of a step has beyond the path that NCCL measured.
"""
import sys

from plugin_bed import PluginBed, check

PLUGINS = ["neighbour_exchange"]
BLOCK = 60_000
START_PS, STEP_PS, NCCL_PATH_PS = 7_000_000, 3_000_000, 150_000
PATH_PS = 2 * 50_000 + 100_000
BYTES_PER_PS = 0.1  # 800 Gb/s


def scenario(gpus, size=None, algorithm="neighbour-exchange"):
    size = size or gpus * BLOCK
    return f"""
<scenario name="neighbours">
  <cluster servers="1">
    <server gpus="{gpus}" nics="0">
      <gpu sms="100" memory="80 GB" memory-bandwidth="3 TB/s"/><nvswitch ports="8" port-rate="4 Tb/s" latency="100 ns"/>
      <link role="nvlink" kind="nvlink" links="1" rate-per-link="100 GB/s" latency="50 ns"/>
    </server>
  </cluster>
  <nccl nvlink-simple="{STEP_PS} ps" nvlink-path="{NCCL_PATH_PS} ps" point-simple="{START_PS} ps" protocol="simple"/>
  <workload kind="collective" collective="all-gather" from="{size} B" to="{size} B" element="1" algorithm="{algorithm}"/>
</scenario>
"""


def message_ps(size):
    return int(size / BYTES_PER_PS) + PATH_PS + STEP_PS - NCCL_PATH_PS


def main():
    bed = PluginBed(sys.argv[1])
    for n in (2, 4, 6, 8):
        bed.run(scenario(n), plugins=PLUGINS)
        rows, labels = bed.table("collectives")
        check(f"an all-gather of {n} GPUs ends when the closed form says", set(rows["t_end_ps"]),
              {START_PS + message_ps(BLOCK) + (n // 2 - 1) * message_ps(2 * BLOCK)})
        check("its rows have the plugin's label", {labels["algorithm"][value] for value in rows["algorithm"]}, {"neighbour_exchange"})
        sent = sum(bed.summary()["bytes_by_dimension"].values())
        check("every GPU gets every other one's block once", sent, n * (n - 1) * BLOCK)
    hashes = set()
    for ranks in (1, 2, 4):
        bed.run(scenario(8, size=480_003), plugins=PLUGINS, ranks=ranks)
        hashes.add(bed.summary()["hash"])
    check("blocks of different sizes meet, and the hash is the same on 1, 2 and 4 ranks", len(hashes), 1)
    output = bed.run(scenario(5), plugins=PLUGINS, expect=2)
    check("an odd group is refused in the plugin's words", "algorithm 'neighbour-exchange' needs an even number of members" in output)
    check("describe collective has the plugin's sentence", "n / 2 rounds with one neighbour and the other in turns" in
          bed.lightrail("describe", "collective", plugins=PLUGINS))
    output = bed.run(scenario(4), expect=2)
    check("without --plugin its name is unknown, at file and line",
          "scenario.xml:10: <workload> attribute 'algorithm': invalid choice 'neighbour-exchange' (one of auto, ring" in output)


main()
