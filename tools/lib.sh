# Sourced by quickstart, test and gate: where things are, and how to build a preset.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
python=/usr/bin/python3  # Debian's, which has h5py; the first python3 on PATH may not

say() { printf '\n== %s\n' "$*"; }

# build PRESET [cmake option...]: configures build/PRESET and builds $target of it (default: all; several
# apart by spaces), with ccache where there is one.
build() {
  local preset=$1
  shift
  local launcher=() targets
  read -ra targets <<< "${target:-all}"
  if command -v ccache >/dev/null; then
    export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  say "building build/$preset"
  mkdir -p "build/$preset"
  cmake --preset "$preset" "${launcher[@]}" "$@" >"build/$preset/configure.log" 2>&1 ||
    { cat "build/$preset/configure.log" >&2; return 1; }
  cmake --build "build/$preset" --target "${targets[@]}"
}

# Seconds since the script started, for the reader.
elapsed() { printf '%d min %02d s' $((SECONDS / 60)) $((SECONDS % 60)); }
