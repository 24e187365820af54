#!/usr/bin/python3
"""Fits what collectives take on a GPU kind to nccl-tests measurements of one server.

    tools/fit_nccl.py CSV SYSTEM --links 12 --rate 20 --ll-max 87.7 --ll128-max 480 [--nvls 0.83]

CSV: columns system,collective,gpus,bytes_total_assumed,time_us with all_gather, reduce_scatter, all_reduce,
alltoall (nccl-tests' sizes); --links, --rate: NVLinks of a GPU and GB/s of each; --ll-max, --ll128-max:
NCCL's limits [GB/s] of this architecture (src/graph/tuning.cc); --nvls: efficiency of the NVSwitch's
reduction, whose rows are left out. Prints the attributes of <gpu><collectives/> and the errors.

Model (workloads/collective): a ring takes base + steps x (hop + block / (rate x efficiency)) + block /
copy-rate, an all-to-all point + (n - 1) x share / (rate x efficiency). Which protocol a row ran with is what
NCCL's cost model picks by its own constants.
"""
import argparse
import csv
import math

import numpy as np
from scipy.optimize import differential_evolution

PROTOCOLS = ("ll", "ll128", "simple")
# NCCL v2.21.5-1 src/graph/tuning.cc: baseLat, hwLat of rings over NVLink [us]; share of the rate that the
# choice counts with.
BASE_US = dict(ll=6.6, ll128=14.0, simple=8.4)
HOP_US = dict(ll=0.6, ll128=1.9, simple=3.4)
SHARE = dict(ll=0.5, ll128=0.92, simple=1.0)
NVLS_US = 25.0
POINT_LL_THRESHOLD = 16384


def steps(collective, gpus):
    return 2 * (gpus - 1) if collective == "all_reduce" else gpus - 1


def picked(row, options):
    """NCCL's choice for one row: a protocol, or nvls."""
    collective, gpus, size, _ = row
    rate = options.links * options.rate * 1e3
    limit = dict(ll=options.ll_max * 1e3, ll128=options.ll128_max * 1e3, simple=math.inf)
    n = steps(collective, gpus)
    cost = {p: BASE_US[p] + n * HOP_US[p] + size * n / gpus / min(limit[p], SHARE[p] * rate)
            for p in PROTOCOLS}
    if collective == "all_reduce" and options.nvls:
        cost["nvls"] = NVLS_US + size / (rate * options.nvls * gpus / (gpus + 1))
    return min(cost, key=cost.get)


def ring_us(x, row, protocol, rate):
    collective, gpus, size, _ = row
    i = PROTOCOLS.index(protocol)
    block = size / gpus
    return x[i] + steps(collective, gpus) * (x[3 + i] + block / (x[6 + i] * rate)) + block / (x[9] * 1e3)


def point_us(x, row, rate):
    _, gpus, size, _ = row
    is_ll = size / gpus <= POINT_LL_THRESHOLD
    return x[0 if is_ll else 1] + size * (gpus - 1) / gpus / (x[2 if is_ll else 3] * rate)


def fit(model, rows, bounds):
    """Parameters that make the mean of |ln(model / measured)| least, and the single errors."""
    def errors(x):
        return np.array([abs(math.log(model(x, row) / row[3])) for row in rows])

    def cost(x):
        e = errors(x)
        return e.mean() + 0.3 * (e**2).mean()

    x = differential_evolution(cost, bounds, seed=1, maxiter=400, tol=1e-8).x
    return x, errors(x)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv")
    parser.add_argument("system")
    for name in ("--links", "--rate", "--ll-max", "--ll128-max"):
        parser.add_argument(name, type=float, required=True)
    parser.add_argument("--nvls", type=float, default=0)
    options = parser.parse_args()
    with open(options.csv) as file:
        rows = [(r["collective"], int(r["gpus"]), int(r["bytes_total_assumed"]), float(r["time_us"]))
                for r in csv.DictReader(file) if r["system"] == options.system]
    if not rows:
        parser.error(f"{options.csv} has no rows of system '{options.system}'")
    rate = options.links * options.rate * 1e3
    protocol = {row: picked(row, options) for row in rows}
    rings = [row for row in rows if row[0] != "alltoall" and protocol[row] != "nvls"]
    points = [row for row in rows if row[0] == "alltoall"]
    x, ring_errors = fit(lambda x, row: ring_us(x, row, protocol[row], rate), rings,
                         [(1, 15), (1, 40), (1, 40), (.3, 2), (.5, 4), (1, 8), (.1, 1), (.2, 1), (.6, 1),
                          (100, 3000)])
    y, point_errors = fit(lambda x, row: point_us(x, row, rate), points, [(1, 20), (1, 40), (.1, 1), (.5, 1)])
    print("<collectives " + " ".join(f'base-{p}="{x[i]:.3g} us"' for i, p in enumerate(PROTOCOLS)))
    print("             " + " ".join(f'nvlink-{p}="{x[3 + i]:.3g} us"' for i, p in enumerate(PROTOCOLS)))
    print("             " + " ".join(f'efficiency-{p}="{x[6 + i]:.3g}"' for i, p in enumerate(PROTOCOLS))
          + f' copy-rate="{x[9]:.0f} GB/s"')
    print(f'             point-ll="{y[0]:.3g} us" point-simple="{y[1]:.3g} us" point-efficiency="{y[3]:.3g}"/>')
    for name, e in (("rings", ring_errors), ("all-to-all", point_errors)):
        print(f"{name}: {len(e)} rows, mean error {100 * (math.exp(e.mean()) - 1):.1f} %, worst {100 * (math.exp(e.max()) - 1):.1f} %")


if __name__ == "__main__":
    main()
