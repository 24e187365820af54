"""Random scenarios, one a seed: what the tests that draw them share."""
import collections
import pathlib
import random
import sys
import tempfile

import h5py
from run_equivalence import start


EVEN = '<workload kind="collective" collective="all-to-all" from="1 MiB" to="4 MiB" warm-up="0" repeats="1"/>'
UNEVEN = """<groups><group name="ep">{members}</group></groups>
  <workload kind="explicit"><program gpus="0-{last}">
    {ops}
  </program></workload>"""


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


def uneven(r, gpus):
    """All-to-alls among random groups of GPUs, so that pairs of servers have uneven demands, and sizes that
    differ."""
    numbers = list(range(gpus))
    r.shuffle(numbers)
    cuts = sorted(r.sample(range(1, gpus), r.choice([1, 2, 5])))
    groups = [sorted(numbers[low:high]) for low, high in zip([0] + cuts, cuts + [gpus])]
    members = "".join('<members gpus="' + ",".join(map(str, group)) + '"/>' for group in groups)
    ops = "\n    ".join(f'<op kind="collective" collective="all-to-all" group="ep" size="{r.randint(1, 6000)} KiB"/>'
                        for _ in range(r.randint(1, 3)))
    return UNEVEN.format(members=members, last=gpus - 1, ops=ops)


def queue_pairs(seed):
    """Attributes of <nccl> for every third seed, drawn by themselves: several queue pairs a connection."""
    if seed % 3 > 0:
        return ""
    draw = random.Random(f"queue pairs {seed}")
    return (f' qps-per-connection="{draw.choice([2, 3, 4, 16])}" qp-use="{draw.choice(["turns", "split", "least"])}"'
            f' qp-paths="{draw.choice(["hashed", "disjoint"])}" point-chunk-net="{draw.choice([4, 128])} KiB"')


def undelivered(folder):
    """What is wrong with a run that came to its end: pairs of GPUs of which one was not sent what the other
    has got."""
    with h5py.File(folder / "run.h5") as file:
        sent, delivered = (by_pair(file[f"tables/{name}"]) for name in ("traffic_matrix", "messages"))
    return [f"{sent[pair]} B sent from {pair[0]} to {pair[1]}, {delivered[pair]} B delivered"
            for pair in sorted(sent.keys() | delivered.keys()) if sent[pair] != delivered[pair]
            ][:5] or ([] if sent else ["nothing was sent"])


def by_pair(table):
    """Payload by sender and receiver [B]."""
    pairs = collections.Counter()
    for sender, receiver, size in zip(table["from"][:].tolist(), table["to"][:].tolist(),
                                      table["size_bytes"][:].tolist()):
        if sender != receiver:
            pairs[sender, receiver] += size
    return pairs
