#!/usr/bin/python3
"""Users of serving against what must hold: prompts and tokens take the time of their way, a slow front end
holds requests up, and every byte is of the dimension `users`.

A way is cut through: its latencies, and the bytes once at the rate of the slowest line. From a gateway to a
GPU and back it is PCIe, NIC, cable, switch, cable, NIC, PCIe, host, PCIe, behind one control link:

    latency + delay + 3 x 200 + 100 + 130 + 100 + 150 ns + 2 cables + bytes / rate

usage: test_users.py LIGHTRAIL CONFIGS
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
CABLE_PS = 9_530  # 2 m at 0.7 of the speed of light, in whole picoseconds
WAY_PS = (3 * 200 + 100 + 130 + 100 + 150) * 1000 + 2 * CABLE_PS
BYTE_PS = 8_000  # 1 Gb/s

SCENARIO = """<scenario name="test">
  <cluster servers="{servers}"><server gpus="{gpus}" nics="{nics}" frontend-nics="1">
    <gpu catalogue="gpus/h100_sxm"/><nvswitch catalogue="nvswitches/nvswitch_gen3"/><nic catalogue="nics/connectx7_400g"/>
    <host catalogue="hosts/dgx_h100" latency="150 ns"/>
    <nic role="frontend" catalogue="nics/connectx7_400g" send-latency="100 ns" receive-latency="100 ns"/>
    <link role="nvlink" catalogue="links/nvlink4"/><link role="pcie" catalogue="links/pcie_gen5_x16" latency="200 ns"/>
  </server></cluster>
  {users}
  <fabric kind="single-switch"><switch catalogue="switches/qm9700"/><link role="host" catalogue="links/ndr_copper"/></fabric>
  <fabric for="frontend" kind="single-switch"><switch catalogue="switches/qm9700" latency="130 ns"/>
    <link role="host" kind="electrical" rate="1 Gb/s" length="2 m" velocity="0.7"/></fabric>
  <nccl catalogue="nccl/nccl_2_21"/>
  <network mtu="4 KiB" grain="16" nvlink-grain="256"/>
  <scheduler latency="10 us"/>
  <workload kind="inference" {plan}><model layers="2" hidden="1024" heads="8" kv-heads="8" ffn="4096" vocabulary="32000"/>
    {pools}<requests {requests}/></workload>
  <output interval="100 s"><table name="traffic_matrix" gpus="all"/></output>
</scenario>"""
USERS = """<users servers="{gateways}" nics="{nics}"><gateway delay="{delay}"/>
    <nic catalogue="nics/connectx7_400g" send-latency="100 ns" receive-latency="100 ns"/>
    <link role="pcie" catalogue="links/pcie_gen5_x16" latency="200 ns"/></users>"""


def run(folder, requests, plan='tp="1" replicas="1"', pools="", gateways=1, delay="0 s", gateway_nics=1,
        servers=1, gpus=4):
    """(requests in their order, rows of traffic_matrix, summary)"""
    path = folder / "test.xml"
    users = USERS.format(gateways=gateways, nics=gateway_nics, delay=delay) if gateways else ""
    path.write_text(SCENARIO.format(servers=servers, gpus=gpus, nics=gpus if servers > 1 else 1, users=users,
                                    plan=plan, pools=pools, requests=requests))
    command = [LIGHTRAIL, "run", str(path), "--catalogue", CONFIGS, "--out", str(folder / "test.h5"),
               "--summary", str(folder / "test.json"), "--progress", "none"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    with h5py.File(folder / "test.h5") as file:
        table, matrix = ({name: column[:] for name, column in file["tables"][table].items()}
                         for table in ("requests", "traffic_matrix"))
    order = np.argsort(table["request"])
    rows = set(zip(matrix["from"].tolist(), matrix["to"].tolist(), matrix["size_bytes"].tolist()))
    summary = json.loads((folder / "test.json").read_text())
    return {name: column[order] for name, column in table.items()}, rows, summary


def a_prompt_takes_the_order_the_way_and_its_bytes(folder):
    # Alone: 1 B, one packet, several trains; then the scheduler hears of it and makes the batch.
    for prompt, token, fixed, delay_us in ((1, 1, 0, 0), (700, 4, 0, 0), (5000, 4, 1_000_000, 0),
                                           (700, 4, 0, 500)):
        requests, *_ = run(folder, f'count="3" arrivals="even" rate="10" prompt="{prompt}" output="1" '
                                   f'prompt-bytes="{token} B" request-bytes="{fixed} B"', delay=f"{delay_us} us")
        size = fixed + prompt * token
        came = requests["t_prompt_ps"] - requests["t_arrival_ps"]
        assert set(came) == {LATENCY_PS + delay_us * 1_000_000 + WAY_PS + size * BYTE_PS}, (came, size)
        assert (requests["t_start_ps"] == requests["t_prompt_ps"] + LATENCY_PS).all()


def tokens_take_the_same_way_back(folder):
    for token, delay_us in ((1, 0), (4, 0), (250, 0), (250, 300)):
        requests, _, summary = run(folder, 'count="3" arrivals="even" rate="10" prompt="200" output="5" '
                                           f'token-bytes="{token} B"', delay=f"{delay_us} us")
        way = LATENCY_PS + WAY_PS + token * BYTE_PS + delay_us * 1_000_000
        assert (requests["t_first_at_user_ps"] - requests["t_first_token_ps"] == way).all()
        assert (requests["t_last_at_user_ps"] - requests["t_end_ps"] == way).all()
        seen = summary["serving"]["user_ttft"]["p50_ps"]
        assert seen == (requests["t_first_at_user_ps"] - requests["t_arrival_ps"])[0]
        assert summary["serving"]["user_tpot"] == summary["serving"]["tpot"]


def tokens_of_a_batch_go_in_one_message(folder):
    # The first prompt to come in makes a batch of its own, the other seven come in meanwhile: ten batches
    # have tokens of the first request, ten of the others.
    requests, _, summary = run(folder, 'count="8" arrivals="burst" prompt="16" output="10" token-bytes="100 B"')
    tokens = (requests["t_last_at_user_ps"] - requests["t_end_ps"] - LATENCY_PS - WAY_PS) / (100 * BYTE_PS)
    assert tokens.tolist() == [8] + 7 * [7], tokens
    assert summary["messages_by_dimension"]["users"] == 8 + 11, summary["messages_by_dimension"]


def a_slow_front_end_holds_requests_up(folder):
    # All at once, each longer on the line than the GPU works on it: one behind the other, at the line's rate.
    size = 1_000_000 + 4 * 100
    for nics in (1, 2):  # prompts for one GPU take one NIC
        requests, *_ = run(folder, 'count="6" arrivals="burst" prompt="100" output="1" request-bytes="1 MB"',
                           gateway_nics=nics)
        expected = LATENCY_PS + WAY_PS + np.arange(1, 7) * size * BYTE_PS
        assert (requests["t_prompt_ps"] == expected).all(), requests["t_prompt_ps"] - expected
        assert (requests["t_start_ps"] == expected + LATENCY_PS).all()
    # Each gateway has a line of its own, but all prompts go to one server: the same in all.
    requests, *_ = run(folder, 'count="6" arrivals="burst" prompt="100" output="1" request-bytes="1 MB"', gateways=3)
    assert requests["t_prompt_ps"].max() == expected[-1]


def every_byte_of_users_is_counted_as_theirs(folder):
    # Three gateways, a replica of two stages of two GPUs: prompts to GPU 0, tokens from GPU 2.
    requests, rows, summary = run(
        folder, 'count="20" rate="3000" prompt="50" output="7" lengths="lognormal" prompt-bytes="3 B" '
                'token-bytes="5 B" request-bytes="11 B"', plan='tp="2" pp="2"', gateways=3)
    sizes = 11 + 3 * requests["prompt_tokens"]
    answers = 5 * requests["output_tokens"]
    assert summary["bytes_by_dimension"]["users"] == sizes.sum() + answers.sum()
    assert (requests["gateway"] == requests["request"] % 3).all()
    host = 4
    expected = ({(host + 1 + g, 0, sizes[g::3].sum()) for g in range(3)} |
                {(2, host + 1 + g, answers[g::3].sum()) for g in range(3)})
    assert expected <= rows, (expected, rows)
    assert {row for row in rows if max(row[0], row[1]) >= host} == expected


def tokens_come_from_the_replica_that_made_them(folder):
    requests, rows, summary = run(folder, 'count="12" rate="2000" prompt="300" output="5" lengths="uniform"', plan="",
                                  pools='<pool role="prefill" tp="2" replicas="1"/><pool role="decode" tp="4" replicas="1" />',
                                  servers=2, gateways=1)
    door = 8 + 2
    assert {(10, 0, 4 * requests["prompt_tokens"].sum()), (0, door, 4 * 12),
            (2, door, 4 * (requests["output_tokens"].sum() - 12))} <= rows, rows
    assert (requests["kv_bytes"] > 0).all()
    for earlier, later in (("t_arrival_ps", "t_prompt_ps"), ("t_prompt_ps", "t_start_ps"),
                           ("t_first_token_ps", "t_first_at_user_ps"),
                           ("t_first_at_user_ps", "t_last_at_user_ps"), ("t_end_ps", "t_last_at_user_ps")):
        assert (requests[earlier] < requests[later]).all(), (earlier, later)


def without_users_nothing_is_said_of_them(folder):
    requests, _, summary = run(folder, 'count="3" prompt="100" output="3"', gateways=0)
    for column in ("gateway", "t_prompt_ps", "t_first_at_user_ps", "t_last_at_user_ps"):
        assert set(requests[column]) == {-1}
    assert "user_ttft" not in summary["serving"] and "users" not in summary["bytes_by_dimension"]


def main():
    with tempfile.TemporaryDirectory() as name:
        for test in (a_prompt_takes_the_order_the_way_and_its_bytes, tokens_take_the_same_way_back,
                     tokens_of_a_batch_go_in_one_message, a_slow_front_end_holds_requests_up,
                     every_byte_of_users_is_counted_as_theirs, tokens_come_from_the_replica_that_made_them,
                     without_users_nothing_is_said_of_them):
            test(pathlib.Path(name))
            print(test.__name__.replace("_", " "))


main()
