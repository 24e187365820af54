"""Targets T1, T2: training steps of Megatron-LM on A100.

Plans are the published ones; kernels as of their time (kernels="separate"). One iteration is simulated in
full, no part of it is repeated or scaled: every micro-batch of every GPU. One message is one train as far as
it fits 16 MB (scenarios/training).
"""

from statistics import median

from harness import table

A100 = "training/megatron_a100.xml"


def seconds(run, scenario, **settings):
    return run(scenario, **settings)["step_time_ps"] * 1e-12


def model_flops(row):
    """SC'21, equation 3: a training step with recomputation."""
    b, s, layers, h, v = (int(row[k]) for k in ("batch", "seq", "layers", "hidden", "vocab"))
    return 96 * b * s * layers * h * h * (1 + s / (6 * h) + v / (16 * layers * h))


def target_t1(run, short):
    """Ten GPTs, 1.7 to 1,008 billion parameters on 32 to 3,072 GPUs: iteration time from the published
    TFLOP/s a GPU."""
    for row in table("megatron_sc21_table1.csv"):
        if short and int(row["gpus"]) > 128:
            continue
        settings = {k: row[k] for k in ("model", "layers", "gpus", "tp", "pp", "chunks", "batch", "overlap")}
        yield {"row": f"{row['params_B']} B on {row['gpus']} GPUs",
               "published": model_flops(row) / (int(row["gpus"]) * float(row["tflops_per_gpu"]) * 1e12),
               "simulated": seconds(run, A100, micro=row["micro_batch"], **settings), "unit": "s",
               "bound_pct": 15}


# How the columns of Korthikanti et al. are set: recomputation, sequence parallelism.
def korthikanti(recompute, sequence_parallel):
    return {"recompute": recompute, "sequence_parallel": "on" if sequence_parallel else "off",
            "scatter_gather": "off" if sequence_parallel else "on",
            "tensor_overlap": "backward"}  # Megatron-LM's default since December 2021


LAYERS = {"Baseline no recompute": ("none", False), "Sequence parallelism": ("none", True),
          "Full recompute": ("full", False), "Selective recompute": ("selective", False),
          "Selective + sequence": ("selective", True)}


def pass_times(run, layers, setting):
    """Forward and backward time [ms] of one micro-batch on one GPU, from its markers."""
    result = run(A100, model="gpt_22b", gpus=8, tp=8, micro=4, batch=4, layers=layers, tiers=2, record="on",
                 **korthikanti(*setting))
    at = result["markers"]
    return [(at[end] - at[begin]) * 1e-9 for begin, end in (("forward 0", "backward 0"),
                                                            ("backward 0", "gradients"))]


def target_t2(run, short):
    """One layer of 22 B: what a second layer adds; iterations of 22 B to 1 T."""
    for row in table("korthikanti22_layer_times.csv"):
        one, two = (pass_times(run, layers, LAYERS[row["experiment"]]) for layers in (1, 2))
        for i, which in enumerate(("forward", "backward")):
            yield {"row": f"layer, {row['experiment'].lower()}, {which}",
                   "published": float(row[which + "_ms"]), "simulated": two[i] - one[i], "unit": "ms",
                   "bound_pct": 10}
    models = {"22B": "gpt_22b", "175B": "gpt3_175b", "530B": "gpt3_529_6b", "1T": "gpt3_1t"}
    for row in table("korthikanti22_iterations.csv"):
        if short and int(row["gpus"]) > 8:
            continue
        for column, setting in (("iter_s_full_recompute", ("full", False)),
                                ("iter_s_present", ("selective", True))):
            yield {"row": f"{row['model']} on {row['gpus']} GPUs, {setting[0]} recompute",
                   "published": float(row[column]),
                   "simulated": seconds(run, A100, model=models[row["model"]], layers=row["layers"],
                                        gpus=row["gpus"], tp=row["tp"], pp=row["pp"],
                                        chunks=row["interleave_m"] or 1, micro=row["micro_batch"],
                                        batch=row["global_batch"], **korthikanti(*setting)), "unit": "s",
                   "bound_pct": 10}


ZERO_BUBBLE = "training/zero_bubble.xml"


def target_t9(run, short):
    """Pipelines of 8 to 32 A100 with 1F1B and ZB-H1: samples per GPU and second (ZB-1p idles as ZB-H1 does),
    and a stage's passes."""
    passes = (("forward", "t_f_ms"), ("input gradient", "t_b_ms"), ("weight gradient", "t_w_ms"))
    profiled = set()
    for row in table("zero_bubble.csv"):
        gpus, count = int(row["gpus"]), int(row["micro_batches"])
        if short and (gpus > 8 or count > 24):
            continue
        samples = count * int(row["micro_batch"]) / gpus
        for schedule, column in (("1f1b", "samples_1f1b"), ("zb-h1", "samples_zb_1p")):
            result = run(ZERO_BUBBLE, schedule=schedule, gpus=gpus, layers=row["layers"],
                         hidden=row["hidden"], heads=row["heads"], micro=row["micro_batch"],
                         micro_batches=count, record="on")
            yield {"row": f"{row['model']} on {gpus} GPUs, {count} micro-batches, {schedule}",
                   "published": float(row[column]), "simulated": samples / (result["step_time_ps"] * 1e-12),
                   "unit": "1/s", "bound_pct": 10}
        if row["model"] not in profiled:
            profiled.add(row["model"])
            times = pass_durations(result)
            for kind, column in passes:
                yield {"row": f"{row['model']}, {kind}", "published": float(row[column]),
                       "simulated": times[kind], "unit": "ms", "bound_pct": 10}


def pass_durations(result):
    """{kind: [ms]} of the recorded stage: the median of its passes, without their waiting for other
    stages."""
    durations = {}
    for name, time in result["passes_ps"]:
        durations.setdefault(name.rsplit(" ", 1)[0], []).append(time * 1e-9)
    return {kind: median(all_of_kind) for kind, all_of_kind in durations.items()}


def target_t10(run, short):
    """DeepSeek-V3: 180,000 H800 hours a trillion tokens. Half of the published replicas, each with its 120
    sequences a step."""
    if short:
        return
    step = 15360 * 4096 / 1e12 * 180e3 * 3600 / 2048
    yield {"row": "DeepSeek-V3, DualPipe, 16 stages, EP 64", "published": step,
           "simulated": seconds(run, "training/deepseek_v3.xml", gpus=1024), "unit": "s", "bound_pct": 20}


TARGETS = {"T1": target_t1, "T2": target_t2, "T9": target_t9, "T10": target_t10}
