"""Targets N6: DeepEP's own table of dispatch and combine on H800 with 400 Gb/s InfiniBand, and N6b: in one
server, by tokens and multiprocessors, as NVIDIA's aiconfigurator measured it."""
from harness import table

EXPERTS, GROUPS, HIDDEN = 8, 4, 7168
# FP8 with a scale of 4 B for 128 values; BF16.
COPY = {"dispatch": HIDDEN + HIDDEN // 128 * 4, "combine": 2 * HIDDEN}


def reach(doors, servers):
    """Servers or GPUs (`doors` in all) that hold any expert of a token, of at most GROUPS servers."""
    share = min(1, GROUPS / servers)
    return doors * share * (1 - (1 - 1 / (doors * share)) ** EXPERTS)


def exchange_us(run, is_normal, **settings):
    """What one exchange takes with DeepEP's normal or low-latency kernels [us]."""
    return run("collectives/deepep.xml", algorithm="deepep" if is_normal else "deepep-low-latency",
               **settings)["step_time_ps"] * 1e-6


def target_n6(run, short):
    """Normal: bandwidth as the table counts it, copies to the own GPU or server included. Low latency:
    time."""
    for r in table("deepep_published.csv"):
        gpus = int(r["ep"])
        if not r["kernel"].startswith("V1") or (short and gpus > 32):
            continue
        servers = gpus // 8
        is_normal = r["kernel"] == "V1 normal"
        tokens = 4096 if is_normal else 128
        for operation, copy in COPY.items():
            time_us = exchange_us(run, is_normal, servers=servers, tokens=tokens, copy=copy)
            label = f"{operation}, {r['kernel'][3:]}, EP {gpus}"
            if is_normal:
                counted = tokens * copy * (reach(8, 1) if servers == 1 else reach(servers, servers))
                yield {"row": label, "published": float(r[f"{operation}_GBps"]),
                       "simulated": counted / time_us * 1e-3, "unit": "GB/s", "bound_pct": 15}
            else:
                yield {"row": label, "published": float(r[f"{operation}_us"]), "simulated": time_us,
                       "unit": "us", "bound_pct": 15}


SERVERS = {"h100_sxm": "servers/dgx_h100", "h200_sxm": "servers/hgx_h200", "b200_sxm": "servers/dgx_b200",
           "gb200": "servers/gb200_nvl72", "gb300": "servers/gb300_nvl72"}


def target_n6b(run, short):
    """On 8 GPUs of a server or rack: low latency of 1 to 1,024 tokens, normal of 128 to 16,384 with 8, 16
    and 20 multiprocessors. Fitted to, by GPU kind but H200, which has H100's: the start and share of NVLink
    of low latency (hidden 7168), what a multiprocessor moves (normal, 4,096 tokens); to H100 alone: the
    start of normal (128 and 4,096 tokens)."""
    for r in table("deepep_server.csv"):
        if short and (r["gpu"] != "h200_sxm" or int(r["tokens"]) > 128):
            continue
        hidden, is_normal = int(r["hidden"]), r["kernel"] == "normal"
        for operation, copy in (("dispatch", hidden + hidden // 128 * 4), ("combine", 2 * hidden)):
            settings = {"servers": 1, "gpus": 8, "tokens": int(r["tokens"]), "copy": copy, "nccl": "nccl/nccl_2_28",
                        "server": SERVERS[r["gpu"]]}
            if is_normal:
                settings["sms"] = int(r["sms"])
            of_fit = ("128", "4096") if r["gpu"] == "h100_sxm" else ("4096",)
            is_fitted = r["gpu"] != "h200_sxm" and hidden == 7168 and (not is_normal or r["tokens"] in of_fit)
            yield {"row": f"{operation}, {r['kernel']}, {r['gpu']}, hidden {hidden}, {r['tokens']} tokens"
                          + (f", {r['sms']} SMs" if is_normal else ""), "published": float(r[f"{operation}_us"]),
                   "simulated": exchange_us(run, is_normal, **settings), "unit": "us",
                   "fitted": "yes" if is_fitted else "no", "bound_pct": 30}


def target_n10(run, short):
    """Messages of 7 and 14 KiB between all GPUs of 4 to 32 servers: DeepEP's low latency, whose GPUs post to
    the NIC themselves. No table of NCCL's all-to-alls of 4 to 256 KiB over servers is at hand, so nothing
    here says what its proxies cost."""
    if short:
        return
    for r in table("deepep_published.csv"):
        gpus = int(r["ep"])
        if r["kernel"] != "V1 low-latency" or gpus < 32:
            continue
        for operation, copy in COPY.items():
            time_us = exchange_us(run, is_normal=False, servers=gpus // 8, tokens=128, copy=copy)
            yield {"row": f"{operation}, {gpus // 8} x 8, {copy} B", "published": float(r[f"{operation}_us"]),
                   "simulated": time_us, "unit": "us", "bound_pct": 25, "fitted": "yes"}


TARGETS = {"N6": target_n6, "N6b": target_n6b, "N10": target_n10}
