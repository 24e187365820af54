"""A cluster of one node for the life of a test: munged, slurmctld and slurmd in a folder, on loopback.

As a site has them that changed nothing: MpiDefault=none. Needs Debian's slurmctld, slurmd, slurm-client and
munge, and root, as whom slurmd starts jobs.
"""
import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import time

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol", "squeue", "scancel"]
CPUS = 4  # whatever the machine has
CONFIGURATION = """
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPort={controller_port}
SlurmdPort={node_port}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,bf_interval=1
ReturnToService=2
MinJobAge=300
KillWait=30
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def hindrance():
    """Why there can be no cluster here, or ""."""
    missing = [name for name in PROGRAMS if not find(name)]
    if missing:
        return "not installed: " + ", ".join(missing)
    return "" if os.geteuid() == 0 else "slurmd starts jobs as root only"


def find(name):
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.environment = {**os.environ, "SLURM_CONF": f"{folder}/slurm.conf"}

    def say(self, *words, environment=None):
        """A command's output; AssertionError where it fails."""
        done = subprocess.run(words, cwd=self.folder, env={**self.environment, **(environment or {})},
                              text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
        assert done.returncode == 0, f"{' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def submit(self, *words, environment=None):
        return self.say("sbatch", "--parsable", *words, environment=environment).strip()

    def state(self, job):
        return field(self.say("scontrol", "show", "job", job), "JobState")

    def wait(self, job, states, limit_s=300):
        """The first of `states` that the job is in, and how often it was put back into the queue."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            text = self.say("scontrol", "show", "job", job)
            if field(text, "JobState") in states:
                return text
            time.sleep(0.2)
        raise AssertionError(f"job {job} is not {states} after {limit_s} s:\n{text}\n{self.logs()}")

    def logs(self):
        return "".join(f"--- {name}\n{(self.folder / name).read_text()[-2000:]}"
                       for name in ["slurmctld.log", "slurmd.log"] if (self.folder / name).exists())


def field(text, name):
    return text.split(f"{name}=", 1)[1].split()[0]


@contextlib.contextmanager
def cluster(folder):
    folder = pathlib.Path(folder)
    for name in ["state", "spool"]:
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    (folder / "slurm.conf").write_text(CONFIGURATION.format(
        host=socket.gethostname(), folder=folder, controller_port=free_port(), node_port=free_port(),
        cpus=CPUS))
    here = Cluster(folder)
    jobs = []

    def start(*words):
        with open(folder / f"{pathlib.Path(words[0]).name}.out", "w") as out:
            jobs.append(subprocess.Popen(words, env=here.environment, cwd=folder, stdin=subprocess.DEVNULL,
                                         stdout=out, stderr=subprocess.STDOUT))

    try:
        start(find("munged"), "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket",
              f"--pid-file={folder}/munge.pid", f"--log-file={folder}/munge.log",
              f"--seed-file={folder}/munge.seed")
        end = time.monotonic() + 60
        while not (folder / "munge.socket").exists():
            assert time.monotonic() < end, "munged does not start: " + (folder / "munged.out").read_text()
            time.sleep(0.1)
        start(find("slurmctld"), "-D")
        start(find("slurmd"), "-D", "-N", socket.gethostname())
        while True:
            done = subprocess.run(["sinfo", "-h", "-o", "%T"], env=here.environment, capture_output=True,
                                  text=True)
            if done.stdout.strip() in ("idle", "mixed"):
                break
            assert time.monotonic() < end, f"no node: {done.stdout}{done.stderr}\n{here.logs()}"
            time.sleep(0.2)
        yield here
    finally:
        for job in reversed(jobs):
            job.terminate()
        for job in jobs:
            try:
                job.wait(30)
            except subprocess.TimeoutExpired:
                job.kill()
                job.wait()
