#!/bin/sh
# SPDX-License-Identifier: MIT
#
# scripts/imports.sh BUILD-DIRECTORY checks that libclew.so calls only functions
# of other modules that preload/imports.txt allows, with a reason for each.
#
# 1. By name: every symbol that the loader resolves for the library.
# 2. By address: functions that the library looks up itself (next.h, lookup.h)
#    and does not only call from its wrapper of the same name.
#
# The script also checks that the libclew.so in in-blocks/ needs no static
# thread-local storage.
#
# The rules apply to the whole library, not only to code that runs under the
# loader's lock. The check therefore needs no call graph, which could be
# incomplete.
set -eu

[ $# -eq 1 ] || {
	echo "usage: scripts/imports.sh BUILD-DIRECTORY" >&2
	exit 2
}
library=$1/preload/libclew.so
in_blocks=$1/preload/in-blocks/libclew.so
for file in "$library" "$in_blocks"; do
	[ -f "$file" ] || {
		echo "imports: $file does not exist" >&2
		exit 2
	}
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Older linkers have the loader resolve protected symbols of the library itself.
readelf --wide --dyn-syms "$library" |
	awk '$6 == "PROTECTED" && $7 != "UND" { sub(/@.*/, "", $8); print $8 }' |
	sort -u >"$work/own"
readelf --wide --relocs "$library" | awk '$5 ~ /^[A-Za-z_]/ &&
	$3 ~ /^R_/ { sub(/@.*/, "", $5); print $5 }' | sort -u |
	comm -23 - "$work/own" >"$work/named"

# Lists FILE:NAME of each use, except in macros that define wrappers of any name
# and in #include "preload/host/next.h".
cd "$(dirname "$0")/.."
find preload arch -name '*.c' \
	-exec grep -oHE '(NEXT\(|[^a-z_]next\.)[A-Za-z_0-9]+' {} + |
	sed -E 's/:.*[(.]/:/' | grep -vE ':(name|h)$' | sort -u >"$work/uses"
while IFS=: read -r file name; do
	grep -qE "^EXPORT .*[ *]$name\(" "$file" || echo "next $name"
done <"$work/uses" | grep -vE ' (unwinder|libc)$' >"$work/called" || true
find preload arch -name '*.c' -exec grep -ohE 'lookup_any\([A-Z"][^)]*' {} + |
	sed 's/(/ /' >>"$work/called"

sort -u "$work/named" "$work/called" >"$work/found"
grep -v '^#' preload/imports.txt | sed -n 's/: .*//p' | sort -u >"$work/allowed"
comm -23 "$work/found" "$work/allowed" |
	sed 's/^/imports: not in preload\/imports.txt: /' >"$work/bad"
comm -13 "$work/found" "$work/allowed" |
	sed 's/^/imports: no longer needed in preload\/imports.txt: /' \
		>>"$work/bad"
readelf --wide --relocs --dynamic "$in_blocks" |
	grep -E 'R_X86_64_TPOFF64|STATIC_TLS' |
	sed "s|^|imports: static storage: $in_blocks: |" >>"$work/bad" || true
cat "$work/bad"
[ ! -s "$work/bad" ]
