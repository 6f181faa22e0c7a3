#!/bin/sh
# SPDX-License-Identifier: MIT
#
# scripts/glibc-versions.sh BUILD-DIRECTORY [VERSION] checks which symbol versions of
# glibc the files of a build need: the libraries that are loaded into programs none
# above 2.17, and the command clew none above VERSION.
#
# A loader that lacks a version ends the program, even if the library was only
# preloaded. Functions that are newer, or that moved to another library of glibc
# since, are looked up at run time: by NEXT() in libclew.so, and by
# loaded_symbol_next() in agents.
set -eu

[ $# -eq 1 ] || [ $# -eq 2 ] || {
	echo "usage: scripts/glibc-versions.sh BUILD-DIRECTORY [VERSION]" >&2
	exit 2
}

is_above() { # VERSION BOUND
	[ "$1" != "$2" ] &&
		[ "$(printf '%s\n' "$1" "$2" | sort -V | tail -n 1)" = "$1" ]
}

status=0
check() { # FILE BOUND
	versions=$(objdump --private-headers "$build/$1" |
		sed -n 's/^ *0x[0-9a-f]* 0x[0-9a-f]* [0-9]* GLIBC_//p')
	[ -n "$versions" ] || {
		echo "glibc-versions: $build/$1 does not need glibc" >&2
		exit 2
	}
	for version in $versions; do
		is_above "$version" "$2" || continue
		status=1
		echo "glibc-versions: $1 needs GLIBC_$version for" \
			"$(objdump --dynamic-syms "$build/$1" |
				grep -F "GLIBC_$version" | sed 's/.* //' | xargs)"
	done
}

build=$1
for file in preload/libclew.so preload/in-blocks/libclew.so \
	preload/libclew-deputy.so alloc/libclew-alloc.so locks/libclew-locks.so \
	agent/libclew-agent.so; do
	check $file 2.17
done
[ $# -eq 1 ] || check cli/clew "$2"
exit $status
