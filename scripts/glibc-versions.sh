#!/bin/sh
# SPDX-License-Identifier: MIT
#
# scripts/glibc-versions.sh BUILD-DIRECTORY checks that the libraries that are
# loaded into programs need no symbol version of glibc above 2.17.
#
# A loader that lacks a version ends the program, even if the library was only
# preloaded. Functions that are newer, or that moved to another library of glibc
# since, are looked up at run time: by NEXT() in libclew.so, and by
# loaded_symbol_next() in agents.
set -eu

newest=GLIBC_2.17

[ $# -eq 1 ] || {
	echo "usage: scripts/glibc-versions.sh BUILD-DIRECTORY" >&2
	exit 2
}
status=0
for file in preload/libclew.so preload/in-blocks/libclew.so \
	alloc/libclew-alloc.so locks/libclew-locks.so agent/libclew-agent.so; do
	versions=$(objdump --private-headers "$1/$file" |
		sed -n 's/^ *0x[0-9a-f]* 0x[0-9a-f]* [0-9]* \(GLIBC_\)/\1/p')
	[ -n "$versions" ] || {
		echo "glibc-versions: $1/$file does not need glibc" >&2
		exit 2
	}
	for version in $versions; do
		last=$(printf '%s\n' $newest "$version" | sort -V | tail -n 1)
		[ "$last" != $newest ] || continue
		status=1
		echo "glibc-versions: $file needs $version for" \
			"$(objdump --dynamic-syms "$1/$file" |
				grep -F "($version)" | sed 's/.* //' | xargs)"
	done
done
exit $status
