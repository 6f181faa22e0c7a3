#!/bin/sh
# SPDX-License-Identifier: MIT
#
# scripts/hot-symbols.sh OBJECT... checks the hot island's object files:
#
# 1. They call nothing outside the island. An undefined symbol must be another
#    part of the island (hot_*, whose definition is in one of the OBJECTs) or
#    on the short list below of what the cold side promises to give.
# 2. They touch no SSE, MMX or x87 register, for their callers are functions
#    that know nothing of being hooked and may keep values in any of them.
# 3. They are free of relocations that call through the PLT's lazy binding,
#    which follows from 1, and of the stack protector, which reads %fs:0x28.
set -eu

# Given by the cold side; every name needs its reason.
cold_gives='
rt
_GLOBAL_OFFSET_TABLE_
'
# rt: the one global of the target (STYLE, "State"), hidden
# _GLOBAL_OFFSET_TABLE_: the linker's, named by position-independent code

[ $# -gt 0 ] || {
	echo "usage: scripts/hot-symbols.sh OBJECT..." >&2
	exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nm --defined-only --format=just-symbols "$@" | sort -u >"$work/defined"
nm --undefined-only --format=just-symbols "$@" |
	sed '/^$/d; /:$/d' | sort -u >"$work/undefined"
printf '%s' "$cold_gives" | sed '/^$/d' | sort -u >"$work/given"

bad=0
while read -r symbol; do
	if ! grep -Fxq -e "$symbol" "$work/defined" "$work/given"; then
		echo "hot-symbols: the island needs $symbol from outside"
		bad=1
	fi
done <"$work/undefined"

for object in "$@"; do
	objdump -d --no-show-raw-insn "$object" |
		grep -E '%([xyz]mm|mm[0-7]|st\b)|%fs:0x28\b' >"$work/hits" || continue
	echo "hot-symbols: $object uses registers that are not ours:"
	head -5 "$work/hits"
	bad=1
done
exit $bad
