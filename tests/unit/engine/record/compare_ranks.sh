#!/bin/bash
# Any number of ranks, either way of writing, any grouping of intervals: the same file but for /run and
# /profile. compare_ranks.sh MPIEXEC RECORD_ROWS FOLDER INTERVALS ROWS CROWD, with LIGHTRAIL_PYTHON and
# PYTHONPATH
set -eu
mpiexec=$1 program=$2 folder=$3 intervals=$4 rows=$5 crowd=$6
rm -rf "$folder" && mkdir -p "$folder"
"$program" "$folder/expected.h5" gather "$intervals" "$rows" 0
compare() {
  "$mpiexec" -n "$1" "$program" "$folder/$1.h5" "$2" "$intervals" "$rows" "$3"
  h5diff --exclude-path=/run --exclude-path=/profile "$folder/expected.h5" "$folder/$1.h5" > "$folder/log"
  # h5diff passes over tables of different length; this does not.
  "$LIGHTRAIL_PYTHON" -m lightrail_post diff "$folder/expected.h5" "$folder/$1.h5"
  echo "$1 ranks, $2, a write every $3 s: equal"
  rm "$folder/$1.h5"
}
compare 1 gather 100
compare 1 collective 0
for ranks in 2 3 4; do
  compare $ranks gather 0
done
# A collective call costs 10 ms where ranks outnumber cores: several writes only with two.
compare 2 collective 0
compare "$crowd" collective 100
# The comparison can fail: one more row per component is a difference.
"$program" "$folder/other.h5" gather "$intervals" $((rows + 1)) 0
if "$LIGHTRAIL_PYTHON" -m lightrail_post diff "$folder/expected.h5" "$folder/other.h5" > "$folder/log"; then
  echo "no difference is seen where there is one" && exit 1
fi
rm -rf "$folder"
