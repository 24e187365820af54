"""Targets W1 - W6, H4 and H5: Blackwell's kernels, collectives, exchanges of experts and training steps.

W1 goes by tools/fit_gpu.py's formulas with the figures of configs/gpus, which
tests/unit/components/gpu/compute holds to the simulator's own on the same rows; W2 by nccl-tests in one
server. Their devices are fitted to these rows: they say how well the form of the model fits. Of the training
rows one a device is fitted to (`sustained`: Llama 3 8B, release 25.11); call and expert of hosts/dgx_h100 are
fitted to H6.

Of the summaries' rows the newest release of every plan is taken, and for mixtures of experts the newest one
with graphs of parts and the newest with one graph of all passes. Only that one has buffers sized before: with
HybridEP as well the CPU reads how many tokens come, for the products of experts (arXiv 2603.07685, section
4.3.7; at the end of their chain the authors of H4 still hope for 10 % from removing that read). Left out:
models that cannot be written (Nemotron 3, DeepSeek V4), and rows without a plan that tells the graphs of a
mixture of experts. A recipe's fused grouped products (one graph of all passes) are expert-kernels="grouped".
Steps of many micro-batches are those of fewer continued.
"""
import functools
import re
import sys
from xml.etree import ElementTree

import numpy as np

from collectives_nodes import tray_rows
from harness import ROOT, collective_times, table

sys.path.insert(0, str(ROOT / "tools"))
import fit_gpu  # noqa: E402

SCENARIO = "training/blackwell.xml"
GRAPHS = "attn moe_router moe_preprocess"
SERVERS = {"B200": "servers/dgx_b200", "B300": "servers/dgx_b300", "GB200": "servers/gb200_nvl72",
           "GB300": "servers/gb300_nvl72", "H100": "servers/dgx_h100"}
NCCL_SERVERS = {"b200_sxm": "servers/dgx_b200", "gb200": "servers/gb200_nvl72", "gb300": "servers/gb300_nvl72"}
MODELS = {"LLAMA3_8B": ("llama3_8b", 32), "LLAMA3_70B": ("llama3_70b", 80), "LLAMA3.1_405B": ("llama3_1_405b", 126),
          "Qwen3_30B_a3B": ("qwen3_30b_a3b", 48), "Qwen3_235B_a22B": ("qwen3_235b_a22b", 94),
          "GPT OSS 120B": ("gpt_oss_120b", 36), "DeepSeekV3": ("deepseek_v3", 61), "Kimi_K2": ("kimi_k2", 61)}
TYPES = {"FP8": "fp8", "FP8-CS": "fp8", "MXFP8": "mxfp8", "FP8-MX": "mxfp8", "NVFP4": "nvfp4", "BF16": "bf16"}


@functools.cache
def catalogue_gpu(name):
    return ElementTree.parse(ROOT / "configs" / "gpus" / f"{name}.xml").getroot()


def number(text):
    """"3.4 us" as 3.4, "4900 TFLOP/s" as 4900."""
    return float(text.split()[0])


def gemm_us(gpu, dtype, m, n, k):
    root = catalogue_gpu(gpu)
    gemm = next(g for g in root.findall("gemm") if g.get("dtype") == dtype and g.get("scaling") is None)
    figures = {name: number(gemm.get(name, "0")) for name in fit_gpu.GEMM}
    element = {"bf16": 2, "fp8": 1, "mxfp8": 1 + 1 / 32, "nvfp4": 0.5 + 1 / 16}[dtype]
    one = np.array([1.0])
    return 1e6 * fit_gpu.gemm_seconds(figures, m * one, n * one, k * one, element, gemm.get("casts") == "on",
                                      number(gemm.get("peak")) * 1e12, number(root.get("memory-bandwidth")) * 1e12,
                                      int(root.get("sms")))[0]


def target_w1(run, short):
    """600 GEMMs on B200, GB200 and GB300 by data type: median and 95th percentile of the errors."""
    errors = {}
    with open(ROOT / "tests" / "data" / "gpu_kernels" / "gemm.csv") as file:
        for line in list(file)[1:]:
            system, dtype, m, n, k, time = line.strip().split(",")
            if system in NCCL_SERVERS:
                ratio = gemm_us(system, dtype, int(m), int(n), int(k)) / float(time)
                errors.setdefault((system, dtype), []).append(abs(ratio - 1))
    for (system, dtype), all_errors in errors.items():
        for name, quantile, bound in (("median", 0.5, 10), ("95th percentile", 0.95, 35)):
            yield {"row": f"{system} {dtype}, {len(all_errors)} products, 1 + {name} of errors", "fitted": "yes",
                   "published": 1, "simulated": 1 + float(np.quantile(all_errors, quantile)), "unit": "1",
                   "bound_pct": bound}


def target_w2(run, short):
    """Four collectives on 2 to 8 GPUs of one server, NCCL 2.29."""
    measured = {}
    for r in table("nccl_blackwell.csv"):
        key = (r["system"], r["collective"].replace("alltoall", "all_to_all"), int(r["gpus"]))
        measured.setdefault(key, {})[(key[1], int(r["bytes_total_assumed"]))] = float(r["time_us"])
    for (system, collective, gpus), times in sorted(measured.items()):
        if short and (system, gpus) != ("gb200", 4):
            continue
        ours = collective_times(run("nccl_tests/one_server.xml", server=NCCL_SERVERS[system], gpus=gpus,
                                    nccl="nccl/nccl_2_28", collective=collective.replace("_", "-"),
                                    **{"from": "512 B", "to": "2 MiB" if short else "512 MiB"}))
        for key in sorted(times):
            if key in ours:
                yield {"row": f"{gpus} x {system} {collective} {key[1]} B", "fitted": "yes", "published": times[key],
                       "simulated": ours[key], "unit": "us", "bound_pct": 30}


def target_w3(run, short):
    """All-reduce on a rack of 72 and over partitions of four in three racks."""
    if short:
        return
    rack = collective_times(run("nccl_tests/nvl72.xml"))
    for size, time in ((536870912, 1806.7), (2147483648, 5589.1), (8589934592, 20299)):
        yield {"row": f"72 GPUs of a rack, {size} B", "fitted": "yes" if size > 4e9 else "no", "published": time,
               "simulated": rack["all_reduce", size], "unit": "us", "bound_pct": 15}
    for row in tray_rows(run):
        yield {"row": f"3 x 4 GPUs, {row['algorithm']}, 16 GiB, bus bandwidth", **row, "fitted": "no", "bound_pct": 15}


def target_w4(run, short):
    """Dispatch and combine of 4,096 tokens a GPU with HybridEP and NCCL, on H100 and in one rack."""
    for r in table("expert_exchange.csv"):
        gpus, is_rack = int(r["ep"]), r["gpu"] == "GB200"
        if short and gpus > 8:
            continue
        is_hybrid = r["library"] == "HybridEP"
        settings = {"server": SERVERS[r["gpu"]], "gpus": gpus if is_rack else 8, "copy": 14336,
                    "servers": 1 if is_rack else gpus // 8,
                    "nccl": "nccl/nccl_2_28_hybridep" if is_hybrid else "nccl/nccl_2_28",
                    "algorithm": "hybridep" if is_hybrid else "auto"}
        yield {"row": f"{r['library']} {r['operation']}, {r['gpu']}, EP {gpus}", "published": float(r["time_us"]),
               "fitted": "yes" if is_hybrid and is_rack else "no", "unit": "us", "bound_pct": 30,
               "simulated": run("collectives/deepep.xml", **settings)["step_time_ps"] * 1e-6}


def step_seconds(run, plan, replicas, micro_batches, is_whole=False):
    """A step of so many micro-batches. Without `is_whole` that of fewer, continued: rounds of as many as
    there are pipeline stages, two and three times."""
    pp, micro = plan.get("pp", 1), plan.get("micro", 1)

    def step(count):
        return run(SCENARIO, **{**plan, "batch": count * replicas * micro})["step_time_ps"] * 1e-12

    few, more = 2 * max(pp, 2), 3 * max(pp, 2)
    if is_whole or micro_batches <= more:
        return step(micro_batches)
    run.ahead(SCENARIO, [{**plan, "batch": count * replicas * micro} for count in (few, more)])
    return step(more) + (micro_batches - more) / (more - few) * (step(more) - step(few))


def plan_of(row):
    """Settings of a row of the summaries, replicas and micro-batches."""
    name, layers = MODELS[re.sub(r" \(.*", "", row["model"])]
    gpus, tp, cp, pp, chunks, ep, micro = (int(row[c]) for c in ("gpus", "tp", "cp", "pp", "vp", "ep", "mbs"))
    is_moe, gpu = name not in ("llama3_8b", "llama3_70b", "llama3_1_405b"), row["gpu"]
    is_rack = gpu.startswith("GB")
    plan = {"server": SERVERS[gpu], "domain": min(gpus, 64) if is_rack else 8, "rails": 4 if is_rack else 8,
            "model": name, "layers": layers, "gpus": gpus, "tp": tp, "cp": cp, "pp": pp, "chunks": chunks if pp > 1 else 1,
            "ep": ep, "sequence": int(row["seq_len"]), "micro": micro, "dtype": TYPES[row["dtype"]],
            "memory_check": "warn"}
    parts = pp * plan["chunks"]
    if layers == 61 and pp > 1:  # the recipes' layout: four layers in each part, the loss and one in the last
        plan["stage_layers"] = f"{parts - 1}x{60 // (parts - 1)} 1x{61 - 60 // (parts - 1) * (parts - 1)}"
    elif pp > 1 and layers % parts != 0:
        plan["edges_count"] = "on"
    if int(row["fsdp"]) > 1:
        plan.update(fsdp="on", overlap_parameters="off")
    if tp > 1:
        plan["tensor_overlap"] = "all"
    if not is_moe:
        plan.update(ep=1, etp=0, exchange="auto", host="none", expert_casts="each")
        return plan, gpus // (tp * cp * pp), int(row["gbs"]) // (gpus // (tp * cp * pp)) // micro
    if name == "deepseek_v3":
        plan.update(mtp=0 if "w/o MTP" in row["model"] else 1, moments="bf16")
    graphs = row["graphs"] or "none"
    plan["graphs"] = graphs
    plan["exchange"] = {"alltoall": "auto", "hybridep": "hybridep"}.get(row["dispatcher"], "deepep")
    if graphs == "iteration":
        plan.update(expert_kernels="grouped", counts="off", fused_casts="on" if plan["dtype"] == "mxfp8" else "off")
    if row["overlap"] == "True":
        plan["overlap_experts"] = "on"
    if row["recompute"]:
        words = row["recompute"].split()
        plan.update(recompute="modules", modules=" ".join(words))
    return plan, gpus // (tp * cp * pp), int(row["gbs"]) // (gpus // (tp * cp * pp)) // micro


def newest(rows):
    """Of every plan the newest release."""
    chosen = {}
    for row in rows:
        key = tuple(row[c] for c in row if c not in ("release", "tokens_per_s_per_gpu", "source"))
        if key not in chosen or chosen[key]["release"] < row["release"]:
            chosen[key] = row
    return list(chosen.values())


def training_rows(run, rows, bound):
    for row in rows:
        plan, replicas, micro_batches = plan_of(row)
        tokens = int(row["gbs"]) * int(row["seq_len"]) / int(row["gpus"])
        is_fitted = row["model"] == "LLAMA3_8B" and row["release"] == "25.11"
        graphs = f", graphs: {row['graphs']}" if row["graphs"] else ""
        yield {"row": f"{row['release']} {row['model']}, {row['gpus']} {row['gpu']} {row['dtype']}, TP {row['tp']} PP "
                      f"{row['pp']} VP {row['vp']} EP {row['ep']} MBS {row['mbs']}{graphs}",
               "fitted": "yes" if is_fitted else "no", "published": tokens / float(row["tokens_per_s_per_gpu"]),
               "simulated": step_seconds(run, plan, replicas, micro_batches), "unit": "s", "bound_pct": bound}


def target_w5(run, short):
    """Dense models on B200, GB200, GB300."""
    rows = [r for r in newest(table("blackwell_training.csv"))
            if r["model"].startswith("LLAMA") and r["gpu"] != "H100"
            and not (r["dtype"] == "NVFP4" and r["pp"] == "1")  # 70B on one stage without FSDP cannot have fitted
            and not (r["model"] == "LLAMA3.1_405B" and r["fsdp"] != "0")]  # two plans in one row of the source
    rows += [r for r in table("blackwell_training.csv") if r["model"] == "LLAMA3_8B" and r["release"] == "25.09"]
    if short:
        rows = [r for r in rows if r["model"] == "LLAMA3_8B"]
    yield from training_rows(run, rows, 20)


def target_w6(run, short):
    """Mixtures of experts whose recipe tells graphs and dispatcher."""
    if short:
        return
    rows = [r for r in newest(table("blackwell_training.csv"))
            if re.sub(r" \(.*", "", r["model"]) in MODELS and not r["model"].startswith("LLAMA") and r["graphs"]
            and "tokendrop" not in r["model"] and r["gpu"] != "H100"]
    yield from training_rows(run, rows, 30)


# DeepSeek-V3 without the module that predicts further on 256 GB200 (NVIDIA/Megatron-LM,
# docs/discussions/deepseek-v3-gb200-optimization): 61 layers as Et|(tt|)*30L.
CHAIN = {"model": "deepseek_v3", "layers": 61, "gpus": 256, "domain": 64, "pp": 8, "chunks": 4, "ep": 32,
         "stage_layers": "1x1 30x2 1x0", "micro": 1, "moments": "bf16", "recompute": "modules", "memory_check": "warn",
         "gradients": "fp32"}
STEPS = (("baseline", 494.46, {"exchange": "auto", "modules": "mlp mla_up_proj", "router_kernels": "separate",
                               "expert_casts": "each", "binding": "off"}),
         ("router fusion", 540.00, {"router_kernels": "fused", "expert_casts": "fused"}),
         ("DeepEP, no recomputation of up_proj", 610.71,
          {"exchange": "deepep", "nccl": "nccl/nccl_2_28_deepep_mnnvl", "modules": "mlp moe_act"}),
         ("graphs", 663.27, {"graphs": GRAPHS}),
         ("DeepEP tuned", 691.49, {}),
         ("CPU binding", 762.12, {"binding": "on"}),
         ("shared expert in graphs", 829.93, {}),
         ("HybridEP, casts in norms", 970.01,
          {"exchange": "hybridep", "nccl": "nccl/nccl_2_28_hybridep", "fused_casts": "on"}))


def target_h4(run, short):
    """The published chain of changes. Two of its steps change nothing here (below): they stand for what was
    tuned outside the model."""
    if short:
        return
    flops = 249.6e9 * 2048 * 4096 / 256  # a GPU and step
    plan, rates = dict(CHAIN), []
    for name, published, change in STEPS:
        plan.update(change)
        seconds = step_seconds(run, plan, 32, 64)
        rates.append(flops / seconds * 1e-12)
        yield {"row": f"DeepSeek-V3, {name}", "fitted": "no", "published": published, "simulated": rates[-1],
               "unit": "TF/s", "bound_pct": 15}
    for name, after, before in (("graphs", 3, 2), ("binding", 5, 4)):
        published = STEPS[after][1] / STEPS[before][1]
        yield {"row": f"what {name} gain", "fitted": "no", "published": published,
               "simulated": rates[after] / rates[before], "unit": "1", "bound_pct": 4}


def target_h5(run, short):
    """Graphs of parts (26.04.01) over one graph of all passes (26.06), the same plan."""
    if short:
        return
    rows = {(r["model"], r["gpu"], r["release"]): r for r in table("blackwell_training.csv") if r["dtype"] == "MXFP8"}
    for model, gpu in (("Qwen3_30B_a3B", "GB200"), ("Qwen3_235B_a22B", "GB300"), ("DeepSeekV3", "GB200")):
        few, all_passes = rows[model, gpu, "26.04.01"], rows[model, gpu, "26.06"]
        ours = [step_seconds(run, *plan_of(row)) for row in (few, all_passes)]
        yield {"row": f"{model} on {gpu}", "fitted": "no", "unit": "1", "bound_pct": 10,
               "published": float(all_passes["tokens_per_s_per_gpu"]) / float(few["tokens_per_s_per_gpu"]),
               "simulated": ours[0] / ours[1]}


TARGETS = {"W1": target_w1, "W2": target_w2, "W3": target_w3, "W4": target_w4, "W5": target_w5, "W6": target_w6,
           "H4": target_h4, "H5": target_h5}
