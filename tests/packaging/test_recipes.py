#!/usr/bin/python3
"""The recipes of packaging/, as far as a machine without containers and Spack can tell: their syntax, their
shell, and that they know what the build needs.

usage: test_recipes.py ROOT     ROOT: the repository
"""
import ast
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from named_cases import check, run_cases  # noqa: E402

ROOT = pathlib.Path(sys.argv[1]).resolve()
# Spack's names of what LightrailDependencies.cmake looks for.
SPACK = {"MPI": "mpi", "fmt": "fmt", "pugixml": "pugixml", "Boost": "boost", "nlohmann_json": "nlohmann-json",
         "SQLite3": "sqlite", "ZLIB": "zlib-api", "Protobuf": "protobuf", "PkgConfig": "pkgconfig", "HDF5": "hdf5",
         "yaml-0.1": "libyaml", "metis": "metis"}
OF_THE_COMPILER = {"Threads", "Catch2"}  # and Catch2, of tests alone
INSTRUCTIONS = {"FROM", "COPY", "WORKDIR", "RUN", "ENTRYPOINT"}
SECTIONS = {"files", "files from build", "post", "environment", "runscript", "test"}


def shell_is_sound(text):
    done = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True)
    check(done.returncode == 0, done.stderr + text)


def names_files_that_exist(text):
    for name in re.findall(r"(?<![\w/.-])tools/[\w./-]+", text):
        check((ROOT / name).exists(), f"there is no {name}")
    for name in re.findall(r"/usr/share/lightrail/(scenarios/\S+)", text):
        check((ROOT / name).exists(), f"there is no {name}")


def containerfile():
    text = (ROOT / "packaging/Containerfile").read_text()
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    check({line.split()[0] for line in lines} == INSTRUCTIONS, lines)
    for line in lines:
        if line.startswith("RUN "):
            shell_is_sound(line[4:])
    stages = re.findall(r"^FROM \S+ AS (\w+)$", text, re.M)
    check(set(re.findall(r"--from=(\w+)", text)) == set(stages), "a stage that nobody makes")
    names_files_that_exist(text)


def apptainer_definition():
    text = (ROOT / "packaging/lightrail.def").read_text()
    parts = re.split(r"^%(.+)$", text, flags=re.M)
    check(set(parts[1::2]) == SECTIONS, parts[1::2])
    for name, content in zip(parts[1::2], parts[2::2]):
        if not name.startswith("files"):
            shell_is_sound(content.split("\nBootstrap:")[0])
    check(re.findall(r"^(?:Bootstrap|From|Stage): (\S+)$", text, re.M)
          == ["docker", "debian:12", "build", "docker", "debian:12", "final"], "headers")
    names_files_that_exist(text)


def spack_package():
    tree = ast.parse((ROOT / "packaging/package.py").read_text())
    calls = [(node.func.id, node.args[0].value) for node in ast.walk(tree)
             if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args]
    wanted = {re.split(r"[@+]", spec)[0] for name, spec in calls if name == "depends_on"}
    cmake = (ROOT / "cmake/LightrailDependencies.cmake").read_text()
    found = set(re.findall(r"find_package\((\w+)", cmake)) - OF_THE_COMPILER
    found |= set(re.findall(r"IMPORTED_TARGET (\S+?)\)", cmake)) | {"metis"}
    check(found == set(SPACK), f"the build needs {found ^ set(SPACK)}: say here and in package.py what Spack calls it")
    check(set(SPACK.values()) <= wanted, f"package.py lacks {set(SPACK.values()) - wanted}")
    minima = re.findall(r"find_package\((\w+) ([\d.]+)", cmake)
    specs = [spec for name, spec in calls if name == "depends_on"]
    for name, least in minima:
        if name in SPACK:
            check(any(spec.startswith(f"{SPACK[name]}@{least}:") for spec in specs), f"{name} from {least} on")
    version = re.search(r"^project\(lightrail VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    check(("version", version) in calls, f"package.py has no version {version}")


CASES = {"the Containerfile is sound": containerfile, "Apptainer's definition is sound": apptainer_definition,
         "Spack's package needs what CMake looks for": spack_package}


sys.exit(run_cases(CASES, lambda case: case()))
