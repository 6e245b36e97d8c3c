#!/usr/bin/env bash
# The tests of the compiled loops, with every read and write checked (AddressSanitizer, UndefinedBehaviorSanitizer), for
# each kind of processor.
#
#   tools/sanitize.sh [PYTHON]
#
# PYTHON has what the tests need; default .venv/bin/python. Needs gcc. Works in a temporary folder; some minutes.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
python=${1:-$root/.venv/bin/python}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/helixlog"
tar -C "$root" --exclude='./.*' --exclude='./build' --exclude='*.so' -cf - . | tar -C "$work/helixlog" -xf -
cd "$work/helixlog"
suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
headers=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
checks="$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so)"

for processor in 0 1 2; do
    for source in projections/*/_*.c; do
        gcc -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -shared -fPIC -ffp-contract=off \
            -DBEST_PROCESSOR=$processor -I "$headers" "$source" -o "${source%.c}$suffix" -lm
    done
    # hnswlib frees with delete what it got from malloc, and Python keeps what it once allocated.
    PYTHONPATH=$work PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0:alloc_dealloc_mismatch=0 LD_PRELOAD=$checks \
        "$python" -m pytest -q -p no:cacheprovider tests/effectiveness tests/recall tests/review tests/text \
        tests/vector -k compiled
done
