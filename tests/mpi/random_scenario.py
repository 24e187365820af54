#!/usr/bin/python3
"""Prints one small cluster of an odd shape with a workload that ends.

usage: random_scenario.py SEED

Shapes: single GPUs, servers of unequal size, NICs fewer or more than GPUs, every kind of fabric and routing,
storage, hosts, explicit graphs with optical switches. Workloads: programs in which every GPU sees the shared
operations in one global order, so that none can wait for ever; some GPUs do nothing, some send to themselves.
"""
import random
import sys

from random_runs import queue_pairs

COLLECTIVES = ["all-reduce", "all-gather", "reduce-scatter", "broadcast", "all-to-all", "barrier"]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed = seed
        self.striping = ["split", "flow"][seed % 2]
        self.is_ethernet = seed % 3 == 1
        self.gpus = 0
        self.has_host = []      # by GPU
        self.storage = 0
        self.operations = []    # by GPU: lines
        self.groups = []        # (name, lists of GPUs)

    # the system

    def nic(self):
        return "connectx7_400g_roce" if self.is_ethernet else "connectx7_400g"

    def switch(self, name=""):
        """An Ethernet switch has so little memory that it pauses, and one lossless class or both."""
        if not self.is_ethernet:
            return f'<switch{name} catalogue="switches/qm9700"/>'
        return (f'<ethernet-switch{name} catalogue="ethernet-switches/asterfusion_cx864e" '
                f'buffer="{self.random.choice([3, 20])} MB" alpha="{self.random.choice([0.0625, 1])}">'
                '<ecn lane="0" kmin="1 kB" kmax="100 kB" rate="100 Gb/s" pmax="0.5"/></ethernet-switch>')

    def server(self, gpus, nics, has_host):
        striping = f' nic-striping="{self.striping}"' if nics > gpus else ""
        lines = [f'<server gpus="{gpus}" nics="{nics}"{striping}>', '  <gpu catalogue="gpus/h100_sxm"/>']
        if gpus > 1:
            lines.append('  <nvswitch catalogue="nvswitches/nvswitch_gen3"/>')
            lines.append('  <link role="nvlink" catalogue="links/nvlink4"/>')
        if nics:
            lines.append(f'  <nic catalogue="nics/{self.nic()}"/>')
        if has_host:
            lines.append('  <host catalogue="hosts/dgx_h100"/>')
        if nics or has_host:
            lines.append('  <link role="pcie" catalogue="links/pcie_gen5_x16"/>')
        return lines + ["</server>"]

    def clusters(self):
        lines = []
        rows = 1 if self.seed % 4 == 0 else self.random.randint(1, 3)
        servers = [self.random.randint(1, 3) for _ in range(rows)]
        alone = sum(servers) == 1
        for count in servers:
            gpus = self.random.choice([1, 1, 2, 3, 4])
            nics = self.random.choice([0, 1] if alone else [1, gpus, 2 * gpus, 2])
            has_host = self.random.random() < 0.5
            lines += [f'<cluster servers="{count}">', *("  " + l for l in self.server(gpus, nics, has_host)),
                      "</cluster>"]
            self.gpus += count * gpus
            self.has_host += [has_host] * (count * gpus)
        if not alone and self.random.random() < 0.5:
            self.storage = self.random.randint(1, 2)
            lines += [f'<storage servers="{self.storage}" nics="{self.random.randint(1, 2)}">',
                      '  <storage-server catalogue="storage/nvme_server"/>',
                      f'  <nic catalogue="nics/{self.nic()}"/>',
                      '  <link role="pcie" catalogue="links/pcie_gen5_x16"/>', "</storage>"]
        return lines + ([] if alone else self.fabric())

    def fabric(self):
        kind = self.random.choice(["single-switch", "rail-optimised", "fat-tree"])
        routing = self.random.choice(["static", "ecmp", "adaptive"])
        shape = ""
        if kind != "single-switch":
            per_leaf = "servers-per-pod" if kind == "rail-optimised" else "nics-per-leaf"
            shape = f' tiers="{self.random.randint(2, 3)}" {per_leaf}="{self.random.randint(1, 3)}"'
        return [f'<fabric kind="{kind}" routing="{routing}"{shape}>',
                "  " + self.switch(),
                '  <link role="host" catalogue="links/ndr_copper"/>',
                *(['  <link role="trunk" catalogue="links/ndr_dr4" length="30 m"/>'] if shape else []),
                "</fabric>"]

    def graph(self):
        """Servers of one GPU and one NIC around a few switches; one pair of NICs may see each other through
        an optical switch."""
        self.gpus = self.random.randint(2, 5)
        self.has_host = [False] * self.gpus
        switches = self.random.randint(1, 3)
        lines, free = ["<graph>"], [0] * switches
        for g in range(self.gpus):
            lines += [f'  <gpu name="g{g}" catalogue="gpus/h100_sxm"/>',
                      f'  <nic name="n{g}" catalogue="nics/{self.nic()}"/>',
                      f'  <link from="g{g}:1" to="n{g}:1" catalogue="links/pcie_gen5_x16"/>']
        for s in range(switches):
            lines.append("  " + self.switch(f' name="s{s}"'))

        def port(s):
            free[s] += 1
            return f"s{s}:{free[s] - 1}"

        for g in range(self.gpus):
            lines.append(f'  <link from="n{g}:0" to="{port(self.random.randrange(switches))}" catalogue="links/ndr_copper"/>')
        pairs = []
        for s in range(1, switches):
            other = self.random.randrange(s)
            if self.is_ethernet or self.random.random() < 0.5:
                lines.append(f'  <link from="{port(s)}" to="{port(other)}" catalogue="links/ndr_dr4" length="20 m"/>')
            else:
                pairs.append((port(s), port(other)))
        if pairs:
            circuits = " ".join(f"{2 * i}-{2 * i + 1}" for i in range(len(pairs)))
            lines.append(f'  <ocs name="optics" catalogue="ocs/polatis_like" circuits="{circuits}"/>')
            for i, (a, b) in enumerate(pairs):
                lines += [f'  <link from="{a}" to="optics:{2 * i}" catalogue="links/ndr_fr4" length="20 m"/>',
                          f'  <link from="{b}" to="optics:{2 * i + 1}" catalogue="links/ndr_fr4" length="20 m"/>']
        return lines + ["</graph>"]

    # the workload

    def size(self):
        return f"{self.random.choice([1, 7, 4096, 65536, 1000000])} B"

    def make_groups(self):
        order = list(range(self.gpus))
        self.groups = [("world", [order])]
        if self.gpus > 1:
            shuffled = self.random.sample(order, self.gpus)
            cut = self.random.randint(1, self.gpus - 1)
            self.groups.append(("parts", [shuffled[:cut], shuffled[cut:]]))
            self.groups.append(("some", [self.random.sample(order, self.random.randint(1, self.gpus))]))

    def add(self, gpu, line):
        self.operations[gpu].append(line)

    def operation(self, busy):
        kind = self.random.choice(["compute", "collective", "collective", "message", "message", "self",
                                   "storage", "host-copy"])
        gpu = self.random.choice(busy)
        if kind == "compute":
            self.add(gpu, f'<op kind="compute" stream="s{self.random.randint(0, 1)}" duration="{self.random.randint(1, 5000)} ns"/>')
        elif kind == "collective":
            name, lists = self.random.choice(self.groups)
            members = [m for members in lists for m in members]
            if set(members) <= set(busy):
                collective, size = self.random.choice(COLLECTIVES), self.size()
                rest = "" if collective == "barrier" else f' size="{size}"'
                for m in members:
                    self.add(m, f'<op kind="collective" collective="{collective}" group="{name}"{rest}/>')
        elif kind == "message" and len(busy) > 1:
            sender, receiver = self.random.sample(busy, 2)
            size = self.size()
            self.add(sender, f'<op kind="send" peer="{receiver}" size="{size}"/>')
            self.add(receiver, f'<op kind="recv" peer="{sender}" size="{size}"/>')
        elif kind == "self":
            size = self.size()
            self.add(gpu, f'<op kind="send" stream="to self" peer="{gpu}" size="{size}"/>')
            self.add(gpu, f'<op kind="recv" stream="from self" peer="{gpu}" size="{size}"/>')
        elif kind == "storage" and self.storage:
            way = self.random.choice(["read", "write"])
            self.add(gpu, f'<op kind="storage-{way}" server="{self.random.randrange(self.storage)}" size="{self.size()}"/>')
        elif kind == "host-copy" and self.has_host[gpu]:
            self.add(gpu, f'<op kind="host-copy" to-gpu="{self.random.choice(["on", "off"])}" size="{self.size()}"/>')

    def workload(self):
        self.make_groups()
        self.operations = [[] for _ in range(self.gpus)]
        # every third seed: odd GPUs do nothing
        busy = [g for g in range(self.gpus) if self.seed % 3 or g % 2 == 0]
        for _ in range(self.random.randint(3, 15)):
            self.operation(busy)
        groups = ["<groups>"]
        for name, lists in self.groups[1:]:
            groups.append(f'  <group name="{name}">')
            groups += [f'    <members gpus="{",".join(map(str, members))}"/>' for members in lists]
            groups.append("  </group>")
        lines = groups + ["</groups>"] + [f'<workload kind="explicit" iterations="{self.random.randint(1, 2)}">']
        for gpu, operations in enumerate(self.operations):
            if operations or gpu % 2 == 0:  # the others have no program at all
                lines += [f'  <program gpus="{gpu}">', *("    " + o for o in operations), "  </program>"]
        return lines + ["</workload>"]

    def queue_pairs(self, system):
        """Attributes of <nccl>."""
        is_refused = any("<ocs" in line or "nic-striping" in line for line in system)
        return "" if is_refused else queue_pairs(self.seed)

    def scenario(self):
        system = self.graph() if self.seed % 5 == 4 else self.clusters()
        grain = self.random.choice([1, 4, 16])
        network = [f'<network mtu="{self.random.choice([1, 4])} KiB" grain="{grain}" nvlink-grain="{grain}" '
                   f'send-ahead="{self.random.choice([0, 0, 1, 20])} us"/>']
        nccl = self.queue_pairs(system)
        if self.is_ethernet and any("<ethernet-switch" in line for line in system):
            nccl += ' pxn="off"'
            network += ['<dcqcn catalogue="congestion/dcqcn_hpcc"/>']
        if nccl:
            network.append(f"<nccl{nccl}/>")
        body = system + network + self.workload() + [f'<run seed="{self.seed}"/>']
        return "\n".join([f'<scenario name="random_{self.seed}">', *("  " + line for line in body),
                          "</scenario>"]) + "\n"


if __name__ == "__main__":
    print(Generator(int(sys.argv[1])).scenario(), end="")
