"""Targets E3, E4, E5, E7, E9, F1, F2: what routes, latencies and failed links make of a fabric.

Rows are those of published measurements and simulations that say enough of their set-up to be run; what each
does not say stands beside its rows and in docs/validation.md. Nothing is fitted.
"""
import re

from harness import RunFailed

LINE_BYTES_PER_S = 0.98 * 400e9 / 8  # of links/roce_400g_*
QP_TIMER_S = 4.096e-6 * 2**20  # NCCL_IB_TIMEOUT=20 (NVIDIA/nccl, src/transport/net_ib.cc)
QP_RETRIES = 7
FAULT_S = 1e-3  # of traffic/reroute.xml


def target_e3(run, short):
    """S. McClure et al., Load Balancing for AI Training Workloads (arXiv 2507.21372, v1): completion over the
    lower bound in a fat tree, large buffers. The number of hosts, the sizes and the transport are not in our
    copy: 1,024 hosts, 16 MB, pauses."""
    if short:
        return
    settings = {"ECMP": [{"routing": "ecmp", "seed": seed} for seed in (1, 2, 3)],
                "sprayed packets": [{"routing": "spray", "grain": 1}]}
    published = {"ECMP": 5.6, "sprayed packets": 1.25}
    bound = 16e6 / LINE_BYTES_PER_S * 1e12
    run.ahead("traffic/fat_tree_permutation.xml", sum(settings.values(), []))
    for name, runs in settings.items():
        done = [run("traffic/fat_tree_permutation.xml", **s)["jobs"]["permutation"] for s in runs]
        steps = [job["step_time_ps"] for job in done]
        yield {"row": f"permutation of 1,024 hosts, {name}", "published": published[name], "unit": "1",
               "simulated": sum(steps) / len(steps) / bound, "bound_pct": 15}


def target_e4(run, short):
    """Alibaba's HPN (SIGCOMM 2024): four all-reduces over 512 GPUs with disjoint paths over those with hashed
    ones, and an all-reduce of 448 GPUs on HPN over one on its older Clos (the most of all sizes). HPN's hosts
    are H800; H100 is there since its rings need all of a NIC. Guessed: sizes, places, queue pairs, NCCL's
    choice of algorithm, the older network. The queues of a NIC's two ports (267 and 3 KB) have no row: they
    come from switches that hash alike, and every switch here hashes by a salt of its own."""
    hashed, disjoint = {"qps": 1}, {"qps": 4, "use": "least", "paths": "disjoint"}
    for name, settings in (("H800, 256 MiB", {"size": "256MiB"}),
                           ("H100, 128 MiB", {"size": "128MiB", "server": "servers/dgx_h100"})):
        if short:
            settings = {**settings, "size": "32MiB"}
        ways = [{**settings, **paths} for paths in (hashed, disjoint)]
        run.ahead("ethernet/hpn_paths.xml", ways)
        steps = [run("ethernet/hpn_paths.xml", **way)["step_time_ps"] for way in ways]
        yield {"row": f"four all-reduces over 512 GPUs ({name}{', simulated: 32 MiB' if short else ''}), hashed over "
                      f"disjoint paths", "published": 1.347, "unit": "1", "simulated": steps[0] / steps[1],
               "bound_pct": 100 * 0.1 / 1.347}
    if short:
        return
    seeds = (1, 2, 3)
    run.ahead("ethernet/hpn_clos.xml", [{"network": n, "seed": seed} for n in ("clos", "hpn") for seed in seeds])
    means = [sum(run("ethernet/hpn_clos.xml", network=network, seed=seed)["jobs"]["job"]["step_time_ps"]
                 for seed in seeds) / len(seeds) for network in ("clos", "hpn")]
    yield {"row": "all-reduce of 448 H800 (1 GiB), older Clos over HPN", "published": 1.593, "unit": "1",
           "simulated": means[0] / means[1], "bound_pct": 100 * 0.1 / 1.593}


def target_e5(run, short):
    """Meta's RoCE (SIGCOMM 2024): 1,000 hashed flows over 16 uplinks: at least 1.2 times the mean on the
    fullest one. Random drawings have 1.23 in the mean."""
    seeds = range(1, 4 if short else 11)
    run.ahead("traffic/hashed_flows.xml", [{"seed": seed} for seed in seeds])
    shares = [max(uplinks) / (sum(uplinks) / len(uplinks)) for seed in seeds
              for uplinks in run("traffic/hashed_flows.xml", seed=seed)["uplink_bytes"].values()]
    yield {"row": "fullest of 16 uplinks over the mean, 1,024 flows by ECMP", "published": 1.2, "unit": "1",
           "simulated": sum(shares) / len(shares), "bound_pct": 15}


def target_e7(run, short):
    """Spectrum-X (arXiv 2605.21187): what the slowest hundredth of 64 nodes reaches over the spine, and with
    a tenth of the fabric's links missing."""
    for name, at, published in (("all links", "1000s", 377.80), ("a tenth of the links missing", "0s", 335.31)):
        run.ahead("ethernet/missing_links.xml", [{"at": at}])
        step = run("ethernet/missing_links.xml", at=at)["step_time_ps"]
        yield {"row": f"slowest of 64 NICs, {name}", "published": published, "unit": "Gb/s",
               "simulated": 100e6 * 8 / (step * 1e-12) * 1e-9, "bound_pct": 15}


def target_e9(run, short):
    """DeepSeek-AI (arXiv 2505.09343), table 5 and figure 6: 64 B between CPUs with their software, of which
    the simulated way has none; all-to-alls of 16 GPUs on eight planes and on rails that are joined."""
    for name, published, settings in (
            ("64 B, InfiniBand, one leaf", 2.8, {"network": "infiniband", "nics_per_leaf": 2}),
            ("64 B, RoCE, two leaves", 5.6, {"network": "roce", "nics_per_leaf": 1})):
        ends = run("traffic/latency.xml", **settings)["end_by_gpu_ps"]
        yield {"row": name, "published": published, "simulated": min(ends.values()) * 1e-6, "unit": "us",
               "bound_pct": 10}
    largest = {} if short else {"to": "16GiB"}
    runs = [run("traffic/planes.xml", fabric=fabric, **largest) for fabric in ("rail-only", "rail-optimised")]
    times = [{c["size_bytes"]: c["median_ps"] for c in done["collectives"]} for done in runs]
    worst = max((times[0][size] / times[1][size] for size in times[1]), key=lambda ratio: abs(ratio - 1))
    yield {"row": "all-to-all of 16 GPUs, planes over joined rails, worst size", "published": 1, "unit": "1",
           "simulated": worst, "bound_pct": 1.5}


def target_f1(run, short):
    """Alibaba's HPN (SIGCOMM 2024): LLaMA-7B on 256 GPUs, hosts of 8 NICs with 2 x 200 Gb/s, one of a host's
    16 ports down: throughput -6.25 %, 1 of 16. The plan and what of the step is communication are not
    stated. The first row is the mechanism alone, in closed form 15/16: what the host carries where nobody
    waits for another. Then a job of nothing but an all-reduce: on H800, and on H100 as rings that need all
    of a NIC."""
    runs = [run("ethernet/hpn_ports.xml", at=at)["end_by_gpu_ps"] for at in ("1000s", "0s")]
    carried = [sum(1 / end for gpu, end in ends.items() if int(gpu) < 8) for ends in runs]
    yield {"row": "closed form: a host without one of 16 ports carries, of all", "published": 15 / 16, "unit": "1",
           "simulated": carried[1] / carried[0], "bound_pct": 1 / 0.9375}
    hosts = 4  # of 32: rings and trees have the same part by each NIC
    rings = {"server": "servers/dgx_h100", "algorithm": "ring"}
    for name, settings in (("H800", {}), ("H100, rings", rings)):
        run.ahead("ethernet/hpn.xml", [{"hosts": hosts, "at": at, **settings} for at in ("1000s", "0s")])
        whole, without = (run("ethernet/hpn.xml", hosts=hosts, at=at, **settings)["step_time_ps"]
                          for at in ("1000s", "0s"))
        yield {"row": f"all-reduce on {8 * hosts} {name}, without one of a host's 16 ports, of all",
               "published": 15 / 16, "unit": "1", "simulated": whole / without, "bound_pct": 1 / 0.9375}


def target_f2(run, short):
    """A message that meets a failed link: the subnet manager's 10 to 20 s (NVIDIA), NCCL's timers of queue pairs.
    It goes on with the first timer behind the new routes; the last of seven retries ends it."""
    def waits(**settings):
        return run("traffic/reroute.xml", **settings)["step_time_ps"] * 1e-12 - FAULT_S

    for seconds, timers in ((10, 3), (20, 5)):
        yield {"row": f"routes after {seconds} s: goes on after", "published": timers * QP_TIMER_S, "unit": "s",
               "simulated": waits(reconvergence=f"{seconds}s"), "bound_pct": 0.1}
    yield {"row": "the leaf's own port, adaptive routing: goes on after", "published": QP_TIMER_S, "unit": "s",
           "simulated": waits(routing="adaptive", what="spine1"), "bound_pct": 0.1}
    yield {"row": "routes too late: queue pair in error after", "published": QP_RETRIES * QP_TIMER_S, "unit": "s",
           "simulated": gives_up_s(run) - FAULT_S, "bound_pct": 0.1}


def gives_up_s(run):
    """The time in the error of a run whose routes are made anew after a minute."""
    try:
        run("traffic/reroute.xml", reconvergence="60s")
    except RunFailed as failed:
        found = re.search(r" at ([\d.]+) s: gave up sending", str(failed))
        if found:
            return float(found[1])
        raise
    raise RunFailed("traffic/reroute.xml: nobody gave up")


TARGETS = {"E3": target_e3, "E4": target_e4, "E5": target_e5, "E7": target_e7, "E9": target_e9, "F1": target_f1,
           "F2": target_f2}
