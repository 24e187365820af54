#!/bin/bash
# Executes a notebook with the package as pip installs it, in an environment of its own, without a network.
# execute_installed.sh LIGHTRAIL ROOT NOTEBOOK FOLDER FIGURES      LIGHTRAIL_PYTHON: whose packages it may use
set -eu
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
lightrail=$1 root=$2 notebook=$3 folder=$4 figures=$5
rm -rf "$folder.env" && mkdir -p "$folder.env"
cp -r "$root/postprocess" "$root/CMakeLists.txt" "$folder.env"  # pip writes beside what it builds
"$LIGHTRAIL_PYTHON" -m venv --system-site-packages "$folder.env/env"
unset PYTHONPATH
python=$folder.env/env/bin/python
cd "$folder.env"
"$python" -m pip install --quiet --no-index --no-deps --no-build-isolation ./postprocess
"$python" -m ipykernel install --sys-prefix > /dev/null  # Debian's own kernel is not of this environment
LIGHTRAIL=$lightrail LIGHTRAIL_PYTHON=$python "$here/execute.sh" - - "$notebook" \
  "$folder" "$figures"
