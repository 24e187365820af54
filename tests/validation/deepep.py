"""Target N6: DeepEP's own table of dispatch and combine on H800 with 400 Gb/s InfiniBand."""
from harness import table

EXPERTS, GROUPS, HIDDEN = 8, 4, 7168
# FP8 with a scale of 4 B for 128 values; BF16.
COPY = {"dispatch": HIDDEN + HIDDEN // 128 * 4, "combine": 2 * HIDDEN}


def reach(doors, servers):
    """Servers or GPUs (`doors` in all) that hold any expert of a token, of at most GROUPS servers."""
    share = min(1, GROUPS / servers)
    return doors * share * (1 - (1 - 1 / (doors * share)) ** EXPERTS)


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
            summary = run("collectives/deepep.xml", servers=servers, tokens=tokens, copy=copy,
                          algorithm="deepep" if is_normal else "deepep-low-latency")
            time_us = summary["step_time_ps"] * 1e-6
            label = f"{operation}, {r['kernel'][3:]}, EP {gpus}"
            if is_normal:
                counted = tokens * copy * (reach(8, 1) if servers == 1 else reach(servers, servers))
                yield {"row": label, "published": float(r[f"{operation}_GBps"]),
                       "simulated": counted / time_us * 1e-3, "unit": "GB/s", "bound_pct": 15}
            else:
                yield {"row": label, "published": float(r[f"{operation}_us"]), "simulated": time_us,
                       "unit": "us", "bound_pct": 15}


TARGETS = {"N6": target_n6}
