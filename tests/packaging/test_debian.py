#!/usr/bin/python3
"""The Debian package that cpack makes, unpacked in a folder: command, catalogue, page, completion, Python.

usage: test_debian.py CPACK BUILD     BUILD: a build folder with everything that is installed already built
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from named_cases import check, run_cases_in_folders  # noqa: E402


def call(folder, *words, **environment):
    """What a command prints that must succeed, without what this machine says of lightrail."""
    of_this_machine = ("LIGHTRAIL", "LIGHTRAIL_CATALOGUE", "PYTHONPATH")
    own = {k: v for k, v in os.environ.items() if k not in of_this_machine}
    done = subprocess.run([str(w) for w in words], cwd=folder, text=True, capture_output=True, timeout=600,
                          stdin=subprocess.DEVNULL, env={**own, **environment})
    check(done.returncode == 0, f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


def runs_from_where_it_lands(cpack, build, folder):
    call(folder, cpack, "--config", f"{build}/CPackConfig.cmake", "-B", folder / "packages")
    made = list((folder / "packages").glob("*.deb"))
    check(len(made) == 1, f"packages: {made}")
    needs = call(folder, "dpkg-deb", "--field", made[0], "Depends")
    check(all(library in needs for library in ("libc6", "libhdf5-mpich", "libmpich12", "libfmt9")), needs)
    root = folder / "anywhere"
    call(folder, "dpkg-deb", "--extract", made[0], root)
    lightrail, share = root / "usr/bin/lightrail", root / "usr/share"
    shown = call(folder, lightrail, "catalogue", "show", "gpus/h100_sxm")
    check(f"file {share}/lightrail/configs/gpus/h100_sxm.xml" in shown, shown[:500])
    printed = call(folder, lightrail, "run", share / "lightrail/scenarios/examples/two_servers.xml", "--progress",
                   "none")
    check("status           complete" in printed, printed)
    check("where it went" in call(folder, lightrail, "explain", "two_servers.h5"), "no explanation")
    for file in ("man/man1/lightrail.1", "bash-completion/completions/lightrail", "doc/lightrail/docs/tutorial.md",
                 "doc/lightrail/LICENSE", "doc/lightrail/CHANGELOG.md"):
        check((share / file).is_file(), f"no {file}")
    check("_lightrail" in (share / "bash-completion/completions/lightrail").read_text(), "no completion")
    # Of a checkout nothing may be found: neither package nor program.
    program = ("import lightrail_post as post; run = post.open_run('two_servers.h5'); print(post.__file__, "
               "post.find_program(), run.info['status'])")
    said = call(folder, "/usr/bin/python3", "-c", program, PATH="/usr/bin:/bin", MPLCONFIGDIR=str(folder),
                PYTHONPATH=str(root / "usr/lib/python3/dist-packages"), PYTHONDONTWRITEBYTECODE="1").split()
    check(said[0].startswith(str(root)) and said[1:] == [str(lightrail), "complete"], said)


CASES = {"the Debian package runs from wherever it is unpacked": runs_from_where_it_lands}


sys.exit(run_cases_in_folders(CASES, sys.argv[1], str(pathlib.Path(sys.argv[2]).resolve())))
