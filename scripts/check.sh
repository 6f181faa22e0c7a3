#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The checks that need no build, in a few seconds: every commit passes them.
set -eu
cd "$(dirname "$0")/.."

scripts/layers.py
scripts/seams.py
git ls-files -z '*.md' | xargs -0r scripts/doc-links.py
scripts/prose.py

# Versions of clang-format differ, so only this one is used.
if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
	git ls-files -z '*.c' '*.h' | xargs -0r clang-format --dry-run --Werror
else
	echo "check.sh: clang-format 14 is not installed; the format was not checked" >&2
fi

if command -v shellcheck >/dev/null; then
	git grep -lzE '^(#!/bin/sh|# shellcheck shell=)' | xargs -0r shellcheck
else
	echo "check.sh: shellcheck is not installed; scripts were not checked" >&2
fi

# Every file has one line with its licence.
missing=$(git ls-files '*.c' '*.h' '*.S' '*.py' '*.js' '*.mjs' 'scripts/*' \
	'completion/*' |
	xargs -r grep -L 'SPDX-License-Identifier: MIT' || true)
if [ -n "$missing" ]; then
	echo "check.sh: these files have no SPDX line: $missing" >&2
	exit 1
fi
