# SPDX-License-Identifier: MIT
# complete.bash COMPLETION WORD...: what bash would offer for the last word.
# As readline does, words are parted at "=".
source "$1"
shift
COMP_WORDS=()
for word; do
	if [[ $word == --*=* ]]; then
		COMP_WORDS+=("${word%%=*}" "=")
		word=${word#*=}
		[[ $word ]] || continue
	fi
	COMP_WORDS+=("$word")
done
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_clew
((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
