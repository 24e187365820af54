#!/usr/bin/python3
"""A component built outside the tree against the installed package runs with --plugin.

usage: test_plugin.py CMAKE BUILD_DIR     BUILD_DIR: of lightrail itself, already built
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import h5py

HERE = pathlib.Path(__file__).resolve().parent
ROUNDS, LATENCY_PS = 10, 5_000_000

SCENARIO = """
<scenario name="table tennis">
  <cluster servers="1">
    <server gpus="1" nics="0"><gpu catalogue="gpus/h100_sxm"/></server>
  </cluster>
  <graph>
    <component kind="player" name="ann" rounds="{rounds}" serves="yes"/>
    <component kind="player" name="bob" rounds="{rounds_of_bob}"/>
    <link from="ann:0" to="bob:0" kind="pcie" generation="5" lanes="16" latency="5 us"/>
  </graph>
  <workload kind="explicit"/>
</scenario>
"""


def run(*command, expect=0, **options):
    done = subprocess.run([str(c) for c in command], text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != expect:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}, wanted {expect}\n{done.stdout}")
    return done.stdout


def check(what, found, wanted):
    if found != wanted:
        sys.exit(f"FAIL {what}: {found}, wanted {wanted}")
    print(f"ok   {what}")


def main():
    cmake, build = sys.argv[1], sys.argv[2]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix, outside = folder / "prefix", folder / "outside"
        run(cmake, "--install", build, "--prefix", prefix)
        shutil.copytree(HERE / "outside", outside)
        run(cmake, "-S", outside, "-B", outside / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
            "-DCMAKE_BUILD_TYPE=Release")
        run(cmake, "--build", outside / "build")
        lightrail, plugin = prefix / "bin" / "lightrail", outside / "build" / "pingpong.so"
        scenario = folder / "scenario.xml"
        # A wrong catalogue of the source tree must not be found by accident.
        elsewhere = {"cwd": folder, "env": {k: v for k, v in os.environ.items() if k
                                            != "LIGHTRAIL_CATALOGUE"}}

        scenario.write_text(SCENARIO.format(rounds=ROUNDS, rounds_of_bob=ROUNDS))
        for ranks in (1, 2):
            start = ["mpiexec", "-n", ranks] if ranks > 1 else []
            run(*start, lightrail, "run", scenario, "--plugin", plugin, "--out", folder / "r.h5",
                "--summary", folder / "r.json", **elsewhere)
            summary = json.loads((folder / "r.json").read_text())
            # Ann hits at 0, 2 L, ...; the last of 2 r hits is Bob's at (2 r - 1) L and arrives one L later.
            check(f"two players of 10 hits end after 20 latencies on {ranks} ranks", summary["sim_end_ps"],
                  2 * ROUNDS * LATENCY_PS)

        # All but the end is there, and the file says that the run failed. Bob (the second component) must not
        # be named before Ann.
        for sulky, ranks in (("bob", 1), ("bob", 2), ("ann bob", 1), ("ann bob", 2), ("ann bob", 4)):
            first = sulky.split()[0]
            text = SCENARIO.format(rounds=ROUNDS, rounds_of_bob=ROUNDS)
            for player in sulky.split():
                text = text.replace(f'name="{player}"', f'name="{player}" sulks="yes"')
            scenario.write_text(text)
            output = run("mpiexec", "-n", ranks, lightrail, "run", scenario, "--plugin", plugin, "--out",
                         folder / "s.h5", expect=3, **elsewhere)
            with h5py.File(folder / "s.h5") as file:
                end = [file["run"].attrs[name] for name in ("status", "exit_code", "reason")]
                end = [value.decode() if isinstance(value, bytes) else value for value in end]
            error = f"{first} at {2 * ROUNDS * LATENCY_PS // 1_000_000}.000 us: does not shake hands"
            check(f"{sulky} who fails in finish() ends {ranks} ranks with exit code 3 and one error",
                  output.count(f"error: {error}"), 1)
            check(f"and its file says so ({ranks} ranks)", end, ["failed", 3, error])
        # Bob gets the first ball one latency after Ann's hit at 0.
        for ranks in (1, 2):
            scenario.write_text(SCENARIO.format(rounds=ROUNDS, rounds_of_bob=ROUNDS).replace('name="bob"', 'name="bob" miscounts="yes"'))
            output = run("mpiexec", "-n", ranks, lightrail, "run", scenario, "--plugin", plugin, "--out",
                         folder / "m.h5", expect=3, **elsewhere)
            error = ("bob at 5.000 us: records a row of 2 values for the table traffic_matrix, which has 3 columns: from, to, "
                     "size_bytes")
            check(f"a row of the wrong length names component, time, table and columns ({ranks} ranks)",
                  output.count(f"error: {error}"), 1)
        check("describe shows the plugin's parameters", "balls this player hits" in
              run(lightrail, "describe", "player", "--plugin", plugin, **elsewhere), True)
        scenario.write_text(SCENARIO.format(rounds=ROUNDS, rounds_of_bob=ROUNDS + 1))
        output = run(lightrail, "run", scenario, "--plugin", plugin, "--out", folder / "d.h5", expect=3,
                     **elsewhere)
        check("a player who waits for ever is a deadlock that it explains itself",
              "bob: a ball after 10 of 11 hits" in output, True)
        scenario.write_text(SCENARIO.format(rounds=0, rounds_of_bob=ROUNDS))
        output = run(lightrail, "run", scenario, "--plugin", plugin, "--out", folder / "e.h5", expect=2,
                     **elsewhere)
        check("the plugin's ranges are checked with file and line",
              "scenario.xml:7: <component> attribute 'rounds': '0' is out of range" in output, True)
        output = run(lightrail, "run", scenario, expect=2, **elsewhere)
        check("without --plugin the kind is unknown", "unknown" in output and "player" in output, True)
        check("a shared object that is no plugin is refused",
              "is no plugin" in run(lightrail, "run", scenario, "--plugin", "/lib/x86_64-linux-gnu/libm.so.6",
                                    expect=2, **elsewhere), True)


main()
