"""Targets O1 ... O5, T8: the MixNet study (SIGCOMM 2025).

Compute times of the authors are not published, so ratios are compared. Assumed: A100 kernels, NVSwitch of 370
GB/s, eight micro-batches of 8 sequences, the published gate in every layer, one pipeline stage on 16 servers
(stages are alike: the ratio of fabrics is that of one stage, but the PP messages are left out).
"""
import itertools

from harness import ROOT, table

STUDY = "sweeps/mixnet_study.xml"
STAGE = {"servers": 16, "pp": 1}
MODELS = {"Mixtral 8*22B": {"model": "models/mixtral_8x22b", "tp": 8, "layers": 7},
          "Mixtral 8*7B": {"model": "models/mixtral_8x7b", "tp": 4, "layers": 8}}
# Rings of tensor parallelism as one train a step (docs/grain.md): 15 to 18 % fewer events. Two micro-batches
# of Mixtral 8x22B at 400 Gb/s: 1.599 s for 1.612 s on the fat tree, 1.751 s for 1.761 s on MixNet, ratio
# 1.095 for 1.093.
FOLDED = {"fold": "on", "nvlink_grain": 4096, "nvlink_buffer": "64 MiB"}
# Fabrics whose published steps differ by less are in no order.
SAME = 0.02
FABRICS = {"mixnet": "mixnet", "rail_optimized": "rail_optimised", "topoopt": "topoopt"}


def plan(model, fabric, rate, short=False, **more):
    settings = {"fabric": fabric, "rate": rate, **MODELS[model], **STAGE, **FOLDED, **more}
    if fabric == "mixnet" and "7B" in model:
        settings["region"] = 4
    if short:  # in the default suite: that it runs, and about where it lands
        settings.update(layers=2, batches=2)
    return settings


def step(run, model, fabric, rate, short=False, **more):
    return run(STUDY, **plan(model, fabric, rate, short, **more))["step_time_ps"]


def published(model, rate):
    return next(r for r in table("mixnet_normalized.csv") if r["model"] == model and int(float(r["Gbps"]))
                == rate)


def target_o1(run, short):
    """Iteration time over that of the fat tree.

    What a step costs once, whatever its micro-batches, weighs more in the short form: the first change of
    circuits (25 ms) and gradients over two NICs of eight. Mixtral 8x22B at 400 Gb/s, 2 layers: 1.146 with 2
    micro-batches, 1.090 with 4, 1.061 with 8 (published 1.030).
    """
    models, rates = (list(MODELS)[:1], (400,)) if short else (MODELS, (100, 200, 400, 800))
    fabrics = {name: fabric for name, fabric in FABRICS.items() if not (short and fabric == "rail_optimised")}
    run.ahead(STUDY, [plan(m, f, r, short) for m in models for r in rates
                      for f in ("fat_tree", *fabrics.values())])
    told, kept = 0, 0
    for model in models:
        for rate in rates:
            row, base = published(model, rate), step(run, model, "fat_tree", rate, short)
            ratios = [(1.0, 1.0)]  # published, simulated
            for name, fabric in fabrics.items():
                ratios.append((float(row[name]) / float(row["fattree"]),
                               step(run, model, fabric, rate, short) / base))
                yield {"row": f"{model} {rate}G {fabric} / fat tree", "published": ratios[-1][0],
                       "simulated": ratios[-1][1], "unit": "1", "bound_pct": 10}
            for (published_a, simulated_a), (published_b, simulated_b) in itertools.combinations(ratios, 2):
                if abs(published_a / published_b - 1) > SAME:
                    told += 1
                    kept += (published_a < published_b) == (simulated_a < simulated_b)
    yield {"row": "pairs of fabrics in the published order", "published": told, "simulated": kept,
           "unit": "1", "bound_pct": 0}


def cost(run, fabric, rate):
    """Dollars of the network of 128 servers, from the built model."""
    printed = run.execute([run.lightrail, "describe", str(ROOT / "scenarios" / STUDY), "--bom", "--set",
                           f"fabric={fabric}", "--set", f"rate={rate}"])
    return float(next(line for line in printed.splitlines() if line.startswith("sum")).split()[1])


def target_o2(run, short):
    """Cost of the network of 1,024 GPUs; performance per dollar against the fat tree (middle of the published
    range)."""
    for fabric, costs in (("fat_tree", (3.07, 5.65, 13.49, 21.47)), ("mixnet", (1.85, 2.92, 5.53, 8.66))):
        for rate, published_cost in zip((100, 200, 400, 800), costs):
            yield {"row": f"cost {fabric} {rate}G", "published": published_cost,
                   "simulated": cost(run, fabric, rate) * 1e-6, "unit": "M$", "bound_pct": 1}
    for rate, low, high in ((100, 1.2, 1.5), (200, 1.4, 1.8), (400, 1.9, 2.3), (800, 2.0, 2.4)):
        if short and rate not in (100, 400):
            continue
        gains = [cost(run, "fat_tree", rate) * step(run, m, "fat_tree", rate, short)
                 / cost(run, "mixnet", rate) / step(run, m, "mixnet", rate, short)
                 for m in list(MODELS)[:1 if short else None]]
        middle = (low + high) / 2
        yield {"row": f"performance per dollar {rate}G, least", "published": middle, "simulated": min(gains),
               "unit": "1", "bound_pct": 100 * ((high - low) / 2 + 0.15) / middle}


# Pairs of servers with two circuits, and with none; every other pair has one (unit test of the authors'
# code).
TWICE, NEVER = {(2, 6)}, {(0, 5), (1, 2), (2, 3), (4, 6), (6, 7)}


def target_o3(run, short):
    """Circuits that the controller of a region of 8 servers gives the published matrix, six ports each: what
    the optical switch has at the end of a step."""
    result = run(STUDY, fabric="mixnet", rate=400, policy="once", micro=1, batches=1, layers=1, **STAGE)
    region = min(switch for switch, _, _ in result["circuits"])
    counts = {(a, b): 0 for a in range(8) for b in range(a + 1, 8)}
    for switch, port_in, port_out in result["circuits"]:
        if switch == region and port_in < port_out:
            counts[port_in // 6, port_out // 6] += 1
    wanted = {pair: 2 if pair in TWICE else 0 if pair in NEVER else 1 for pair in counts}
    yield {"row": "circuits", "published": 24, "simulated": sum(counts.values()), "unit": "1", "bound_pct": 0}
    yield {"row": "pairs of servers with the published number", "published": len(counts),
           "simulated": sum(counts[pair] == wanted[pair] for pair in counts), "unit": "1", "bound_pct": 0}


def target_o4(run, short):
    """Reconfiguration delay: flat below 25 ms, worse above 1 s."""
    model = "Mixtral 8*22B"
    long = (1_000_000,) if short else (1_000_000, 10_000_000)
    run.ahead(STUDY, [plan(model, "mixnet", 400, short, delay=us) for us in (1, 1000, 25_000, *long)])
    base = step(run, model, "mixnet", 400, short, delay=1)
    for delay_us, text in ((1000, "1 ms"), (25_000, "25 ms")):
        yield {"row": f"step with {text} / with 1 us", "published": 1.0,
               "simulated": step(run, model, "mixnet", 400, short, delay=delay_us) / base, "unit": "1",
               "bound_pct": 10}
    slower = [step(run, model, "mixnet", 400, short, delay=us) > 1.1 * base for us in long]
    yield {"row": "delays of 1 s and more that make it worse", "published": len(long),
           "simulated": sum(slower), "unit": "1", "bound_pct": 0}


# Ranks on GPUs of 16 servers; GPUs 128 ... 135 are a spare server's, which no circuit of the region reaches.
WITHOUT_GPU, WITHOUT_SERVER = "0-36,128,38-127", "0-31,128-135,40-127"


def target_o5(run, short):
    """What a step takes longer with something out of order, in points; all but the NIC Mixtral 8x22B, 400
    Gb/s.

    NIC: DeepSeek-R1 on one region of 64 GPUs (EP 64), even experts, one optical NIC less. GPU: one of a spare
    server takes its place, so its tensor-parallel group leaves the NVSwitch for packet NICs. Server: a spare
    takes its place; no circuit reaches it.
    """
    few = {"micro": 1} if short else {}
    size = {"layers": 1 if short else 4, "batches": 1 if short else 4}
    deepseek = {"fabric": "mixnet", "model": "models/deepseek_r1", "servers": 8, "pp": 1, "tp": 1, "ep": 64,
                "skew": 0, "micro": 1, "cores": 1, **size}
    mixtral = {"fabric": "mixnet", "model": "models/mixtral_8x22b", "tp": 8, **STAGE,
               "layers": 1 if short else 7, "batches": 1 if short else 4, **few}
    for name, published, base, change in (
            ("NIC (DeepSeek-R1)", 3.3, deepseek, {"failed": "4:0"}),
            ("GPU", 5.1, mixtral, {"spares": 1, "gpus": WITHOUT_GPU}),
            ("server", 6.5, mixtral, {"spares": 1, "gpus": WITHOUT_SERVER})):
        longer = 100 * (run(STUDY, **base, **change)["step_time_ps"] / run(STUDY, **base)["step_time_ps"] - 1)
        yield {"row": f"step without a {name}", "published": 100 + published, "simulated": 100 + longer,
               "unit": "%", "bound_pct": 100 * 3 / (100 + published)}


def target_t8(run, short):
    """Shares of traffic, Mixtral 8x7B with EP 8, TP 4, PP 4 on 128 H800, in points.

    Whole experts (expert-tensor parallelism 1) in groups of the same tensor-parallel rank of eight replicas,
    as DeepSpeed has them unless told otherwise: the source's region of EP x TP GPUs says that a group spans
    four servers, and with Megatron Core's neighbours it would be one server. Kernels of H100, NVLink of H800;
    experts work on what the gate sends them. GPU 16 is of a member with the mean load: it waits for the
    hottest one in the all-to-alls.
    """
    size = {"layers": 8 if short else 32, "batches": 8, "micro": 8}
    done = run(STUDY, fabric="rail_optimised", model="models/mixtral_8x7b", servers=16, tp=4, pp=4,
               gpu="gpus/h100_sxm", nvlink="links/nvlink4_h800", uneven="on", recorded=16, etp=1,
               groups="replicas", **size)
    bytes_of = done["bytes_by_dimension"]
    whole = sum(bytes_of.values())
    for name, dimensions, share in (("tp", ("tp",), 60), ("ep", ("ep",), 30),
                                    ("pp + dp, at most", ("pp", "dp"), 6)):
        yield {"row": f"{name} share of bytes", "published": share,
               "simulated": 100 * sum(bytes_of[d] for d in dimensions) / whole, "unit": "%",
               "bound_pct": 100 * 5 / share, "is_ceiling": name.startswith("pp")}
    share = 100 * done["operations_ps"]["ep all-to-all"] / done["step_time_ps"]
    yield {"row": "all-to-all's share of an iteration", "published": 44, "simulated": share, "unit": "%",
           "bound_pct": 100 * 11 / 44}


TARGETS = {"O1": target_o1, "O2": target_o2, "O3": target_o3, "O4": target_o4, "O5": target_o5,
           "T8": target_t8}
