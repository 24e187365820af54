"""What differs between results: their settings, the attributes of their scenarios, and names made of them."""

import shlex
from xml.etree import ElementTree

import pandas as pd

MOST_DIFFERENCES = 200
MOST_COLUMNS = 5
LONGEST_LABEL = 60


def settings(run):
    """{name: value} of the --set options, or of the point of a sweep, that the run was started with."""
    if "settings" in run.info:
        return dict(pair.split("=", 1) for pair in run.info["settings"])
    text = run.info.get("command_line", "")
    try:
        words = shlex.split(text)
    except ValueError:  # a long one is cut, perhaps inside quotes
        words = text.split()
    given = [words[i + 1] for i, word in enumerate(words[:-1]) if word == "--set"]
    given += [word[len("--set="):] for word in words if word.startswith("--set=")]
    return dict(pair.split("=", 1) for pair in given if "=" in pair)


def differing_settings(runs):
    """DataFrame by run of the settings that differ between them, "not set" where one is not given."""
    table = pd.DataFrame([settings(run) for run in runs]).fillna("not set")
    return table[[name for name in table if table[name].nunique() > 1]]


def varied_settings(runs, differences):
    """differing_settings(); where none does the first attributes of input_differences()."""
    table = differing_settings(runs)
    if len(table.columns):
        return table
    return pd.DataFrame({path.split("/", 1)[-1].replace("@", " "): values
                         for path, *values in differences[:MOST_COLUMNS]})


def attributes(xml):
    """{path: value} of a resolved scenario."""
    found = {}

    def walk(element, path):
        seen = {}
        for name, value in element.attrib.items():
            found[f"{path}@{name}"] = value
        for child in element:
            number = seen[child.tag] = seen.get(child.tag, -1) + 1
            walk(child, f"{path}/{child.tag}" + (f"[{number}]" if number else ""))

    root = ElementTree.fromstring(xml)
    walk(root, root.tag)
    return found


def input_differences(runs):
    """[[attribute, value in each run]] where the resolved scenarios differ, at most MOST_DIFFERENCES; and how
    many there are."""
    all_values = [attributes(run.scenario_xml) for run in runs]
    paths = dict.fromkeys(path for values in all_values for path in values)
    rows = [[path, *(values.get(path, "") for values in all_values)] for path in paths]
    rows = [row for row in rows if len(set(row[1:])) > 1]
    return rows[:MOST_DIFFERENCES], len(rows)


def labels_of(runs):
    """A different name for each: the file's; where two files have the same, the settings that differ; else
    with the folder, or a number."""
    names = [run.label for run in runs]
    if len(set(names)) < len(names):
        names = _labels_by_settings(runs) or [f"{run.path.resolve().parent.name}/{run.label}" for run in runs]
    return [name if names.count(name) == 1 else f"{name} ({i + 1})" for i, name in enumerate(names)]


def _labels_by_settings(runs):
    table = differing_settings(runs)
    names = [", ".join(f"{name} {value}" for name, value in row.items()) for _, row in table.iterrows()]
    return names if len(set(names)) == len(names) and max(map(len, names)) <= LONGEST_LABEL else []
