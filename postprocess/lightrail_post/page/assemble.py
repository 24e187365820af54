"""Puts template, style, scripts, plotly.js and the data of a page together into one text."""

import html
from importlib import resources
from string import Template

from plotly.offline import get_plotlyjs

from .pack import packed, squeezed

# core.js first: the others register with it.
SCRIPTS = ("core", "widgets", "summary", "step", "scale", "timeline", "timeline_view", "links", "topology",
           "collectives", "path", "cost", "study", "start")
HEADINGS = {"study": "Results side by side", "summary": "Summary", "step": "Where the step went",
            "timeline": "Timeline", "links": "Links", "topology": "Network by tier", "collectives": "Collectives",
            "path": "Critical path", "cost": "Energy and cost"}


def _asset(name):
    return resources.files(__package__).joinpath("assets", name).read_text(encoding="utf-8")


def _data(name, text):
    return f'<script type="text/plain" id="{name}">{text}</script>'


def document(labels, runs, study):
    """labels: of the results; runs: their sections by name; study: that of all results together, or None."""
    names = (["study"] if study else []) + list(runs[0])
    title = labels[0] if len(labels) == 1 else f"{len(labels)} results"
    return Template(_asset("page.html")).substitute(
        title=html.escape(f"{title}: {(study or runs[0]['summary'])['title']}"), style=_asset("page.css"),
        headings="".join(f'<li><a href="#{name}">{HEADINGS[name]}</a></li>' for name in names),
        options="".join(f'<option value="{i}">{html.escape(label)}</option>' for i, label in enumerate(labels)),
        is_single="hidden" if len(labels) == 1 else "",
        sections="".join(f'<section id="{name}" aria-labelledby="{name}-title"><p class="kind">{HEADINGS[name]}</p>'
                         f'<h2 id="{name}-title"></h2><p class="detail"></p><div class="body"></div></section>\n'
                         for name in names),
        data="\n".join([_data("plotly", squeezed(get_plotlyjs().encode())),
                        *([_data("study-data", packed(study))] if study else []),
                        *(_data(f"run-{i}", packed(run)) for i, run in enumerate(runs))]),
        script="\n".join(_asset(f"{name}.js") for name in SCRIPTS))
