"""Targets I2 and I3: serving Llama 70B and 8B on H100 as NVIDIA publishes it. Nothing is fitted to these
tables.

I2: all requests at once, tokens a second. 70B with a fifth of the published number of requests (filling and
emptying count more). I3: few users. One user: times of one request; several: as many requests at work as
users, ten times as many in all, tokens a second (the published users send the next request when one is
answered; here all wait in the queue, so times to the first token are not compared).
"""
from harness import table

SERVED = {"Llama 3.1 8B": "llama3_8b", "Llama 3.3 70B": "llama3_70b"}


def serve(run, **settings):
    """FP8 weights and cache; memory as trtllm-bench leaves it: 0.9 of what weights leave, and what others
    take."""
    return run("inference/colocated.xml", arrivals="burst", replicas=1, dtype="fp8", kv_dtype="fp8",
               memory_share=0.92, ops="off", **settings)["serving"]


def target_i2(run, short):
    for row in table("serving_trtllm.csv"):
        is_small = row["model"] == "Llama 3.1 8B"
        if short and not (is_small and row["output"] == "128"):
            continue
        count = int(row["requests"]) // (1 if is_small else 5)
        served = serve(run, model=SERVED[row["model"]], tp=row["tp"], prompt=row["prompt"],
                       output=row["output"], count=count, sequences=2048)
        yield {"row": f"{row['model']} FP8 TP {row['tp']}, {row['prompt']} + {row['output']} tokens",
               "published": float(row["tokens_per_s"]), "simulated": served["output_tokens_per_s"],
               "unit": "/s", "bound_pct": 20}


def target_i3(run, short):
    for row in table("serving_nim.csv"):
        users, what = int(row["users"]), f"{row['prompt']} + {row['output']} tokens"
        plan = {"model": "llama3_70b", "tp": 2, "prompt": row["prompt"], "output": row["output"]}
        if users == 1:
            served = serve(run, count=1, **{**plan, "output": 50 if short else row["output"]})
            yield {"row": f"one user, {what}, first token", "published": float(row["ttft_ms"]),
                   "simulated": served["ttft"]["mean_ps"] * 1e-9, "unit": "ms", "bound_pct": 20}
            yield {"row": f"one user, {what}, between tokens", "published": float(row["itl_ms"]),
                   "simulated": served["tpot"]["mean_ps"] * 1e-9, "unit": "ms", "bound_pct": 20}
        elif not short:
            served = serve(run, count=10 * users, sequences=users, **plan)
            yield {"row": f"{users} users, {what}", "published": float(row["tokens_per_s"]),
                   "simulated": served["output_tokens_per_s"], "unit": "/s", "bound_pct": 20}


TARGETS = {"I2": target_i2, "I3": target_i3}
