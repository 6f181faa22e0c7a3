# SPDX-License-Identifier: MIT
# complete.zsh FOLDER LINE: what zsh would offer at the end of LINE, by the
# completion functions of FOLDER. Another shell, on a terminal of its own, reads
# this file, too, and completes; its compadd prints what it is given.

if [[ -n $COMPLETE_FOLDER ]]; then
	PROMPT=
	fpath=($COMPLETE_FOLDER $fpath)
	autoload -Uz compinit && compinit -C -d $XDG_CACHE_HOME/zcompdump
	zstyle ':completion:*' insert-tab false
	bindkey '^I' complete-word
	show_begin() { print -r -- "<<<" }
	show_end() { print -r -- ">>>"; exit }
	compprefuncs=(show_begin)
	comppostfuncs=(show_end)
	compadd() {
		local -a hits

		# These fill arrays, and add nothing.
		if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
			builtin compadd -A hits "$@"
			((${#hits})) && print -rl -- "+"${^hits}
		fi
		builtin compadd "$@"
	}
	return
fi

zmodload zsh/zpty
zpty inner "COMPLETE_FOLDER=${(q)1} TERM=dumb zsh -f -i"
zpty -w inner "source ${(q)0:a}; print REA''DY"
zpty -r inner line $'*READY*'
zpty -w -n inner "$2"$'\t'
zpty -r inner line '*>>>*'
print -r -- "${${line#*<<<}%%>>>*}" | tr -d '\r' | sed -n 's/^+//p'
zpty -d inner
