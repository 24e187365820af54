"""Which send a receive waited for. Operations do not name their partner; messages do."""

import numpy as np
import pandas as pd

POINT_TO_POINT = 4  # of network/wire/phase.hpp: the low byte of a message's connection
NOTHING = pd.DataFrame({"send": [], "receive": []}, dtype=np.int64)


def _of_sends(run):
    """Messages of send and recv, with the dimension whose name their group has; -1 where none has."""
    messages = run.tables["messages"]
    connection = messages["connection"].to_numpy().astype(np.int64)
    dimension = np.array([run.dimensions.index(name) if name in run.dimensions else -1
                          for name in run.group_kinds] + [-1])
    group = np.minimum(connection >> 16, len(run.group_kinds))
    messages = messages.assign(dimension=dimension[group])
    return messages[(connection & 0xff) == POINT_TO_POINT]


def matched_sends(run):
    """DataFrame of positions in run.tables["ops"]: `send` and the `receive` that it ends.

    The first receive of a size and dimension that ends on a GPU is given the first message of that size that
    came in, the second the second; and the message the last send of its size that its sender had begun when
    its first byte came. Where partners send messages of one size and receives end in another order than
    messages came, arrows of that size are exchanged. Messages that went in parts over several NICs have no
    receive of their size, and no arrow.
    """
    ops = run.tables["ops"]
    kinds = ops["kind"].astype(str).to_numpy()
    came = _of_sends(run).sort_values("t_end_ps", kind="stable")
    of_gpu = ops[["gpu", "dimension", "size_bytes", "t_start_ps", "t_end_ps"]].reset_index(drop=True)
    of_gpu["position"] = np.arange(len(of_gpu))
    is_paired = np.isin(kinds, ["send", "recv"])
    if (came["dimension"] < 0).any() or (of_gpu["dimension"][is_paired] < 0).any():
        came, of_gpu = came.assign(dimension=-1), of_gpu.assign(dimension=-1)
    receives = of_gpu[kinds == "recv"].sort_values("t_end_ps", kind="stable")
    sends = of_gpu[kinds == "send"].sort_values("t_start_ps", kind="stable")
    if receives.empty or sends.empty or came.empty:
        return NOTHING
    key = ["to", "dimension", "size_bytes"]
    receives = receives.rename(columns={"gpu": "to", "position": "receive"})[[*key, "receive"]]
    came["turn"] = came.groupby(key, sort=False).cumcount()
    receives["turn"] = receives.groupby(key, sort=False).cumcount()
    pairs = came.merge(receives, on=[*key, "turn"]).sort_values("t_start_ps", kind="stable")
    key = ["from", "dimension", "size_bytes"]
    sends = sends.rename(columns={"gpu": "from", "position": "send"})[[*key, "t_start_ps", "send"]]
    both = pd.merge_asof(pairs[[*key, "t_start_ps", "receive"]], sends, on="t_start_ps", by=key)
    return both.dropna()[["send", "receive"]].astype(np.int64)
