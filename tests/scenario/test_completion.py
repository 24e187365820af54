#!/usr/bin/python3
"""`lightrail completion` in the shells that it is for, and the manual page in groff.

usage: test_completion.py LIGHTRAIL
"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from named_cases import check, run_cases_in_folders  # noqa: E402

# What readline does on a press of Tab: the line's words, the number of that at the cursor, then the function.
PRESS_TAB = """
source <("$0" completion bash) || exit 3
COMP_WORDS=("$0" "$@") COMP_CWORD=$#
_lightrail
printf '%s\\n' "${COMPREPLY[@]}"
complete -p lightrail >&2
"""

# zsh's own completion needs a terminal: the function is asked through the wrapper that compdef gets.
PRESS_TAB_IN_ZSH = """
autoload -U compinit && compinit -D -u
eval "$($1 completion zsh)" || exit 3
whence -w _lightrail _bash_complete
print ${_comps[lightrail]}
"""


def offered(lightrail, folder, *words):
    done = subprocess.run(["bash", "--norc", "-c", PRESS_TAB, lightrail, *words], cwd=folder, text=True,
                          capture_output=True, timeout=60)
    check(done.returncode == 0 and "-F _lightrail lightrail" in done.stderr, done.stderr)
    return done.stdout.split()


def help_options(lightrail, command):
    text = subprocess.run([lightrail, command, "--help"], text=True, capture_output=True, timeout=60).stdout
    return {line.split()[0] for line in text.splitlines() if line.startswith("  --")}


def commands_and_their_options(lightrail, folder):
    listed = subprocess.run([lightrail, "--help"], text=True, capture_output=True, timeout=60).stdout
    commands = {line.split()[0] for line in listed.split("\n\n")[1].splitlines()}
    check(set(offered(lightrail, folder, "")) == commands | {"--help", "--version"}, "not every command")
    check(offered(lightrail, folder, "va") == ["validate"], "not validate alone")
    for command in commands:
        wanted = help_options(lightrail, command) | {"--help"}
        found = set(offered(lightrail, folder, command, "--"))
        check(found == wanted, f"{command}: {found ^ wanted}")


def values_and_parts(lightrail, folder):
    for words, wanted in {("run", "x.xml", "--engine", ""): ["window", "reference"],
                          ("run", "x.xml", "--progress", "b"): ["bar"],
                          ("trace", ""): ["import", "generate", "show"],
                          ("completion", ""): ["bash", "zsh"],
                          ("new", "x.xml", "--fabric", "fat"): ["fat-tree"],
                          ("run", ""): [],  # files, which readline has itself
                          ("run", "x.xml", "--out", ""): []}.items():
        check(offered(lightrail, folder, *words) == wanted, f"{words}: {offered(lightrail, folder, *words)}")


def entries_of_the_catalogue(lightrail, folder):
    check(offered(lightrail, folder, "catalogue", "show", "gpus/h1") == ["gpus/h100_sxm"], "not the H100 alone")
    check(set(offered(lightrail, folder, "catalogue", "list", "ni")) == {"nics"}, "not nics alone")
    check(offered(lightrail, folder, "new", "x.xml", "--model", "llama3_1") == ["llama3_1_405b"], "no model")
    check("dgx_h100" in offered(lightrail, folder, "new", "x.xml", "--server", ""), "no server")


def zsh_takes_the_script(lightrail, folder):
    done = subprocess.run(["zsh", "-f", "-c", PRESS_TAB_IN_ZSH, "zsh", lightrail], cwd=folder, text=True,
                          capture_output=True, timeout=60)
    check(done.returncode == 0 and not done.stderr, done.stderr)
    check("_lightrail: function" in done.stdout and "_bash_complete" in done.stdout.splitlines()[-1], done.stdout)


def the_manual_page_is_clean(lightrail, folder):
    page = subprocess.run([lightrail, "man"], text=True, capture_output=True, timeout=60).stdout
    read = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, text=True, capture_output=True,
                          timeout=60, env={**os.environ, "LC_ALL": "C.UTF-8"})
    check(read.returncode == 0 and not read.stderr, read.stderr)
    plain = re.sub(".\x08|\x1b\\[[0-9;]*m", "", read.stdout)  # without bold
    for wanted in ("SYNOPSIS", "lightrail sweep SCENARIO", "--check-grain", "EXIT STATUS"):
        check(wanted in plain, f"no '{wanted}'")


CASES = {
    "bash completes commands, and the options of each": commands_and_their_options,
    "bash completes values of options and parts of commands": values_and_parts,
    "bash completes entries of the catalogue": entries_of_the_catalogue,
    "zsh takes the script": zsh_takes_the_script,
    "groff has nothing to say against the manual page": the_manual_page_is_clean,
}


sys.exit(run_cases_in_folders(CASES, str(pathlib.Path(sys.argv[1]).resolve())))
