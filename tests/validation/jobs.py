"""Target G5: jobs side by side on one network."""

CRUX = "jobs/crux.xml"


def target_g5(run, short):
    """Crux (SIGCOMM 2024): a step of GPT on 64 GPUs, 1.53 s alone and 1.70 s beside BERT on 16 under the same
    two ToR switches; the row is the ratio. Batches, plans, BERT's shape, uplinks and routes are guessed, and
    GPT's batch is chosen so that its step alone takes about 1.53 s."""
    few = {"iterations": 1, "bert_iterations": 12} if short else {}
    seeds = (1,) if short else (1, 2, 3)
    run.ahead(CRUX, [{**few, "bert": bert, "seed": seed} for bert in ("off", "on") for seed in seeds])
    alone, beside = (sum(run(CRUX, **few, bert=bert, seed=seed)["jobs"]["gpt"]["mean_step_time_ps"]
                         for seed in seeds) / len(seeds) for bert in ("off", "on"))
    yield {"row": "GPT on 64 A100, beside BERT on 16 over alone", "published": 1.70 / 1.53, "unit": "1",
           "simulated": beside / alone, "bound_pct": 4}


TARGETS = {"G5": target_g5}
