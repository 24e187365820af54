#!/usr/bin/python3
"""Serving against what must hold: queues in their limits, every request once with its tokens, room never
exceeded.

usage: test_inference.py LIGHTRAIL CONFIGS
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

LIGHTRAIL, CONFIGS = sys.argv[1:3]
LATENCY_PS = 10_000_000
SMALL = '<model layers="2" hidden="1024" heads="8" kv-heads="8" ffn="4096" vocabulary="32000"/>'
# layers x heads x 128 x (K and V) x 2 B
KV_TOKEN = 2 * 8 * 128 * 2 * 2

SCENARIO = """<scenario name="test">
  <cluster servers="{servers}"><server catalogue="servers/dgx_h100"/></cluster>
  {fabric}
  <nccl catalogue="nccl/nccl_2_21"/>
  <network mtu="4 KiB" grain="16" nvlink-grain="256"/>
  <scheduler latency="10 us"/>
  <workload kind="inference" {plan}>{model}{pools}<requests {requests}/></workload>
  <output interval="100 s"><table name="ops" gpus="all"/><table name="messages" record="off"/>
    <table name="collectives" record="off"/><table name="link_use" record="off"/></output>
</scenario>"""
FABRIC = """<fabric kind="rail-optimised" tiers="2"><switch catalogue="switches/qm9700"/>
  <link role="host" catalogue="links/ndr_copper"/><link role="trunk" catalogue="links/ndr_copper"/></fabric>"""


def run(folder, plan, requests, pools="", model=SMALL, servers=1):
    """(requests, batches, ops as dictionaries of arrays, summary)"""
    path = folder / "test.xml"
    path.write_text(SCENARIO.format(plan=plan, requests=requests, pools=pools, model=model, servers=servers,
                                    fabric=FABRIC if servers > 1 else ""))
    command = [LIGHTRAIL, "run", str(path), "--catalogue", CONFIGS, "--out", str(folder / "test.h5"),
               "--summary", str(folder / "test.json"), "--progress", "none"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    with h5py.File(folder / "test.h5") as file:
        tables = [{name: column[:] for name, column in file["tables"][table].items()}
                  for table in ("requests", "batches", "ops")]
    return *tables, json.loads((folder / "test.json").read_text())


def by_request(table):
    order = np.argsort(table["request"])
    return {name: column[order] for name, column in table.items()}


def conserved(requests, batches, count):
    """Every request ends once, in its order of events; batches have its tokens and no others."""
    assert sorted(requests["request"]) == list(range(count))
    for earlier, later in (("t_arrival_ps", "t_start_ps"), ("t_start_ps", "t_first_token_ps"),
                           ("t_first_token_ps", "t_end_ps")):
        assert (requests[earlier] <= requests[later]).all(), (earlier, later)
    assert batches["prefill_tokens"].sum() == requests["prompt_tokens"].sum()
    assert batches["decode_sequences"].sum() == (requests["output_tokens"] - 1).sum()


def alone_a_request_takes_the_time_of_its_kernels(folder):
    # On one GPU nothing is sent: first token = way to the GPU, kernels of the prompt, way back.
    requests, batches, ops, summary = run(folder, 'tp="1"',
                                          'count="5" arrivals="even" rate="10" prompt="700" output="1"')
    conserved(requests, batches, 5)
    ttft = requests["t_first_token_ps"] - requests["t_arrival_ps"]
    assert len(set(ttft)) == 1
    first = (ops["gpu"] == 0) & (ops["iteration"] == 0)
    kernels = (ops["t_end_ps"] - ops["t_start_ps"])[first].sum()
    assert kernels > 0
    assert ttft[0] == kernels + 2 * LATENCY_PS, (ttft[0], kernels)
    assert summary["serving"]["ttft"]["p50_ps"] == summary["serving"]["ttft"]["p99_ps"] == ttft[0]


def one_server_waits_as_pollaczek_and_khinchine_say(folder):
    # One request at a time, each for the same time S, Poisson arrivals: the mean wait is rho S / (2 (1 -
    # rho)).
    plan = 'tp="1" replicas="1" sequences="1" chunked-prefill="off"'
    requests, *_ = run(folder, plan, 'count="3" arrivals="even" rate="10" prompt="256" output="1"')
    service_s = (requests["t_end_ps"] - requests["t_arrival_ps"])[0] * 1e-12
    for rho, tolerance in ((0.3, 0.1), (0.7, 0.15)):
        requests, batches, *_ = run(folder, plan,
                                    f'count="4000" rate="{rho / service_s}" prompt="256" output="1"')
        conserved(requests, batches, 4000)
        wait = (requests["t_start_ps"] - requests["t_arrival_ps"]).mean() * 1e-12
        expected = rho * service_s / (2 * (1 - rho))
        assert abs(wait / expected - 1) < tolerance, (rho, wait, expected)


def room_for_keys_and_values_is_never_exceeded(folder):
    requests, batches, *_ = run(folder, 'tp="2" replicas="2" kv-tokens="1024" batch-tokens="256"',
                                'count="60" rate="5000" prompt="200" output="20" lengths="lognormal" longest="600"')
    conserved(requests, batches, 60)
    assert batches["kv_tokens"].max() <= 1024
    assert batches["kv_tokens"].max() > 1024 / 2
    assert batches["waiting"].max() > 0
    assert batches["prefill_tokens"].max() <= 256
    for replica in (0, 1):  # first come, first served
        mine = by_request(requests)
        starts = mine["t_start_ps"][mine["replica"] == replica]
        assert (np.diff(starts) >= 0).all()


def a_full_batch_gives_more_tokens_a_second(folder):
    rates = []
    for count in (1, 16):
        *_, summary = run(folder, 'tp="1" replicas="1"',
                          f'count="{count}" arrivals="burst" prompt="128" output="64"')
        rates.append(summary["serving"]["output_tokens_per_s"])
    assert rates[1] > 8 * rates[0], rates


def chunks_keep_tokens_coming_while_a_long_prompt_is_read(folder):
    # Whole and first, a prompt of 16,384 tokens stands between two tokens of the others.
    longest = {}
    trace = folder / "requests.csv"
    trace.write_text("arrival_s,prompt_tokens,output_tokens\n0,64,200\n0.005,16384,2\n")
    for chunked in ("on", "off"):
        budget = 512 if chunked == "on" else 16384
        requests, batches, *_ = run(folder, f'tp="1" replicas="1" batch-tokens="{budget}" chunked-prefill="{chunked}"',
                                    'trace="requests.csv"')
        conserved(requests, batches, 2)
        longest[chunked] = (batches["t_end_ps"] - batches["t_start_ps"]).max()
    assert longest["on"] < longest["off"] / 4, longest


def keys_and_values_move_once_whatever_the_split(folder):
    for prefill, decode in (('tp="2"', 'tp="4"'), ('tp="4" pp="2"', 'tp="2"'), ('tp="1"', 'tp="8"'),
                            ('tp="8"', 'tp="1" pp="2"')):
        requests, batches, ops, summary = run(folder, "", 'count="12" rate="2000" prompt="300" output="5" lengths="uniform"',
                                              f'<pool role="prefill" {prefill} replicas="1"/><pool role="decode" {decode} replicas="1"/>',
                                              servers=2)
        conserved(requests, batches, 12)
        assert (requests["kv_bytes"] == requests["prompt_tokens"] * KV_TOKEN).all()
        assert summary["bytes_by_dimension"]["kv"] == requests["kv_bytes"].sum() == summary["serving"]["kv_bytes"]
        assert set(requests["replica"]) == {0} and set(requests["decode_replica"]) == {1}
        # Decoding never sees a prompt.
        assert batches["prefill_tokens"][batches["replica"] == 1].sum() == 0


def stages_and_experts_serve_every_request(folder):
    experts = '<model layers="4" hidden="512" heads="8" kv-heads="2" ffn="512" vocabulary="32000" experts="16" active-experts="2"/>'
    latent = ('<model layers="4" hidden="512" heads="8" head-dim="64" rope-dim="32" value-dim="64" q-latent="128" latent="160" ffn="256" '
              'vocabulary="32000" experts="16" active-experts="2" shared-experts="1" dense-layers="1" dense-ffn="1024" gated="on"/>')
    plans = ('tp="2" pp="4"', 'tp="4" ep="4"', 'tp="1" dp="8" ep="8"', 'tp="2" dp="2" ep="4" pp="2"',
             'tp="8"')
    for model, plan in [(m, p) for m in (experts, latent) for p in plans]:
        requests, batches, ops, summary = run(folder, plan + ' batch-tokens="256"',
                                              'count="20" rate="3000" prompt="150" output="6" lengths="lognormal"', model=model)
        conserved(requests, batches, 20)
        assert summary["bytes_by_dimension"]["pp"] == 0 if "pp" not in plan else summary["bytes_by_dimension"]["pp"] > 0
        assert summary["bytes_by_dimension"]["ep"] == 0 if "ep" not in plan else summary["bytes_by_dimension"]["ep"] > 0


def main():
    with tempfile.TemporaryDirectory() as name:
        for test in (alone_a_request_takes_the_time_of_its_kernels,
                     one_server_waits_as_pollaczek_and_khinchine_say,
                     room_for_keys_and_values_is_never_exceeded, a_full_batch_gives_more_tokens_a_second,
                     chunks_keep_tokens_coming_while_a_long_prompt_is_read,
                     keys_and_values_move_once_whatever_the_split, stages_and_experts_serve_every_request):
            test(pathlib.Path(name))
            print(test.__name__.replace("_", " "))


main()
