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

# What zsh's completion does on Tab: the line's words, the number of that at the cursor (from 1), the function.
PRESS_TAB_IN_ZSH = """
autoload -U compinit && compinit -D -u
eval "$($1 completion zsh)" || exit 3
[[ ${_comps[lightrail]} == _lightrail ]] || exit 4
compadd() { shift; print -l -- ${(M)@:#${words[CURRENT]}*} }
_files() { print FILES }
words=("$@") CURRENT=$#
_lightrail
"""


def offered(lightrail, folder, *words):
    """What bash offers for the last of the words; zsh must offer the same."""
    done = subprocess.run(["bash", "--norc", "-c", PRESS_TAB, lightrail, *words], cwd=folder, text=True,
                          capture_output=True, timeout=60)
    check(done.returncode == 0 and "-F _lightrail lightrail" in done.stderr, done.stderr)
    zsh = subprocess.run(["zsh", "-f", "-c", PRESS_TAB_IN_ZSH, "zsh", lightrail, *words], cwd=folder, text=True,
                         capture_output=True, timeout=60)
    check(zsh.returncode == 0 and not zsh.stderr, zsh.stderr)
    in_bash, in_zsh = done.stdout.split(), [word for word in zsh.stdout.split() if word != "FILES"]
    check(in_bash == in_zsh and (in_zsh or "FILES" in zsh.stdout), f"{words}: {in_bash}, in zsh {zsh.stdout}")
    return in_bash


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


def zsh_completes_on_a_terminal(lightrail, folder):
    """The keys themselves: val and Tab in an interactive zsh give validate, and a file behind it."""
    pathlib.Path(folder, "scenario.xml").touch()
    keys = f"eval \"$({lightrail} completion zsh)\"\nlightrail val\tscen\t#\nexit\n"
    start = "autoload -U compinit; compinit -D -u; setopt interactive_comments; lightrail() { print GOT $@ }\n"
    shell = ["script", "-qec", "zsh -f -i", "/dev/null"]
    done = subprocess.run(shell, cwd=folder, input=start + keys, text=True, capture_output=True, timeout=60,
                          env={**os.environ, "TERM": "dumb"})
    check("GOT validate scenario.xml" in done.stdout, done.stdout)


def the_manual_page_is_clean(lightrail, folder):
    page = subprocess.run([lightrail, "man"], text=True, capture_output=True, timeout=60).stdout
    read = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, text=True, capture_output=True,
                          timeout=60, env={**os.environ, "LC_ALL": "C.UTF-8"})
    check(read.returncode == 0 and not read.stderr, read.stderr)
    plain = re.sub(".\x08|\x1b\\[[0-9;]*m", "", read.stdout)  # without bold
    for wanted in ("SYNOPSIS", "lightrail sweep SCENARIO", "--check-grain", "EXIT STATUS"):
        check(wanted in plain, f"no '{wanted}'")


CASES = {
    "bash and zsh complete commands, and the options of each": commands_and_their_options,
    "bash and zsh complete values of options and parts of commands": values_and_parts,
    "bash and zsh complete entries of the catalogue": entries_of_the_catalogue,
    "zsh completes on a terminal": zsh_completes_on_a_terminal,
    "groff has nothing to say against the manual page": the_manual_page_is_clean,
}


sys.exit(run_cases_in_folders(CASES, str(pathlib.Path(sys.argv[1]).resolve())))
