"""A GPU's file of the catalogue (configs/gpus) from what tools/fit_gpu.py has fitted."""
import re
import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import quoteattr

import numpy as np

MEASURES = ("latency", "unit", "combine")  # names of times end so [us]


class BadInput(Exception):
    """The user's mistake."""


class Fit:
    """Parameters of an element, and the relative error of every shape."""

    def __init__(self, parameters, error, what):
        self.parameters, self.error, self.what = parameters, error, what

    def errors(self):
        return (f"{len(self.error):,} shapes, median error {100 * np.median(self.error):.1f} %, "
                f"95th percentile {100 * np.quantile(self.error, 0.95):.1f} %")

    def attributes(self):
        return {name: f"{value:.4g} us" if name.endswith(MEASURES) else f"{value:.4g}"
                for name, value in self.parameters.items()}


def tag(name, attributes, end=">"):
    return f"<{name} " + " ".join(f"{key}={quoteattr(value)}" for key, value in attributes.items()) + end


def source(parameter, kind, text, indent=4):
    return " " * indent + tag("source", {"parameter": parameter, "kind": kind, "text": text}, "/>")


def element(name, attributes, *sources):
    return ["  " + tag(name, attributes), *sources, f"  </{name}>"]


def collectives_of(path):
    """(name, attributes of <gpu> that go with collectives, attributes of <collectives>) of another device's
    file."""
    try:
        gpu = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as problem:
        raise BadInput(f"--collectives-of {path}: cannot be read ({problem})") from problem
    found = gpu.find("collectives") if gpu.tag == "gpu" else None
    if found is None:
        raise BadInput(f"--collectives-of {path}: is no <gpu> with <collectives>")
    return re.sub(r".*/|\.xml$", "", str(path)), {k: gpu.get(k)
                                                  for k in ("collective-sms", "collective-memory",
                                                            "point-sms") if gpu.get(k)}, dict(found.attrib)


def text_of(a, gemms, attention, collectives):
    """The file. a: the arguments of fit_gpu.py; gemms: by data type; attention: none, or of prefill and of
    decode."""
    origin = f" ({a.measured})" if a.measured else ""

    def fitted(fits):
        return source("*", "measured", "fitted by tools/fit_gpu.py to "
                      + "; ".join(f"{f.what}{origin}: {f.errors()}" for f in fits))

    head = {"sms": str(a.sms), "memory": a.memory, "memory-bandwidth": f"{a.bandwidth:g} TB/s"}
    sources = [source("sms memory memory-bandwidth", "datasheet", a.datasheet, 2)]
    for name, watts in a.watts.items():
        if watts is not None:
            head[name] = f"{watts:g} W"
            kind, text = ("datasheet", a.datasheet) if name == "power" else ("estimate", "as given to tools/fit_gpu.py")
            sources.append(source(name, kind, text, 2))
    if collectives:
        other, held, parameters = collectives
        head.update(held)
        if held:
            sources.append(source(" ".join(held), "estimate", f"as {other}", 2))
    lines = [f"<!-- {a.system}, fitted by tools/fit_gpu.py. -->", tag("gpu", head), *sources]
    for dtype, fit in gemms.items():
        about = {"dtype": dtype.removesuffix("-rowwise")}
        if dtype != about["dtype"]:
            about["scaling"] = "rowwise"
        about["peak"] = f"{a.peaks[dtype]:g} TFLOP/s"
        casts = []
        if about["dtype"] == "fp8":
            about["casts"] = "off" if "scaling" in about else a.casts
            casts = [source("casts", "measured",
                            "times of fp8-rowwise are those of the product alone" if "scaling" in about
                            else "how the times were measured, as given to tools/fit_gpu.py")]
        lines += element("gemm", about | fit.attributes(), source("peak", "datasheet", a.datasheet), *casts,
                         fitted([fit]))
    if attention:
        lines += element("attention", attention[0].attributes() | {"backward-work": "2.5"}
                         | attention[1].attributes(), fitted(attention),
                         source("backward-work", "published",
                                "FlashAttention-2 (Dao 2023): five matrix products in the backward pass, two in the forward"))
    smallest = gemms["bf16"].attributes()
    lines += element("memory-kernel", {"latency": smallest["latency"],
                                       "efficiency": smallest["memory-efficiency"]},
                     source("*", "estimate", "smallest kernel and HBM share of this GPU's GEMM fit"))
    if collectives:
        lines += element("collectives", parameters,
                         source("*", "estimate", f"as {other}; kernels say nothing of collectives"))
    return "\n".join([*lines, "</gpu>", ""])
