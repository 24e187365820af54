"""Scenarios built in Python: the elements and attributes that the program itself describes, written as XML."""

from __future__ import annotations

import difflib
import functools
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from .program import find_program, value_text

if TYPE_CHECKING:
    from collections.abc import Mapping

XS = "{http://www.w3.org/2001/XMLSchema}"
BUILT = "<!-- built by lightrail_post -->\n"


@functools.lru_cache
def _grammar(program):
    """{element: ({attribute: choices, empty for free text}, whether it takes any others)}."""
    text = subprocess.run([program, "describe", "--format", "xsd"], check=True, capture_output=True, text=True).stdout
    schema = ElementTree.fromstring(text)
    types = {one.get("name"): one for one in schema.findall(f"{XS}complexType")}
    elements = {}
    for element in schema.findall(f"{XS}element"):
        kind = types[element.get("type")]
        attributes = {one.get("name"): [choice.get("value") for choice in one.iter(f"{XS}enumeration")]
                      for one in kind.iter(f"{XS}attribute")}
        elements[element.get("name")] = attributes, kind.find(f".//{XS}anyAttribute") is not None
    return elements


def _meant(word, known):
    """" (did you mean 'x'?)" where something is near."""
    near = difflib.get_close_matches(word, known, 1)
    return f" (did you mean '{near[0]}'?)" if near else ""


class Element:
    """An element of a scenario. A child is added by a call that is named after it, and returned:

        server = cluster.server(gpus=8)
        server.gpu(catalogue="gpus/h100_sxm")

    Names have _ where XML has -, and one _ behind where Python has a keyword (from_). True and False are on
    and off. ValueError: an attribute that the element does not have, or a value that is none of its choices.
    AttributeError: no such element.
    """

    def __init__(self, name: str, attributes: Mapping[str, Any], program: str) -> None:
        self._program = program
        self._node = ElementTree.Element(name)
        self.set(**attributes)

    def set(self, **attributes: Any) -> Element:
        """Sets attributes, None takes one away; returns the element itself."""
        known, takes_any = _grammar(self._program)[self._node.tag]
        for key, value in attributes.items():
            name = key.removesuffix("_").replace("_", "-")
            if name not in known and not takes_any:
                raise ValueError(f"<{self._node.tag}> has no attribute '{name}'{_meant(name, known)}")
            text = value_text(value)
            choices = known.get(name, [])
            if value is not None and choices and text not in choices and "${" not in text:
                raise ValueError(f"<{self._node.tag}> attribute '{name}': '{text}' is none of {', '.join(choices)}"
                                 f"{_meant(text, choices)}")
            self._node.attrib.pop(name, None)
            if value is not None:
                self._node.set(name, text)
        return self

    def add(self, element: str, /, **attributes: Any) -> Element:
        """A child of that name, which may have `-` in it."""
        if element not in _grammar(self._program):
            raise AttributeError(f"no element '{element}'{_meant(element, _grammar(self._program))}")
        child = Element(element, attributes, self._program)
        self._node.append(child._node)
        return child

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        tag = name.removesuffix("_").replace("_", "-")
        if tag not in _grammar(self._program):
            raise AttributeError(f"no element '{tag}'{_meant(tag, _grammar(self._program))}")
        return functools.partial(self.add, tag)


class Scenario(Element):
    """A scenario to run(), sweep(), or write(): see Element. Elements are those of `lightrail describe`.

    >>> small = post.Scenario("small")
    >>> _ = small.variable(name="servers", value=2)
    >>> cluster = small.cluster(servers="${servers}")
    >>> _ = cluster.server(catalogue="servers/dgx_h100")
    >>> print(small)
    <scenario name="small">
      <variable name="servers" value="2" />
      <cluster servers="${servers}">
        <server catalogue="servers/dgx_h100" />
      </cluster>
    </scenario>
    >>> small.cluster(server=2)
    Traceback (most recent call last):
    ...
    ValueError: <cluster> has no attribute 'server' (did you mean 'servers'?)
    >>> small.worklod(kind="training")
    Traceback (most recent call last):
    ...
    AttributeError: no element 'worklod' (did you mean 'workload'?)
    """

    def __init__(self, name: str, *, program: str | Path | None = None) -> None:
        super().__init__("scenario", {"name": name}, find_program(program))

    @property
    def name(self) -> str:
        return self._node.get("name", "")

    def text(self, sweep: Mapping[str, str] | None = None) -> str:
        """The scenario as XML; with `sweep`, {variable: values as <vary> has them}, swept over these alone."""
        root = ElementTree.fromstring(ElementTree.tostring(self._node))
        if sweep:
            for old in root.findall("sweep"):
                root.remove(old)
            varied = ElementTree.SubElement(root, "sweep")
            for name, values in sweep.items():
                ElementTree.SubElement(varied, "vary", name=name, values=values)
        ElementTree.indent(root)
        return ElementTree.tostring(root, encoding="unicode") + "\n"

    def write(self, path: str | Path | None = None, sweep: Mapping[str, str] | None = None) -> Path:
        """Writes the scenario, by default as NAME.xml into the working folder; paths in it are relative to
        that file. FileExistsError: there is such a file that was not built like this."""
        path = Path(path or f"{self.name}.xml")
        if path.exists() and not path.read_text().startswith(BUILT):
            raise FileExistsError(f"{path} is there and was not built by lightrail_post: name the scenario otherwise")
        path.write_text(BUILT + self.text(sweep))
        return path

    def __str__(self) -> str:
        return self.text().rstrip("\n")
