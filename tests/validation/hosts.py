"""Targets H1 - H3, H6 - H8: steps that wait for their hosts.

`call` of hosts/dgx_h100 is fitted to one row, marked so ("fitted"): Qwen3-30B with micro-batch 1 on eight
B200 (H6). Everything else of configs/hosts is frozen with it and fitted to nothing but where a row says so.
Moonlight's step, which was to be the second, would need 98 us: how many of its small kernels are fused is not
published.

What stands for what: Moonlight's TP 2 on eight GPUs (latent attention with tensor parallelism cannot be
written) is TP 1 with half as long sequences and twice as many of them, the same tokens a GPU; its
collectives of tensor parallelism are missing. With HybridEP the CPU reads how many tokens come, too: buffers
sized before came with graphs of all passes (arXiv 2603.07685, section 4.3.7). Steps of 64 micro-batches are
those of four and six continued. The batch of H3 is not published and derived from its
TFLOP/s.

Not here: H4 and H5 (blackwell.py), Moonlight's recomputation variants (recomputation of parts of
a layer cannot be written), H7's counts (tests/unit/workloads/generate/training/stage_launches_test.cpp).
"""
SCENARIO = "training/launches.xml"
QWEN_MICRO_BATCHES = 64
GRAPHS = "attn moe_router moe_preprocess"
ROUTER_GRAPHS = "moe_router moe_preprocess"


def long_step(run, replicas, **plan):
    """Seconds of a step of 64 micro-batches: those of four and six continued."""
    few, more = (run(SCENARIO, **plan, batch=count * replicas)["step_time_ps"] * 1e-12 for count in (4, 6))
    return more + (QWEN_MICRO_BATCHES - 6) / 2 * (more - few)


def h100(run, **plan):
    return long_step(run, 16, **plan)


def moonlight(run, **more):
    return run(SCENARIO, model="moonlight_16b_a3b", layers=27, gpus=8, ep=8, sequence=2048, batch=8,
               **more)["step_time_ps"] * 1e-9


def target_h1(run, short):
    """Moonlight-16B on eight H100, eager; Qwen3-30B-A3B on 16, EP 16, HybridEP, eager, no overlap."""
    yield {"row": "Moonlight-16B, NCCL, eager", "fitted": "no", "published": 457.18, "unit": "ms", "bound_pct": 12,
           "simulated": moonlight(run)}
    if short:
        return
    # Graphs of router and preprocessing in all of them, EP overlap off and on (Megatron-Bridge 067f987,
    # skills/nemo-mbridge-perf-expert-parallel-overlap); the last is the recipe with permutation in the
    # dispatch, which is not modelled apart.
    hybrid_ep = {"exchange": "hybridep", "nccl": "nccl/nccl_2_28_hybridep"}
    for overlap, tuned, published in (("off", "", 24.7138), ("on", "", 20.992), ("on", ", tuned", 20.15)):
        yield {"row": f"Qwen3-30B, HybridEP, BF16, graphs: {ROUTER_GRAPHS}, overlap {overlap}{tuned}", "fitted": "no",
               "published": published, "unit": "s", "bound_pct": 12,
               "simulated": h100(run, graphs=ROUTER_GRAPHS, overlap_experts=overlap, **hybrid_ep)}
    # FP8: Megatron-Bridge 228e9a3, skills/nemo-mbridge-perf-cuda-graphs.
    for graphs, published in (("none", 29.2), (GRAPHS, 20.0)):
        yield {"row": f"Qwen3-30B, HybridEP, FP8, graphs: {graphs}", "fitted": "no", "published": published,
               "unit": "s", "bound_pct": 12, "simulated": h100(run, dtype="fp8", graphs=graphs, **hybrid_ep)}


def target_h2(run, short):
    """The same with NCCL's all-to-all: graphs gain nothing, EP overlap a quarter. These runs permuted tokens
    with PyTorch's kernels (moe_permute_fusion=false), whose atomic additions are not modelled."""
    if short:
        return
    eager, graphs = h100(run), h100(run, graphs=GRAPHS)
    yield {"row": "Qwen3-30B, NCCL, eager", "fitted": "no", "published": 41.36, "simulated": eager, "unit": "s",
           "bound_pct": 15}
    yield {"row": "Qwen3-30B, NCCL, graphs", "fitted": "no", "published": 42.00, "simulated": graphs, "unit": "s",
           "bound_pct": 15}
    yield {"row": "Qwen3-30B, NCCL, eager, overlap on", "fitted": "no", "published": 31.31, "unit": "s",
           "simulated": h100(run, overlap_experts="on"), "bound_pct": 15}
    yield {"row": "eager over graphs", "fitted": "no", "published": 41.36 / 42.00, "simulated": eager / graphs,
           "unit": "1", "bound_pct": 3}


def target_h3(run, short):
    """Partial graphs, TP 2 PP 2 EP 4."""
    if short:
        return
    plan = {"tp": 2, "pp": 2, "ep": 4, "batch": 24}
    eager, graphs = (run(SCENARIO, graphs=g, **plan)["step_time_ps"] * 1e-9 for g in ("none", GRAPHS))
    yield {"row": "Qwen3-30B TP 2 PP 2 EP 4, eager", "fitted": "no", "published": 623, "simulated": eager,
           "unit": "ms", "bound_pct": 20}
    yield {"row": "eager over graphs", "fitted": "no", "published": 623 / 484, "simulated": eager / graphs,
           "unit": "1", "bound_pct": 8}


def target_h6(run, short):
    """Qwen3-30B on eight B200, MXFP8, micro-batch 1."""
    if short:
        return
    plan = {"server": "servers/dgx_b200", "gpus": 8, "ep": 8, "dtype": "fp8"}
    tokens = QWEN_MICRO_BATCHES * 4096
    yield {"row": "NCCL, graphs of router and preprocessing", "fitted": "yes", "published": tokens / 9691,
           "unit": "s", "bound_pct": 15, "simulated": long_step(run, 8, graphs="moe_router moe_preprocess", **plan)}
    yield {"row": "drop and pad", "fitted": "no", "published": tokens / 18066, "unit": "s", "bound_pct": 15,
           "simulated": long_step(run, 8, pad="on", capacity="1", counts="off", **plan)}


def target_h7(run, short):
    """How far the CPU is ahead in DeepSeek-V3's pairs of passes under DualPipe: start of a kernel after its
    launch, median of the middle of a step, where a stage in the middle has nothing but such pairs
    (deepseek-ai/profile-data 4496024, train.json). Kernels of a step and launches of a layer are counted by
    tests/unit/workloads/generate/training/stage_launches_test.cpp."""
    if short:
        return
    lead = run("training/deepseek_v3.xml", host="launches", record="on", recorded=64, gpus=256, pp=4, layers=16,
               stages="4x4", micro_batches=16)["lead_ps"]
    yield {"row": "lead of the CPU, DeepSeek-V3 on H800, DualPipe", "fitted": "no", "published": 15.486,
           "unit": "ms", "simulated": lead * 1e-9, "bound_pct": 30}


def target_h8(run, short):
    """A garbage collection each tenth step (here each second): what it adds to that step."""
    if short:
        return
    plan = {"layers": 4, "host_cpu": "hosts/grace", "iterations": 2}
    without, with_one = (run(SCENARIO, collect=every, **plan)["step_time_ps"] * 1e-12 for every in (0, 1))
    yield {"row": "added to a step (figure of the catalogue)", "fitted": "yes", "published": 9.115 - 8.6875,
           "unit": "s", "simulated": with_one - without, "bound_pct": 2}


TARGETS = {"H1": target_h1, "H2": target_h2, "H3": target_h3, "H6": target_h6, "H7": target_h7, "H8": target_h8}
