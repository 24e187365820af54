"""Targets K1, N1 to N5: the captured step's all-reduces and the nccl-tests tables."""
from harness import collective_times, printed_us, table, time_rows

MIB = 2**20
SERVERS = {"a100_sxm": "servers/dgx_a100", "h100_sxm": "servers/dgx_h100"}


def nccl_tests(prefix, smallest=0):
    rows = [r for r in table("nccl_tests_tables.csv") if r["table_id"].startswith(prefix)]
    # 68 us at 32 B between 13 us and 15 us: an outlier of the source.
    return {(r["collective"], int(r["size_bytes"])): float(r["oop_time_us"]) for r in rows
            if int(r["size_bytes"]) >= smallest and not (prefix == "dgxc_8xH100" and r["size_bytes"] == "32")}


def target_k1(run, short):
    """The captured Megatron step on 8 A100."""
    summary = run("megatron_tp8_replay.xml")
    for row, published, simulated, unit in (("step, GPU span of the median rank", 613.0,
                                             summary["step_time_ps"] * 1e-9, "ms"),
                                            ("fastest member's all-reduce, median", 599.0,
                                             printed_us(summary["stdout"], "collective, median"), "us"),
                                            ("fastest member's all-reduces, sum", 50.099,
                                             printed_us(summary["stdout"], "collectives, sum") * 1e-3, "ms")):
        yield {"row": row, "published": published, "simulated": simulated, "unit": unit, "bound_pct": 15}


def target_n1(run, short):
    """All-reduce, 8 x H100 with NVLS."""
    simulated = collective_times(run("nccl_tests/one_server.xml", server="servers/dgx_h100",
                                     to="64 MiB" if short else "16 GiB"))
    yield from time_rows("8 x H100", nccl_tests("dgxc_8xH100"), simulated, 30)


def target_n2(run, short):
    """All-reduce, 8 A100, 2 x 8 A100, 2 x 8 H100."""
    to = "64 MiB" if short else "16 GiB"
    a100 = collective_times(run("nccl_tests/one_server.xml", server="servers/dgx_a100", to=to))
    yield from time_rows("8 x A100", nccl_tests("stas_8xA100", 16 * MIB), a100, 20)
    to = "64 MiB" if short else "16 GiB"
    p5 = collective_times(run("nccl_tests/two_servers.xml", server="servers/p5", to=to))
    yield from time_rows("2 x 8 H100", nccl_tests("aws_2xp5"), p5, 20)
    p4 = collective_times(run("nccl_tests/two_servers.xml", server="servers/p4de", to=to,
                              switch="switches/qm8700", cable="links/100g_copper"))
    yield from time_rows("2 x 8 A100, 4 x 100G", nccl_tests("aws_2xp4de"), p4, 20)


def target_n3(run, short):
    """Four collectives on 2, 4, 8 A100 and H100 of one server."""
    measured = {}
    for r in table("nccl_intranode.csv"):
        key = (r["system"], r["collective"].replace("alltoall", "all_to_all"), int(r["gpus"]))
        measured.setdefault(key, {})[(key[1], int(r["bytes_total_assumed"]))] = float(r["time_us"])
    for (system, collective, gpus), times in sorted(measured.items()):
        if short and gpus != 8:
            continue
        simulated = collective_times(run("nccl_tests/one_server.xml", server=SERVERS[system], gpus=gpus,
                                         collective=collective.replace("_", "-"),
                                         **{"from": "512 B", "to": "64 MiB" if short else "512 MiB"}))
        yield from time_rows(f"{gpus} x {system}", times, simulated, 20)


def target_n4(run, short):
    """Algorithm picked by group size, H200 and B200, 8 GiB; 1: the published pick, and the bus bandwidth it
    reaches."""
    size = 2**33
    for r in table("nvls_gain_by_gpus.csv"):
        gpus = int(r["ranks"])
        summary = run("nccl_tests/one_server.xml",
                      server={"H200": "servers/hgx_h200", "B200": "servers/dgx_b200"}[r["gpu"]], gpus=gpus,
                      **{"from": "8 GiB", "to": "8 GiB"})
        picked = summary["algorithms"][size]
        yield {"row": f"{gpus} x {r['gpu']}: picks {picked}, published {r['nccl_algo_picked'].lower()}",
               "published": 1, "simulated": int(picked == r["nccl_algo_picked"].lower()) or 1e-9, "unit": "",
               "bound_pct": 0}
        bandwidth = next(c["busbw_bytes_per_s"] for c in summary["collectives"]) * 1e-9
        yield {"row": f"{gpus} x {r['gpu']}: bus bandwidth", "published": float(r["busbw_GBps_8GiB"]),
               "simulated": bandwidth, "unit": "GB/s", "bound_pct": 10}


# What is assumed of the cluster in Crusoe's talk, which tells neither: scenarios/sweeps/README.md, pxn.
CRUSOE_FABRIC = {"routing": "ecmp", "spine": 1.5}


def target_n5(run, short):
    """All-to-all, rail-optimised H100: time without PXN over time with it. Spine and routing are assumed, the
    same as for T5 and T6; trains of 4 packets, for a tapered spine (docs/grain.md)."""
    for servers in (4,) if short else (4, 30):
        for what, size in (("small, 4 KiB", "4 KiB"), ("large, 256 MiB", "256 MiB")):
            off, on = (run("nccl_tests/two_servers.xml", servers=servers, pxn=pxn, collective="all-to-all",
                           grain=4, **CRUSOE_FABRIC, **{"from": size, "to": size})["step_time_ps"] for pxn in ("off", "on"))
            yield {"row": f"{servers} servers, {what}", "published": 1.5, "simulated": off / on, "unit": "",
                   "bound_pct": 10}


TARGETS = {"N5": target_n5, "N4": target_n4, "K1": target_k1, "N1": target_n1, "N2": target_n2,
           "N3": target_n3}
