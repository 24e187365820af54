"""Random scenarios, one a seed: what the tests that draw them share."""
import pathlib
import sys
import tempfile

from run_equivalence import start


def random_runs(scenario):
    """Runs scenario(seed) on one rank for each seed of the command line (LIGHTRAIL [FIRST_SEED [COUNT]]; 0,
    8) and yields (seed, folder, scenario file, exit code, output); the folder, with run.h5 and run.json,
    goes afterwards."""
    lightrail = sys.argv[1]
    first, count = (int(a) for a in (sys.argv[2:4] + ["0", "8"][len(sys.argv) - 2:]))
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            path = folder / "scenario.xml"
            path.write_text(scenario(seed))
            yield seed, folder, path, *start(lightrail, path, folder, "run", 1, [])
