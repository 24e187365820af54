"""Which rows a figure of configs/ was fitted to (docs/validation.md, "What was fitted"), where a target does
not say it of its rows itself. A row that shares the fit's own run in all but its size counts as fitted."""
import re

MIB = 2**20


def size_of(label):
    """Bytes at the end of a row's label, or None."""
    found = re.search(r"(\d+) B$", label)
    return int(found.group(1)) if found else None


#: Target: is the row of this label fitted to? Of targets that are not here, no row is.
RULES = {
    "N1": lambda label: 2 * MIB <= size_of(label) <= 256 * MIB,  # start of NVLS
    # The adapter of p4de (time a message, what is staged) and its latency; p5's latency.
    "N2": lambda label: "4 x 100G" in label or (label.startswith("2 x 8 H100") and size_of(label) <= 2048),
    "N3": lambda label: True,
    "N4": lambda label: "bus bandwidth" in label,  # not: what is picked
    "N5": lambda label: ", small" in label,
    # DeepEP's start: what is left of low latency; its efficiencies.
    "N6": lambda label: "low-latency" in label or label.endswith(("EP 8", "EP 64")),
    # Up to 8 MiB the times of arxiv_2411_13055 have said that LL128 is not chosen there.
    "N7": lambda label: ", fit," in label or ("arxiv" in label and size_of(label) <= 8 * MIB),
    "N8": lambda label: ", fit" in label,
    "T3": lambda label: label.startswith("Llama 3.1 8b BF16"),  # sustained of H100: the same step on 8 GPUs
    "W2": lambda label: True,
}


def mark(target, row):
    """Sets row["fitted"] to yes or no, unless the target has."""
    if "fitted" not in row:
        rule = RULES.get(target)
        row["fitted"] = "yes" if rule is not None and rule(row["row"]) else "no"
    return row
