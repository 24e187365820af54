#!/bin/bash
# Runs a scenario and executes a notebook on its result: every cell runs, every figure comes out.
# execute.sh LIGHTRAIL SCENARIO NOTEBOOK FOLDER FIGURES      SCENARIO "-": nothing is run first
set -eu
lightrail=$1 scenario=$2 notebook=$3 folder=$4 figures=$5
rm -rf "$folder" && mkdir -p "$folder"
[ "$scenario" = - ] || "$lightrail" run "$scenario" --out "$folder/result.h5" --progress none
cp "$notebook" "$folder/notebook.ipynb"
cd "$folder"
LIGHTRAIL_RESULT="$folder/result.h5" "$LIGHTRAIL_PYTHON" -m nbconvert --to notebook --execute --inplace \
  --ExecutePreprocessor.kernel_name=python3 --ExecutePreprocessor.timeout=240 notebook.ipynb
pictures=$("$LIGHTRAIL_PYTHON" - <<'PYTHON'
import json
cells = json.load(open("notebook.ipynb"))["cells"]
print(sum("image/png" in out.get("data", {}) for cell in cells for out in cell.get("outputs", [])))
PYTHON
)
if [ "$pictures" -lt "$figures" ]; then
  echo "$notebook: $pictures figures of $figures" && exit 1
fi
echo "$notebook: $pictures figures"
