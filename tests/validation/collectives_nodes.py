"""Targets N7, N7b, N8 and N9: all-reduces over several servers and racks (nccl_nodes.csv).

Column `use` is the rule of the split, by whole tables: "fit" are those of which figures in configs/ were
chosen (their <source> names them), "held out" all others. Fit: the plot in which NVLS-tree was forced, and
tables of two servers and of one and two NVLink domains; held out: every table of the own choice of NCCL on
more. The figures that they chose are NCCL's own, none is tuned: what a level of an NVLS-tree takes is that of
NCCL 2.28 and not of 2.21 (the plot), a head of one on two servers has NCCL's limit (two servers). One
figure is measured: what the NVSwitches of a rack reach (4 and 8 GiB on one). Rows that no catalogue expresses
yet (EFA of p6) or that take too long (more than 512 MiB on 20 racks) stay in the file.

An assumption, not a fit: the cluster of NO_LL128 is one on which NCCL does not choose LL128, as its times
grow with servers as those of NVLS-trees do (docs/validation.md). N7b has its rows without the assumption.
"""
from harness import collective_times, table

MIB = 2**20
H100 = ("gtc24_nvlstree", "arxiv_2411_13055", "coreweave_64xH100", "coreweave_16xH100")
RACKS = ("coreweave_72xGB200", "coreweave_144xGB200")
NO_LL128 = "arxiv_2411_13055"
#: Servers that a run can afford, and the largest size on so many.
LARGEST = {2: 8192 * MIB, 4: 4096 * MIB, 8: 1024 * MIB, 16: 256 * MIB, 32: 256 * MIB, 64: 64 * MIB}
#: Catalogue entries of the library, by column nccl; where it is not told, the scenario's own.
LIBRARY = {"2.28": {"nccl": "nccl/nccl_2_28"}}


def published(tables, short, is_ll128_off):
    """{(table, use, servers, algorithm, library, ll128): {size: us}} of what is simulated; is_ll128_off: of
    a table."""
    rows = {}
    for r in table("nccl_nodes.csv"):
        servers, size = int(r["servers"]), int(r["size_bytes"])
        most = min(LARGEST.get(servers, 0), 64 * MIB if short else 2**40)
        if r["table_id"] in tables and size <= most and not (short and servers > 8):
            ll128 = "off" if is_ll128_off(r["table_id"]) else "on"
            key = (r["table_id"], r["use"], servers, r["algorithm"], r["nccl"], ll128)
            rows.setdefault(key, {})[size] = float(r["time_us"])
    return rows


def rack_rows(run, short):
    """Rows of one and two racks of 72 GPUs, up to 4 GiB; their tables have none for the short form."""
    tables = {}
    for r in table("nccl_nodes.csv"):
        if r["table_id"] in RACKS and int(r["size_bytes"]) <= 4096 * MIB and not short:
            key = (r["table_id"], r["use"], int(r["servers"]))
            tables.setdefault(key, {})[int(r["size_bytes"])] = float(r["time_us"])
    asked = {key: {"servers": key[2], "from": f"{min(times)} B", "to": f"{max(times)} B"}
             for key, times in tables.items()}
    run.ahead("nccl_tests/nvl72.xml", asked.values())
    for key, times in tables.items():
        ours = collective_times(run("nccl_tests/nvl72.xml", **asked[key]))
        for size, measured in sorted(times.items()):
            yield {"row": f"{key[2]} x 72, {key[0]}, {key[1]}, {size} B", "published": measured,
                   "simulated": ours["all_reduce", size], "unit": "us",
                   "bound_pct": 8 if size >= 2048 * MIB else 30}


def settings(servers, algorithm, library, ll128, sizes):
    return {"servers": servers, "algorithm": algorithm, "ll128": ll128, "from": f"{min(sizes)} B", "to": f"{max(sizes)} B",
            **LIBRARY.get(library, {})}


def times_of(run, short, tables=H100, is_ll128_off=NO_LL128.__eq__):
    """(table, use, servers, {size: (published, simulated)}); one run for a number of servers, algorithm,
    library and whether LL128 may be chosen."""
    wanted = published(tables, short, is_ll128_off)
    sizes = {}
    for (_, _, *what), times in wanted.items():
        sizes.setdefault(tuple(what), set()).update(times)
    scenario = "nccl_tests/two_servers.xml"
    run.ahead(scenario, [settings(*what, mine) for what, mine in sizes.items()])
    for (name, use, *what), times in sorted(wanted.items()):
        ours = collective_times(run(scenario, **settings(*what, sizes[tuple(what)])))
        yield name, use, what[0], {size: (time, ours["all_reduce", size]) for size, time in times.items()
                                   if ("all_reduce", size) in ours}


def server_rows(times):
    """Rows of times_of()."""
    for name, use, servers, by_size in times:
        for size, (measured, ours) in sorted(by_size.items()):
            yield {"row": f"{servers} x 8, {name}, {use}, {size} B", "published": measured, "simulated": ours,
                   "unit": "us", "bound_pct": 8 if size >= 2048 * MIB else 30}


def target_n7(run, short):
    """All-reduce on 2 to 64 servers of 8 H100, and on one and two racks of 72 B200."""
    yield from server_rows(times_of(run, short))
    yield from rack_rows(run, short)


def target_n7b(run, short):
    """The rows of N7 of which LL128 is assumed not to be chosen, without that assumption."""
    yield from server_rows(times_of(run, short, [NO_LL128], lambda name: False))


def target_n8(run, short):
    """Growth of all-reduces of 16 to 256 MiB: time on n servers over time on 4 of the same table."""
    tables = {}
    for name, use, servers, times in times_of(run, short):
        tables.setdefault((name, use), {})[servers] = times
    for (name, use), by_servers in tables.items():
        first = by_servers.get(4)
        if not first:
            continue
        for servers, times in sorted(by_servers.items()):
            for size in sorted(set(times) & set(first)):
                if servers > 4 and 16 * MIB <= size <= 256 * MIB:
                    yield {"row": f"{size // MIB} MiB, {servers} over 4 servers, {name}, {use}",
                           "published": times[size][0] / first[size][0],
                           "simulated": times[size][1] / first[size][1], "unit": "", "bound_pct": 25}


def tray_rows(run):
    """All-reduce of 16 GiB over a tray of 4 GB200 in each of three racks, by algorithm (CoreWeave)."""
    size = 2**34
    for algorithm, published in (("ring", 196.72), ("tree", 234.43)):
        ours = collective_times(run("nccl_tests/nvl72.xml", servers=3, gpus=4, algorithm=algorithm,
                                    **{"from": f"{size} B", "to": f"{size} B"}))
        yield {"algorithm": algorithm, "published": published, "unit": "GB/s",
               "simulated": 2 * 11 / 12 * size * 1e-3 / ours["all_reduce", size]}


def target_n9(run, short):
    """All-reduce of GB200 over 2 and 20 racks of 72, and over a tray of 4 in each of 3 (CoreWeave). The
    NVSwitches are fitted to one rack; of these rows nothing is fitted. 20 racks were most likely measured
    without NVLS (docs/validation.md)."""
    if short:
        return
    asked = {2: ("536870912 B", f"{4096 * MIB} B"), 20: ("536870912 B", "536870912 B")}
    for racks, (least, most) in asked.items():
        ours = collective_times(run("nccl_tests/nvl72.xml", servers=racks, **{"from": least, "to": most}))
        for r in table("nccl_nodes.csv"):
            size = int(r["size_bytes"])
            if r["table_id"] == f"coreweave_{72 * racks}xGB200" and ("all_reduce", size) in ours:
                yield {"row": f"{racks} x 72, {size} B", "published": float(r["time_us"]),
                       "simulated": ours["all_reduce", size], "unit": "us", "bound_pct": 20}
    for row in tray_rows(run):
        yield {"row": f"3 x 4, {row['algorithm']}, 16 GiB, bus bandwidth", **row, "bound_pct": 20}


TARGETS = {"N7": target_n7, "N7b": target_n7b, "N8": target_n8, "N9": target_n9}
