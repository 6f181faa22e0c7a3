#!/bin/sh
# SPDX-License-Identifier: MIT
#
# scripts/hot-symbols.sh BUILD-DIRECTORY checks what runs between a call and
# its callee:
#
# 1. The hot island (preload/hot) calls nothing outside of itself but functions
#    named hot_* that its slow paths find in the library "warm" (see
#    preload/CMakeLists.txt): a promise of theirs to be as careful.
# 2. Neither the island nor "warm" touches an SSE, MMX or x87 register: the
#    interrupted function may keep values in any of them, and be none the
#    wiser. Nor may they read the stack protector's word, as %fs may not be
#    set up in a thread that has just begun.
set -eu

[ $# -eq 1 ] || {
	echo "usage: scripts/hot-symbols.sh BUILD-DIRECTORY" >&2
	exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Those of a library whose source is there still: others are left from before it
# was moved.
objects() { # BUILD-DIRECTORY LIBRARY
	find "$1/preload" -path "*/$2.dir/*" -name '*.o' |
		while read -r object; do
			source=${object##*/CMakeFiles/"$2".dir/}
			source=preload/${source%.o}
			if [ -f "$root/${source#preload/__/}" ]; then
				echo "$object"
			fi
		done
}

root=$(dirname "$0")/..
objects "$1" hot >"$work/hot"
objects "$1" warm >"$work/warm"
for kind in hot warm; do
	if [ ! -s "$work/$kind" ]; then
		echo "hot-symbols: no objects of $kind in $1" >&2
		exit 2
	fi
done

xargs nm --defined-only --format=just-symbols <"$work/hot" >"$work/given"
xargs nm --defined-only --format=just-symbols <"$work/warm" |
	grep '^hot_' >>"$work/given"
# the linker's, named by position-independent code
echo _GLOBAL_OFFSET_TABLE_ >>"$work/given"
xargs nm --undefined-only --format=just-symbols <"$work/hot" |
	sed '/^$/d; /:$/d' | sort -u >"$work/needed"

bad=0
while read -r symbol; do
	if ! grep -Fxq -e "$symbol" "$work/given"; then
		echo "hot-symbols: code in preload/hot refers to the external symbol $symbol"
		bad=1
	fi
done <"$work/needed"

while read -r object; do
	if objdump -d --no-show-raw-insn "$object" |
		grep -E '%([xyz]?mm[0-9]|st\b)|%fs:0x28([^(]|$)' >"$work/hits"; then
		echo "hot-symbols: $object uses registers that preload/hot must not use:"
		head -n 5 "$work/hits"
		bad=1
	fi
done <<LIST
$(cat "$work/hot" "$work/warm")
LIST
exit $bad
