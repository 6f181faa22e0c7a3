#!/bin/sh
# SPDX-License-Identifier: MIT
#
# scripts/hot-symbols.sh BUILD-DIRECTORY checks the code that runs between a call
# and its callee:
#
# 1. Hot code (preload/hot) calls no external functions except those named hot_*
#    in the library "warm" (see preload/CMakeLists.txt), which are written for
#    its slow paths and obey the same rules.
# 2. Neither hot nor warm code uses SSE, MMX or x87 registers, because the
#    interrupted function may have values in any of them. This code also
#    does not read the stack protector's word, because %fs may not be set up in
#    a new thread.
set -eu

[ $# -eq 1 ] || {
	echo "usage: scripts/hot-symbols.sh BUILD-DIRECTORY" >&2
	exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Lists the objects of a library whose sources exist. All other objects remain
# from sources that were moved.
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
"$root"/scripts/layers.py --mild | while read -r source; do
	case $source in
	preload/*) source=${source#preload/} ;;
	*) source=__/$source ;;
	esac
	object=$1/preload/CMakeFiles/libclew.dir/$source.o
	if [ -f "$object" ]; then # Java's are missing where there is no JDK
		echo "$object"
	fi
done >"$work/mild"
for kind in hot warm mild; do
	if [ ! -s "$work/$kind" ]; then
		echo "hot-symbols: no objects of $kind in $1" >&2
		exit 2
	fi
done

xargs nm --defined-only --format=just-symbols <"$work/hot" >"$work/given"
xargs nm --defined-only --format=just-symbols <"$work/warm" |
	grep '^hot_' >>"$work/given"
# a symbol of the linker for position-independent code
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
$(cat "$work/hot" "$work/warm" "$work/mild")
LIST
exit $bad
