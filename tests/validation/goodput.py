"""Targets F3, F4, G1, G2, G3, G4, G4b: failures of large jobs and what they leave of their time.

Rates of configs/faults are the published ones, so rows about them hold that drawing and counting give them
back ("fitted"). Nothing else is fitted: what a restart takes is not published as a whole, and the defaults of
<restart> are what is published of its stages, with guesses for detection, replacement and warm-up.

Of what saving itself takes only G3's blocking is here, the copy to the host. Not here: times of whole saves
and loads (G3, ByteCheckpoint; G4, distributed checkpoints of 7B). The rates of storage are not published with
them, so every such time would be fitted to itself; they are parameters of <checkpoint>.
"""
import json
import math
import pathlib
import tempfile

from harness import ROOT

DAY_PS = 86_400 * 10**12
LLAMA3 = {"faulty GPU": 148, "GPU HBM3 memory": 72, "software bug": 54, "network switch or cable": 35,
          "host maintenance": 32, "GPU SRAM memory": 19, "GPU system processor": 17, "NIC": 7,
          "NCCL watchdog time-out": 7, "silent data corruption": 6, "GPU thermal interface or sensor": 6,
          "SSD": 3, "power supply": 3, "server chassis": 2, "IO expansion board": 2, "dependency": 2, "CPU": 2,
          "system memory": 2}


def play(run, scenario="weeks", **settings):
    """The member goodput of the summary."""
    with tempfile.TemporaryDirectory() as folder:
        summary = pathlib.Path(folder) / "summary.json"
        command = [run.lightrail, "goodput", str(ROOT / "scenarios" / "goodput" / f"{scenario}.xml"), "--progress",
                   "none", "--out", str(pathlib.Path(folder) / "run.h5"), "--summary", str(summary)]
        for name, value in settings.items():
            command += ["--set", f"{name}={value}"]
        run.execute(command)
        return json.loads(summary.read_text())["goodput"]


def days_between(weeks):
    return weeks["period_ps"] / DAY_PS / weeks["failures"]["mean"]


def target_f3(run, short):
    """Failures of RSC-1 and RSC-2 in 1,000 days of a server; time between those of a job."""
    for rates, published in (("rsc_1", 6.50), ("rsc_2", 2.34)):
        weeks = play(run, rates=f"faults/{rates}")
        yield {"row": f"{rates}: failures in 1,000 node-days", "fitted": "yes", "published": published, "unit": "1",
               "simulated": 1000 / days_between(weeks) / (weeks["gpus"] / 8), "bound_pct": 3}
    yield {"row": "RSC-1, 16,384 GPUs: time between failures", "fitted": "no", "published": 1.8, "unit": "h",
           "simulated": 24 * days_between(play(run, rates="faults/rsc_1")), "bound_pct": 3}
    small = play(run, rates="faults/rsc_1", gpus=8, period="100 d", runs=100_000, spares=1)
    yield {"row": "RSC-1, 8 GPUs: time between failures", "fitted": "no", "published": 47.7, "unit": "d",
           "simulated": days_between(small), "bound_pct": 3}


def target_f4(run, short):
    """What interrupted Llama 3 405B in 54 days on 16,384 H100; 95 % of runs lie within 1.96 sqrt(n) of n."""
    weeks = play(run)
    yield {"row": "all interruptions", "fitted": "yes", "published": 419, "simulated": weeks["failures"]["mean"],
           "unit": "1", "bound_pct": 196 / math.sqrt(419)}
    for name, count in LLAMA3.items():
        yield {"row": name, "fitted": "yes", "published": count, "simulated": weeks["categories"][name], "unit": "1",
               "bound_pct": 196 / math.sqrt(count)}
    yield {"row": "time that is not effective (published: less)", "fitted": "no", "published": 10, "unit": "%",
           "simulated": 100 * (1 - weeks["effective"]), "bound_pct": 0, "is_ceiling": True}


def target_g1(run, short):
    """12,000 GPUs with the rate of RSC-1, a checkpoint each 5 min that blocks nothing. The restart behind the
    published figure is not known (5 to 20 min are named): the defaults, and as RSC finds failures, by health
    checks each 5 min, in the mean after half of that."""
    plan = {"rates": "faults/rsc_1", "gpus": 12_000, "every": "5 min", "blocking": "0 s", "write": "0 s",
            "step": "10 s"}
    for how, detection in (("default restart", "20 s"), ("found by a check each 5 min", "150 s")):
        weeks = play(run, detection=detection, **plan)
        yield {"row": f"{how}, {weeks['restart_s'] / 60:.1f} min", "fitted": "no", "published": 0.93, "unit": "1",
               "simulated": weeks["effective"], "bound_pct": 100 * 0.01 / 0.93}


def target_g2(run, short):
    """TorchFT, 30 groups of 10 L40S, a kill each 60 s, steps of about 11 s."""
    yield {"row": "steps that count", "fitted": "no", "published": 82.3, "unit": "%",
           "simulated": 100 * play(run, "torchft")["committed_share"], "bound_pct": 100 * 3 / 82.3}


def target_g3(run, short):
    """ByteCheckpoint (arXiv 2407.20143): how long an asynchronous save stops training, a step that saves less
    one that does not. Nothing but the copy of each GPU's part to its host is simulated. Guessed: 14 B a
    parameter, FSDP over all 128 GPUs and a GPT of 4.0 B in place of the vDiT; of 405B H800 and equal parts of
    all GPUs, of which 304 with three of 126 layers have as many bytes each as 8,960 with all."""
    for name, job, published in (("FSDP 4B on 128 A100", "vdit_4b", 0.38),
                                 ("405B on 8,960 GPUs (simulated: 304 H800)", "llama_405b", 0.59)):
        if short and job == "vdit_4b":
            continue
        steps = run("training/bytecheckpoint.xml", job=job)["iterations"]
        without, saving = (step["step_time_ps"] for step in steps)
        yield {"row": f"{name}, training stopped", "fitted": "no", "published": published, "unit": "s",
               "simulated": (saving - without) * 1e-12, "bound_pct": 20}


def target_g4(run, short):
    """A checkpoint of MT-NLG 530B over 20 Gb/s to storage, and what a failure wastes in the mean where one
    follows the other: the write that had not ended, half an interval, the read (Gemini, 42 + 21 + 42 min)."""
    weeks = play(run, "gemini")
    shares = weeks["shares"]
    wasted_ps = (shares["lost"]["mean"] + shares["load"]["mean"]) * weeks["period_ps"] / weeks["failures"]["mean"]
    for what, published, simulated in (("to write", 42, weeks["write_ps"]), ("wasted by a failure", 105, wasted_ps)):
        yield {"row": f"MT-NLG 530B over 20 Gb/s: {what}", "fitted": "no", "published": published, "unit": "min",
               "simulated": simulated / 60e12, "bound_pct": 20}


def target_g4b(run, short):
    """Checkpoints in peers' memory as Gemini has them: what copies leave, and what they take of a step."""
    yield from copies_that_survive(run)
    yield from overhead_of_peers(run)


def copies_that_survive(run):
    """Gemini's corollary for 16 servers in pairs: 1 - 8 / C(16, 2), and 1 - 8 x 14 / C(16, 3)."""
    for at_once, published in ((2, 1 - 8 / 120), (3, 1 - 8 * 14 / 560)):
        weeks = play(run, "gemini_copies", at_once=at_once)
        yield {"row": f"16 servers in pairs: memory keeps all when {at_once} fail", "fitted": "no", "unit": "1",
               "published": published, "simulated": 1 - weeks["lost_groups"] / weeks["failures"]["mean"],
               "bound_pct": 20}


def overhead_of_peers(run):
    """Each step's state to the memory of a pair of servers, a step with it over one without. Gemini has it of
    models of 100 B on 16 p4d, whose plans are not in our copy; here four layers of Llama 3 8B on 16 H100."""
    steps = [run("training/peers.xml", every=every)["step_time_ps"] for every in (1, 1000)]
    yield {"row": "a step that saves to peers over one that does not", "fitted": "no", "published": 1.0,
           "unit": "1", "simulated": steps[0] / steps[1], "bound_pct": 20}


TARGETS = {"F3": target_f3, "F4": target_f4, "G1": target_g1, "G2": target_g2, "G3": target_g3,
           "G4": target_g4, "G4b": target_g4b}
