"""Files that a case needs beside its scenario and that are not text: small traces, whole and damaged.

Every function takes (folder, lightrail), some an argument, and writes into the folder. Chakra's are in
make_chakra.py, Kineto's in make_kineto.py.
"""
import subprocess

import h5py
import numpy as np


def goal_long_line(folder, _):
    (folder / "x.goal").write_text("num_ranks 2\nrank 0 {\n" + "a" * 5000 + ": calc 1\n}\nrank 1 {\n}\n")


def aicb_long_line(folder, _):
    (folder / "w.txt").write_text("HYBRID_TRANSFORMER_FWD_IN_BCKWD all_gpus: 2\n1\n" + "a" * 70_000 + "\n")


def deep_expression(folder, _):
    nested = "(" * 100_000 + "2" + ")" * 100_000
    (folder / "scenario.xml").write_text(f'<scenario name="deep">\n<cluster servers="${{{nested}}}"/>\n</scenario>\n')


def many_groups(folder, _):
    """257 kinds of groups beside 'world' and 'tp'."""
    groups = "".join(f'\n<group name="g{i}" count="2" stride="1"/>' for i in range(257))
    scenario = (folder / "scenario.xml").read_text()
    (folder / "scenario.xml").write_text(scenario.replace("<groups>", "<groups>" + groups, 1))


def deep_elements(folder, _):
    (folder / "scenario.xml").write_text('<scenario name="deep">\n' + "<graph>" * 100_000 + "</graph>"
                                         * 100_000 + "</scenario>\n")


def hundred_mistakes(folder, _):
    lines = "\n".join(f'<mistake{i} size="1"/>' for i in range(100))
    (folder / "scenario.xml").write_text(f'<scenario name="mistakes">\n{lines}\n</scenario>\n')


EXPLICIT = """
<scenario name="made">
  <cluster servers="1">
    <server gpus="2" nics="0">
      <gpu catalogue="gpus/h100_sxm"/>
      <nvswitch catalogue="nvswitches/nvswitch_gen3"/>
      <link role="nvlink" catalogue="links/nvlink4"/>
    </server>
  </cluster>
  <groups><group name="tp"><members gpus="0-1"/></group></groups>
  <workload kind="explicit">
    <program gpus="0-1">
      <op kind="compute" id="c" duration="5 us"/>
      <op kind="collective" collective="all-reduce" group="tp" size="64 kB" after="c"/>
      <op kind="send" group="tp" peer="+1" size="8 kB"/>
      <op kind="recv" group="tp" peer="+1" size="8 kB"/>
    </program>
  </workload>
</scenario>
"""


def trace_file(folder, lightrail):
    (folder / "made.xml").write_text(EXPLICIT)
    subprocess.run([lightrail, "trace", "generate", "made.xml", "--out", "trace.h5"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)


def trace_truncated(folder, lightrail):
    trace_file(folder, lightrail)
    file = folder / "trace.h5"
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def trace_not_hdf5(folder, _):
    (folder / "trace.h5").write_text("this is no HDF5 file\n" * 100)


def _change_trace(folder, lightrail, change):
    trace_file(folder, lightrail)
    with h5py.File(folder / "trace.h5", "r+") as trace:
        change(trace)


def trace_of_other_schema(folder, lightrail):
    _change_trace(folder, lightrail, lambda t: t.attrs.__setitem__("schema", np.bytes_("other")))


def trace_of_later_version(folder, lightrail):
    _change_trace(folder, lightrail, lambda t: t.attrs.__setitem__("schema_version", np.int64(99)))


def trace_lacks_a_column(folder, lightrail):
    _change_trace(folder, lightrail, lambda t: t.__delitem__("ops/size_bytes"))


def trace_negative_size(folder, lightrail):
    _change_trace(folder, lightrail, lambda t: t["ops/size_bytes"].__setitem__(1, -64000))


def trace_huge_size(folder, lightrail):
    _change_trace(folder, lightrail, lambda t: t["ops/size_bytes"].__setitem__(1, 10**18))


def trace_depends_on_itself(folder, lightrail):
    _change_trace(folder, lightrail, lambda t: t["dependencies"].__setitem__(0, 1))


def trace_gpu_in_two_groups(folder, lightrail):
    _change_trace(folder, lightrail, lambda t: t["groups/members"].__setitem__(1, 0))


def trace_unknown_member(folder, lightrail):
    _change_trace(folder, lightrail, lambda t: t["groups/members"].__setitem__(1, 5))


def trace_unknown_program(folder, lightrail):
    _change_trace(folder, lightrail, lambda t: t["program_of_gpu"].__setitem__(0, 7))


def trace_unknown_stream(folder, lightrail):
    _change_trace(folder, lightrail, lambda t: t["ops/stream"].__setitem__(0, 200))


def trace_impossible_count(folder, lightrail):
    _change_trace(folder, lightrail, lambda t: t["programs/ops"].__setitem__(0, 2**32))


def trace_lacks(folder, lightrail, dataset):
    _change_trace(folder, lightrail, lambda t: t.__delitem__(dataset))


def trace_shorter(folder, lightrail, dataset):
    """Without the last row."""
    def change(trace):
        rows = trace[dataset][:-1]
        del trace[dataset]
        trace[dataset] = rows
    _change_trace(folder, lightrail, change)


def trace_longer(folder, lightrail, dataset):
    """With the last row twice."""
    def change(trace):
        rows = trace[dataset][:]
        del trace[dataset]
        trace[dataset] = np.append(rows, rows[-1:])
    _change_trace(folder, lightrail, change)


def trace_square(folder, lightrail, dataset):
    def change(trace):
        del trace[dataset]
        trace[dataset] = np.zeros((2, 2), dtype=np.int64)
    _change_trace(folder, lightrail, change)


def trace_of_words(folder, lightrail, dataset):
    def change(trace):
        del trace[dataset]
        trace.create_dataset(dataset, data=["a", "b"], dtype=h5py.string_dtype())
    _change_trace(folder, lightrail, change)


def trace_without_version(folder, lightrail):
    _change_trace(folder, lightrail, lambda t: t.attrs.__delitem__("schema_version"))


def trace_peer_outside(folder, lightrail):
    def change(trace):
        trace["ops/peer"][2] = 9
        trace["ops/peer_mode"][2] = 0
    _change_trace(folder, lightrail, change)


def checkpoints(folder, lightrail):
    """Two checkpoints of scenario.xml in saved/, with rows, and a result of before."""
    command = [lightrail, "run", "scenario.xml", "--out", "result.h5", "--checkpoint", "saved",
               "--checkpoint-every", "40 us", "--progress", "none"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    found = sorted((folder / "saved").glob("checkpoint-*.lr"))
    assert len(found) == 2 and (folder / "saved/rows-ops.lr").stat().st_size > 0, found
    (folder / "result.h5").write_text("a result of before")


def checkpoint_of_other_algorithm(folder, lightrail):
    """A checkpoint in saved/, and a.xml, the algorithm it was made with, is another since."""
    command = [lightrail, "run", "scenario.xml", "--out", "result.h5", "--checkpoint", "saved",
               "--checkpoint-every", "5 us", "--progress", "none"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    assert list((folder / "saved").glob("checkpoint-*.lr"))
    (folder / "result.h5").write_text("a result of before")
    file = folder / "a.xml"
    file.write_text(file.read_text().replace('nchannels="1"', 'nchannels="2"'))


def _damage_newest(folder, lightrail, change, name="checkpoint-*.lr"):
    checkpoints(folder, lightrail)
    file = sorted((folder / "saved").glob(name))[-1]
    file.write_bytes(change(bytearray(file.read_bytes())))


def checkpoint_cut(folder, lightrail):
    _damage_newest(folder, lightrail, lambda data: data[:len(data) // 2])


def _flip(data, at):
    data[at] ^= 16
    return data


def checkpoint_flipped(folder, lightrail):
    _damage_newest(folder, lightrail, lambda data: _flip(data, len(data) // 2))


def checkpoint_of_other_schema(folder, lightrail):
    _damage_newest(folder, lightrail, lambda data: _flip(data, 9))


def checkpoint_rows_cut(folder, lightrail):
    _damage_newest(folder, lightrail, lambda data: data[:-8], "rows-ops.lr")


def checkpoint_rows_flipped(folder, lightrail):
    _damage_newest(folder, lightrail, lambda data: _flip(data, 3), "rows-ops.lr")


def checkpoint_rows_missing(folder, lightrail):
    checkpoints(folder, lightrail)
    (folder / "saved/rows-ops.lr").unlink()


def checkpoint_folder_empty(folder, lightrail):
    (folder / "saved").mkdir()


def checkpoint_of_something_else(folder, lightrail):
    (folder / "saved").mkdir()
    (folder / "saved/checkpoint-000001.lr").write_text("x" * 1000)


def _cut_short(result, column):
    """The column without its last row."""
    values, attributes = result[column][:-1], dict(result[column].attrs)
    del result[column]
    result.create_dataset(column, data=values).attrs.update(attributes)


def explained(folder, lightrail, what):
    """made.h5, a result of scenario.xml: whole, of a status, or without something ("short": the last row of
    that column)."""
    command = [lightrail, "run", "scenario.xml", "--out", "made.h5", "--progress", "none"]
    scenario = folder / "scenario.xml"
    if what == "off":
        off = '<output><table name="exposed" record="off"/></output></scenario>'
        scenario.write_text(scenario.read_text().replace("</scenario>", off))
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    if what in ("whole", "off"):
        return
    with h5py.File(folder / "made.h5", "r+") as result:
        if what == "without exposed":
            del result["tables/exposed"]
        elif what == "one row less":
            rows = result["tables/exposed/time_ps"]
            rows[0] = 0
        elif what == "of a later layout":
            result.attrs.update({"schema_version": 2, "software_version": np.bytes_("9.1.0")})
        elif what.startswith("short "):
            _cut_short(result, what.removeprefix("short "))
        else:
            result["run"].attrs["status"] = np.bytes_(what)


def explained_trace(folder, lightrail):
    """trace.h5, which is a trace and no result."""
    subprocess.run([lightrail, "trace", "generate", "scenario.xml", "--out", "trace.h5"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
