#!/usr/bin/python3
"""A component and a table of a plugin: in a system of their own, on several ranks, through failures and a
checkpoint.

usage: test_component.py BED
"""
import pathlib
import sys

from plugin_bed import PluginBed, check

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "postprocess"))
from lightrail_post.result import open_run  # noqa: E402

ROUNDS, LATENCY_PS = 10, 5_000_000
PINGPONG = ["pingpong"]


def scenario(rounds=ROUNDS, rounds_of_bob=ROUNDS, ann="", bob="", output=""):
    return f"""
<scenario name="table tennis">
  <graph>
    <component kind="player" name="ann" rounds="{rounds}" serves="yes" {ann}/>
    <component kind="player" name="bob" rounds="{rounds_of_bob}" {bob}/>
    <link from="ann:0" to="bob:0" kind="pcie" generation="5" lanes="16" latency="5 us"/>
  </graph>
  {output}
</scenario>
"""


def hits():
    """Ann, component 0, hits at 0, 2 L, ...; Bob at L, 3 L, ... Who serves does so first; then forehand and backhand in turns."""
    ann = [(0, hit, 2 * hit * LATENCY_PS, 0 if hit == 0 else 1 + hit % 2) for hit in range(ROUNDS)]
    bob = [(1, hit, (2 * hit + 1) * LATENCY_PS, 1 + hit % 2) for hit in range(ROUNDS)]
    return ann + bob


def check_hits(bed, what):
    columns, labels = bed.table("hits")
    rows = list(zip(*(columns[name] for name in ("component", "hit", "t_hit_ps", "stroke"))))
    check(f"{what}: every hit is a row of the plugin's table", rows, hits())
    check(f"{what}: its enumeration is labelled", labels, {"stroke": ["serve", "forehand", "backhand"]})


def check_runs(bed):
    hashes = set()
    for ranks in (1, 2, 4):
        bed.run(scenario(), plugins=PINGPONG, ranks=ranks)
        summary = bed.summary()
        # The last of 2 r hits is Bob's at (2 r - 1) L and arrives one L later.
        check(f"two players of 10 hits, alone in the system, end after 20 latencies on {ranks} ranks", summary["sim_end_ps"],
              2 * ROUNDS * LATENCY_PS)
        hashes.add(summary["hash"])
        check_hits(bed, f"{ranks} ranks")
    check("the hash is the same on 1, 2 and 4 ranks", len(hashes), 1)
    bed.run(scenario(output='<output interval="30 us"><table name="hits" record="on"/></output>'), plugins=PINGPONG, ranks=2)
    columns, _ = bed.table("hits")
    check("rows are ordered by interval, then component", columns["component"][:6], [0, 0, 0, 1, 1, 1])
    bed.run(scenario(output='<output><table name="hits" record="off"/></output>'), plugins=PINGPONG)
    check("<output> turns the plugin's table off", bed.table("hits")[0]["hit"], [])


def check_readers(bed):
    bed.run(scenario(), plugins=PINGPONG)
    strokes = open_run(bed.folder / "r.h5").tables["hits"].groupby("stroke", observed=True)["hit"].count().to_dict()
    check("lightrail_post reads the plugin's table with its labels", strokes, {"serve": 1, "forehand": 9, "backhand": 10})
    described = bed.lightrail("describe", "table", plugins=PINGPONG)
    check("describe table shows it", "/tables/hits  every ball that a player hit; recorded unless turned off" in described)
    check("describe shows the component's parameters", "balls this player hits" in
          bed.lightrail("describe", "player", plugins=PINGPONG))


def check_checkpoint(bed):
    bed.run(scenario(), plugins=PINGPONG)
    whole = bed.summary()["hash"]
    bed.run(scenario(), "--checkpoint", "saved", "--exit-after", "1 us", plugins=PINGPONG, ranks=2, expect=75)
    stopped = bed.summary()
    check("a run that is stopped early has not ended", stopped["status"], "stopped")
    for ranks in (1, 4):
        bed.run(scenario(), "--resume", "saved", "--checkpoint", "none", plugins=PINGPONG, ranks=ranks)
        check(f"going on from its checkpoint with the plugin gives the same hash on {ranks} ranks", bed.summary()["hash"], whole)
        check_hits(bed, f"gone on, {ranks} ranks")


def check_failures(bed):
    # All but the end is there, and the file says that the run failed. Bob (the second component) must not be
    # named before Ann.
    for sulky, ranks in (("bob", 1), ("bob", 2), ("ann bob", 1), ("ann bob", 2), ("ann bob", 4)):
        first = sulky.split()[0]
        output = bed.run(scenario(**{name: 'sulks="yes"' for name in sulky.split()}), plugins=PINGPONG,
                         ranks=ranks, expect=3)
        with bed.result() as file:
            end = [file["run"].attrs[name] for name in ("status", "exit_code", "reason")]
            end = [value.decode() if isinstance(value, bytes) else value for value in end]
        error = f"{first} at {2 * ROUNDS * LATENCY_PS // 1_000_000}.000 us: does not shake hands"
        check(f"{sulky} who fails in finish() ends {ranks} ranks with exit code 3 and one error", output.count(f"error: {error}"), 1)
        check(f"and its file says so ({ranks} ranks)", end, ["failed", 3, error])
    # Bob gets the first ball one latency after Ann's hit at 0.
    for ranks in (1, 2):
        output = bed.run(scenario(bob='miscounts="yes"'), plugins=PINGPONG, ranks=ranks, expect=3)
        error = "bob at 5.000 us: records a row of 2 values for the table hits, which has 3 columns: hit, t_hit_ps, stroke"
        check(f"a row of the wrong length names component, time, table and columns ({ranks} ranks)", output.count(f"error: {error}"), 1)
    output = bed.run(scenario(rounds_of_bob=ROUNDS + 1), plugins=PINGPONG, expect=3)
    check("a player who waits for ever is a deadlock that it explains itself", "bob: a ball after 10 of 11 hits" in output)


def main():
    bed = PluginBed(sys.argv[1])
    check_runs(bed)
    check_checkpoint(bed)
    check_readers(bed)
    check_failures(bed)


main()
