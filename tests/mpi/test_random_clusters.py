#!/usr/bin/python3
"""Random small clusters give one answer with the reference engine and on 1, 2, 3 and 4 ranks.

usage: test_random_clusters.py LIGHTRAIL [FIRST_SEED [COUNT]]     0, 10
"""
import pathlib
import sys
import tempfile

from random_scenario import Generator
from run_equivalence import compare

# Nothing of this may show in a result.
SMALL = ("narrow windows, small blocks and tiles, gathered output", 2,
         ["--window", "100 ns", "--block", "1", "--tile", "20 KiB", "--partitioner", "blocks", "--io",
          "gather"])
PODS = ("pods dealt to three ranks", 3, ["--partitioner", "pods"])


def main():
    lightrail = sys.argv[1]
    first, count = (int(a) for a in (sys.argv[2:4] + ["0", "10"][len(sys.argv) - 2:]))
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            scenario = pathlib.Path(folder, f"random_{seed}.xml")
            scenario.write_text(Generator(seed).scenario())
            ways = {1: [SMALL], 2: [PODS]}.get(seed % 4, [])
            if not compare(lightrail, scenario, [1, 2, 3, 4], [], ways):
                failed.append(seed)
    print(f"{count - len(failed)} of {count} clusters give one answer"
          + (f"; not seeds {failed}" if failed else ""))
    return 1 if failed else 0


sys.exit(main())
