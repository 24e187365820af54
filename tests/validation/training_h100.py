"""Targets T3 - T7, T11 and S1: training steps on H100 and H200.

T3 and T4: published plans, one iteration in full, no repetition or scaling. H100's `sustained` is fitted to
one row of the same source (Llama-3.1 8B on 8 GPUs, BF16), which is therefore left out; FP8, the other models
and all larger jobs are not fitted to. T3's jobs of 1,024 and 2,048 GPUs are the 512-GPU jobs with more
replicas and left out to keep the report within half an hour. T4 leaves out LoRA (frozen weights are not
modelled) and GPT3-20B (its shape is not published).
"""
from collectives import CRUSOE_FABRIC
from harness import table

H100 = "training/nemo_h100.xml"
FLOAT8 = "training/float8_h200.xml"
MIXTRAL = "mixtral_8x7b_240h100.xml"
MODELS = {"Llama 3.1 8b": "llama3_8b", "Llama 3.1 70b": "llama3_70b", "NeMo Megatron": "gpt3_175b",
          "LLAMA3_70B": "llama3_70b", "LLAMA3-70B": "llama3_70b", "LLAMA3_8B": "llama3_8b",
          "LLAMA3-8B": "llama3_8b", "LLAMA2-70B": "llama2_70b", "GPT3-175B": "gpt3_175b",
          "GPT OSS 120B": "gpt_oss_120b", "Qwen3_30B_a3B": "qwen3_30b_a3b"}


def number(text, otherwise=1):
    return int(text) if text and text.isdigit() and int(text) > 0 else otherwise


def settings(row, model, chunks, sequence, micro, batch, precision):
    """A published plan; where a column is empty or n/a the dimension is not used."""
    is_fp8 = precision.startswith("FP8") or precision == ""
    pp = number(row["pp"])
    return {"model": MODELS[model], "gpus": row["gpus"], "tp": number(row["tp"]), "cp": number(row["cp"]),
            "pp": pp, "chunks": chunks if pp > 1 else 1, "sequence": sequence, "micro": number(micro),
            "batch": batch, "dtype": "fp8" if is_fp8 else "bf16"}


def seconds(run, plan, scenario=H100):
    return run(scenario, **plan)["step_time_ps"] * 1e-12


def recipe(row):
    """What NVIDIA's recipe of a row says beside the table (NVIDIA-NeMo/Megatron-Bridge,
    scripts/performance/configs): GPT-OSS computes norms and activations again; Qwen3 with EP 16 dispatches
    with HybridEP, for which DeepEP stands here."""
    if row["model"] == "GPT OSS 120B":
        return {"recompute": "modules", "modules": "layernorm moe_act"}
    return {"exchange": "deepep"} if row["model"] == "Qwen3_30B_a3B" and row["ep"] == "16" else {}


def told_seconds(run, plan):
    """A step of the plan as it was told, and a remark where the estimate of memory says that it does not fit:
    nothing is computed again instead."""
    summary = run(H100, **plan, memory_check="warn")
    fits = not any("does not fit a GPU" in remark["text"] for remark in summary.get("remarks", []))
    return summary["step_time_ps"] * 1e-12, "" if fits else ", more than the GPU's memory by the estimate"


def target_t3(run, short):
    """DGX Cloud recipes: 8B, 70B and 175B from 16 to 512 GPUs, BF16 and FP8."""
    for row in table("dgxc_scaling.csv"):
        model, precision = row["model"].rsplit(" ", 1)
        gpus = int(row["gpus"])
        is_fitted = gpus == 8
        if is_fitted or gpus not in ((16,) if short else (16, 64, 128, 512)) or (gpus == 128 and "70b" in model):
            continue
        plan = settings(row, model, number(row["vp"]), row["seq_len"], row["mbs"], row["gbs"], precision)
        yield {"row": f"{model} {precision} on {gpus} GPUs", "published": float(row["step_time_s"]),
               "simulated": seconds(run, plan), "unit": "s", "bound_pct": 10}


def target_t4(run, short):
    """NeMo's performance summaries: time of a step from tokens a second."""
    for row in [] if short else table("nemo_h100.csv"):
        if row["task"].startswith("LoRA") or row["model"] == "GPT3-20B":
            continue
        plan = settings(row, row["model"], number(row["vp"]), row["seq_len"], row["mbs"], row["gbs"],
                        row["precision"])
        plan["ep"] = number(row["ep"])
        plan.update(recipe(row))
        if number(row["fsdp"], 0) > 1:
            plan.update(fsdp="on", overlap_parameters="off")
        tokens = int(row["gbs"]) * int(row["seq_len"])
        simulated, remark = told_seconds(run, plan)
        yield {"row": f"{row['release'].split()[0]} {row['model']} {row['task'].split()[0]} {row['gpus']} GPUs" + remark,
               "published": tokens / (int(row["gpus"]) * float(row["tokens_per_s_per_gpu"])), "simulated": simulated,
               "unit": "s", "bound_pct": 15}


def mixtral(run, **more):
    """All 32 layers: of 8 the embedding's gradients are a larger share, and PXN saves 12 % instead of 9. The
    talk tells neither plan nor fabric: split experts over TP 2, gradients in BF16, a spine of one and a half
    NICs an uplink and routes by hash are assumed."""
    return run(MIXTRAL, gradients="bf16", **CRUSOE_FABRIC, **more)


def target_t5(run, short):
    """Mixtral 8x7B on 240 H100: a step without PXN over one with it. The plan is ours (the talk does not tell
    its own)."""
    if not short:
        yield {"row": "step without PXN / with PXN", "published": 1 / (1 - 0.14), "unit": "1",
               "bound_pct": 5.8, "simulated": mixtral(run, pxn="off")["step_time_ps"]
               / mixtral(run)["step_time_ps"]}


def target_t6(run, short):
    """Share of a step in which only communication runs."""
    if not short:
        for overlap, published, bound in (("off", 27.5, 20), ("on", 25, 20)):
            yield {"row": f"exposed communication, overlap {overlap}", "published": published, "unit": "%",
                   "bound_pct": bound, "simulated": 100
                   * mixtral(run, overlap=overlap)["exposed_communication_fraction"]}


def target_t7(run, short):
    """Float8 rowwise against BF16, HSDP and context parallelism on H200. The source gives no plan, so its
    times (45.1 and 34.56 s for an unknown number of tokens) are no rows; ratios are. Steps of 80 layers are
    those of 4 and 8 continued: every further layer takes the same time (64 GPUs, run whole: 0.03 %
    longer)."""
    steps = {}

    def step(gpus, dtype):
        if (gpus, dtype) not in steps:
            recipe = "rowwise" if dtype == "fp8" else "delayed"
            few, more = (seconds(run, {"gpus": gpus, "dtype": dtype, "recipe": recipe, "layers": layers},
                                 FLOAT8) for layers in (4, 8))
            steps[gpus, dtype] = more + (80 - 8) / (8 - 4) * (more - few)
        return steps[gpus, dtype]

    for row in table("pytorch_float8_crusoe.csv"):
        published, at = float(row["published"]), int(row["gpus"])
        if short and at != 960:
            continue
        gpus = 64 if short else at
        is_ratio_of_types = "float8" in row["what"]
        simulated = step(gpus, "bf16") / step(gpus, "fp8") if is_ratio_of_types else step(960, "bf16") / step(gpus, "bf16")
        yield {"row": f"{row['what']}, {at} GPUs" + (" (simulated: 64)" if short else ""),
               "published": published, "simulated": simulated, "unit": "1",
               "bound_pct": 100 * 0.05 / published}


def target_t11(run, short):
    """Float8 tensorwise and rowwise against BF16, Llama 3 8B on eight H100 with a power limit of 500 W."""
    def step(recipe):
        kind = {"dtype": "bf16"} if recipe == "bf16" else {"dtype": "fp8", "recipe": recipe}
        return seconds(run, {**kind, "cap": "500 W", **({"layers": 8} if short else {})}, "training/float8_h100.xml")

    rows = table("torchao_float8_h100.csv")
    bf16 = {row["run"]: float(row["tokens_per_s_per_gpu"]) for row in rows if row["recipe"] == "bf16"}
    for row in rows:
        if row["recipe"] != "bf16":
            published = float(row["tokens_per_s_per_gpu"]) / bf16[row["run"]]
            yield {"row": f"bf16 time over float8 {row['recipe']}, {row['run']}", "published": published,
                   "unit": "1", "simulated": step("bf16") / step(row["recipe"]),
                   "bound_pct": 100 * 0.05 / published}
        elif not short and row["run"] == "torchao":
            yield {"row": "bf16 step, torchao", "published": 8192 / bf16["torchao"],
                   "simulated": step("bf16"), "unit": "s", "bound_pct": 15}


def target_s1(run, short):
    """How long an asynchronous checkpoint blocks the GPUs: a step that saves less one that does not. What is
    left of the training while threads of its processes plan and serialise: a step before the save over one
    beside it. The same in the short form, whose steps have 8 layers of 80. Of the source's other figures (436
    s and 67 s in the background) what makes them is not published."""
    dcp = "training/dcp_h200.xml"
    without, saving = (step["step_time_ps"] for step in run(dcp)["iterations"])
    yield {"row": "Llama 3 70B, GPUs blocked (simulated: shards of 32 H200, a guess)", "published": 0.78,
           "simulated": (saving - without) * 1e-12, "unit": "s", "bound_pct": 15, "fitted": "no"}
    layers = {"layers": 8} if short else {}
    threads = {"host": "launches", "checkpointer": "thread", "planning": "100 s", "steps": 3, **layers}
    alone, _, beside = (step["step_time_ps"] for step in run(dcp, **threads)["iterations"])
    yield {"row": "tokens a second while threads save over those without", "published": 315 / 700,
           "simulated": alone / beside, "unit": "1", "bound_pct": 15, "fitted": "no"}
    if not short:
        for name, published, step in (("alone", 700, alone), ("while threads save", 315, beside)):
            yield {"row": f"tokens a second and GPU, {name} (plan and batch are guesses)",
                   "published": published, "simulated": 8192 / (step * 1e-12), "unit": "1/s",
                   "bound_pct": 15, "fitted": "no"}


TARGETS = {"T3": target_t3, "T4": target_t4, "T5": target_t5, "T6": target_t6, "T7": target_t7,
           "T11": target_t11, "S1": target_s1}
