"""Targets B1, S2, I1: bytes by dimension of parallelism, as Asterfusion's "Unveiling AI Data Center Network
Traffic" counts them.

The article's job: 364.6 M samples of 38.5 TB and 156 G tokens in mini-batches of 2,048 samples (N = 178,000
an epoch), P = 70 B parameters, L = 80 layers, h = 8192, g = 8 GPUs, or TP 8, PP 8, DP 16. What is simulated
is a mini-batch or a number of tokens that divides the epoch's; an epoch is so many of them. Published is the
article's formula, held against asterfusion_recheck.csv. Ring volumes are those of a run on the article's
switches.
"""
import sys

from harness import table

N, P, L, H, G, T = 178_000, 70 * 10**9, 80, 8192, 8, 156 * 10**9
TP, PP, DP = 8, 8, 16
SAMPLES, DATASET = 364_600_000, 385 * 10**11
TOKENS = 975
TB = 10**12


def row(item, published, simulated, unit="B", bound=0):
    """A line of the article: published, its formula, must agree with the table's six digits."""
    line = next((r for r in table("asterfusion_recheck.csv") if r["item"] == item), None)
    if line is not None and abs(float(line["recomputed"]) / published - 1) > 1e-5:
        sys.exit(f"'{item}' is {line['recomputed']} in asterfusion_recheck.csv, not {published}")
    return {"row": item, "published": published, "simulated": simulated, "unit": unit, "bound_pct": bound}


def target_b1(run, short):
    """Every line that its recheck marks ok and that bytes can say, counted as a full mesh; then as rings."""
    one = run("traffic/one_dimension.xml", tokens=TOKENS)["bytes_by_dimension"]
    epoch = T // TOKENS
    yield row("DP per mini-batch, bytes", 2 * P * G * (G - 1), one["dp"])
    yield row("DP per epoch", 2 * N * P * G * (G - 1), N * one["dp"])
    yield row("FSDP per epoch", 4 * N * P * (G - 1), N * one["fsdp"])
    yield row("TP forward per epoch", 4 * T * L * H * G * (G - 1), epoch * one["tp"])
    yield row("PP per epoch", 4 * T * H * (G - 1), epoch * one["pp"])
    if short:
        return
    backward = N * run("traffic/one_dimension.xml", data=0, sharded=0, tensor=0, pipeline=0,
                       gradients=1)["bytes_by_dimension"]["tp"]
    yield row("TP sum", 4 * T * L * H * G * (G - 1) + 4 * N * L * P * (G - 1), epoch * one["tp"] + backward)

    forward = run("traffic/step_1024.xml", data=0)["bytes_by_dimension"]
    gradients = run("traffic/step_1024.xml", forward=0, gradients=20)["bytes_by_dimension"]
    gradient_part = N * (gradients["tp"] + gradients["dp"])
    yield row("3D gradient part", 2 * N * P * DP * (2 * L * (TP - 1) // PP + DP - 1), gradient_part)
    published = (4 * T * L * H * TP * (TP - 1) + 4 * T * H * (PP - 1)
                 + 2 * N * P * DP * (2 * L * (TP - 1) // PP + DP - 1))
    total = T // (16 * TOKENS) * (forward["tp"] + forward["pp"]) + gradient_part
    yield row("3D total per epoch", published, total)
    yield row("Internet-days", published / 33e18, total / 33e18, "")
    yield row("bytes per sample", published / SAMPLES, total / SAMPLES)

    rings = run("traffic/step_1024.xml", network="asterfusion", algorithm="ring", tokens=2048 * 428 // 16,
                forward=40)["bytes_by_dimension"]
    for dimension, volume in (("tp", 64.33), ("dp", 4.20), ("pp", 0.201)):
        yield row(f"ring volume of {dimension} per step, 1,024 GPUs", volume, rings[dimension] / TB, "TB",
                  0.1)


def target_s2(run, short):
    """Bytes of dataset and checkpoint, a millionth and a thousandth of them moved; rates below the
    guideline's best."""
    load = run("traffic/storage.xml", clients="0-7", size=f"{DATASET // 10**6} B")
    yield row("dataset load", DATASET * TP, 10**6 * load["bytes_by_dimension"]["storage"])
    save = run("traffic/storage.xml", operation="write", clients="0-7", size=f"{8 * P // 8 // 1000} B")
    yield row("checkpoint", 8 * P, 1000 * save["bytes_by_dimension"]["storage"])
    best = {r["characteristic"]: float(r["best_GBps"]) for r in table("storage_guidelines.csv")}
    for operation in ("read", "write"):
        for who, clients, size in (("Single SU aggregate", "all", 64 * 10**6), ("Single-node", "0-7", 10**9)):
            summary = run("traffic/storage.xml", operation=operation, clients=clients, size=f"{size} B")
            rate = summary["bytes_by_dimension"]["storage"] / summary["step_time_ps"] * 1e3
            yield {"row": f"{who} {operation}, not more than", "published": best[f"{who} {operation}"],
                   "simulated": rate, "unit": "GB/s", "bound_pct": 0, "is_ceiling": True}


def target_i1(run, short):
    """Inference of 100 users, 256 tokens in and 4,096 out, L h = 140 x 8192, tensor parallel 4."""
    users, tokens_in, tokens_out, layers, tp = 100, 256, 4096, 140, 4
    summary = run("traffic/inference.xml")
    sent = summary["bytes_by_dimension"]
    unit = 4 * layers * H
    yield row("inference total, bytes", users * unit * ((tokens_in + tokens_out) * tp * (tp - 1) + tokens_in),
              users * (sent["prefill"] + tokens_out * sent["decode"] + sent["kv"]))
    yield row("inference total", 21.896, users * (sent["prefill"] + tokens_out * sent["decode"] + sent["kv"])
              / 2**40, "TiB", 0.01)
    yield row("KV cache per user", tokens_in * unit, sent["kv"])
    busiest = max(summary["link_busy_ps"].values())
    yield row("KV transfer time on 800G, ms", tokens_in * unit / 100e6, busiest * 1e-9, "ms", 0.001)
    # The article leaves the tokens out of the second term.
    both = users * (unit * tp * (tp - 1) / 1e-3 + unit / 10e-3)
    counted = users * (sent["decode"] / 1e-3 + sent["kv"] / tokens_in / 10e-3)
    yield row("throughput, B/s", both, counted, "B/s")
    yield row("Tb/s", both * 8e-12, counted * 8e-12, "Tb/s")
    yield row("users on 51.2T", users * 51.2 / (both * 8e-12), users * 51.2 / (counted * 8e-12), "")
    yield row("100 GB in 1 ms", 1000, 100e9 / (sent["kv"] / busiest * 1e12 * 1e-3), "")


TARGETS = {"B1": target_b1, "S2": target_s2, "I1": target_i1}
