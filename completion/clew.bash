# bash completion for clew(1)                               -*- shell-script -*-
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What there is to complete, clew says itself: its commands, each one's
# options, and what they take, are read from --help, in some milliseconds.
# An argument of lower-case words is a choice (process|thread); one of capitals
# says of what kind it is (FILE). Nothing here needs the package
# bash-completion; with it, programs complete as they do without clew.

# _clew_ask [COMMAND] --help
_clew_ask() {
	ARGP_HELP_FMT='rmargin=999,opt-doc-col=79' \
		"${COMP_WORDS[0]/#\~/$HOME}" "$@" 2>/dev/null </dev/null
}

_clew_commands() {
	_clew_ask --help | sed -nE 's/^  ([a-z0-9]+) .*/\1/p'
	echo help
}

# The options of a command, one a line with what it takes:
# "-o =PATH", "--output =PATH", "--color [=auto|always|never]", "--json ".
_clew_options() {
	_clew_ask "$1" --help | sed -nE '/^ +-/ {
		s/^ +//; s/  .*//
		s/^(-[^-]), (--[^=[]*)(.*)/\1\3, \2\3/
		s/, (-)/\n\1/g
		p
	}' | sed -E 's/^(--?[^=[]+)(.*)/\1 \2/'
}

# What an option takes, as --help has it.
_clew_argument() { # OPTIONS OPTION
	local option argument

	while read -r option argument; do
		if [[ $option == "$2" ]]; then
			echo "$argument"
			return
		fi
	done <<<"$1"
}

_clew_reply() { # COMPGEN-ARGUMENT...
	local found

	mapfile -t found < <(compgen "$@" -- "$cur")
	COMPREPLY+=("${found[@]}")
}

_clew_files() {
	compopt -o filenames 2>/dev/null
	_clew_reply "${@:--f}"
}

# Directories that hold a recording, and parts in one. Where there are none,
# directories that may lead to some.
_clew_recordings() {
	local candidate directories=()

	_clew_files -f -X '!*.part'
	while IFS= read -r candidate; do
		if compgen -G "$candidate/*.part" >/dev/null; then
			COMPREPLY+=("$candidate")
		else
			directories+=("$candidate")
		fi
	done < <(compgen -d -- "$cur")
	if ((${#COMPREPLY[@]} == 0)); then
		COMPREPLY=("${directories[@]}")
	fi
}

# One word of several, with commas between.
_clew_list() { # WORDS
	local before=

	[[ $cur == *,* ]] && before=${cur%,*},
	local cur=${cur##*,}
	_clew_reply -P "$before" -W "$1"
	compopt -o nospace 2>/dev/null
}

# Completes what an option takes. False if that is nothing.
_clew_value() { # ARGUMENT
	local argument=${1#[} choice='^[a-z0-9-]+([|][a-z0-9-]+)+$'

	argument=${argument%]}
	argument=${argument#=}
	case $argument in
	'') return 1 ;;
	FILE) _clew_files ;;
	FOLDER) _clew_files -d ;;
	PATH) _clew_recordings ;;
	PID) _clew_reply -W "$(cd /proc && echo [0-9]*)" ;;
	FORMAT)
		_clew_reply -W "$(_clew_ask export --help |
			sed -nE '1,/^Formats:/d; s/^  ([a-z-]+) .*/\1/p')"
		;;
	KEY*)
		_clew_list "self total per-call calls contexts callers
			callees name module"
		;;
	*)
		if [[ $argument =~ $choice ]]; then
			_clew_reply -W "${argument//|/ }"
		fi
		;;
	esac
	return 0
}

# Where the words begin that are not the command's options, in $first, and how
# many there are before the cursor, in $count.
_clew_find_words() { # OPTIONS
	local i argument

	first=0 count=0
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			((first)) || first=$((i + 1))
			count=$((count + COMP_CWORD - i - 1))
			return
		elif [[ ${COMP_WORDS[i]} == -?* ]]; then
			argument=$(_clew_argument "$1" "${COMP_WORDS[i]}")
			if [[ ${COMP_WORDS[i + 1]} == '=' ]]; then
				i=$((i + 2))
			elif [[ $argument == =* ]]; then
				i=$((i + 1))
			fi
		else
			((first)) || first=$i
			count=$((count + 1))
			[[ ${COMP_WORDS[1]} == record ]] && return
		fi
	done
}

# The program to record, and what it takes.
_clew_program() {
	if declare -F _command_offset >/dev/null; then
		_command_offset "$first"
	elif ((first == COMP_CWORD)); then
		compopt -o filenames 2>/dev/null
		_clew_reply -c
		if [[ $cur == */* ]]; then
			_clew_reply -f
		fi
	else
		_clew_files
	fi
}

_clew_word() { # COMMAND
	case $1 in
	record)
		((first)) || first=$COMP_CWORD
		_clew_program
		;;
	report | tree | html | export | dump)
		((count > 0)) || _clew_recordings
		;;
	diff)
		((count > 1)) || _clew_recordings
		;;
	merge)
		_clew_recordings
		;;
	list)
		if ((count == 0)); then
			_clew_files
			[[ $cur != [0-9]* ]] || _clew_value PID
		fi
		;;
	attach | detach) _clew_value PID ;;
	status | snapshot | top)
		((count > 0)) || _clew_value PID
		;;
	cache)
		if ((count == 0)); then
			_clew_reply -W 'ls prune warm'
		elif [[ ${COMP_WORDS[first]} == warm ]]; then
			_clew_files
		fi
		;;
	help)
		((count > 0)) || _clew_reply -W "$(_clew_commands)"
		;;
	esac
}

_clew() {
	local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
	local before=${COMP_WORDS[COMP_CWORD - 1]} options first count

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_clew_reply -W "$(_clew_commands)"
		[[ $cur != -* ]] || _clew_reply -W '--help --version'
		return
	fi
	[[ $command == help ]] || options=$(_clew_options "$command")
	_clew_find_words "$options"
	# After "--" or the program's name, nothing is an option of clew's.
	if ((first)) && [[ $command == record ||
		${COMP_WORDS[first - 1]} == -- ]]; then
		_clew_word "$command"
		return
	fi
	# readline takes --by=fun for three words: --by, = and fun.
	if [[ $cur == '=' ]]; then
		cur=
	elif [[ $before == '=' ]]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $(_clew_argument "$options" "$before") == '['* ]]; then
		before= # without an equals sign it takes nothing
	fi
	if _clew_value "$(_clew_argument "$options" "$before")"; then
		return
	fi
	if [[ $cur == -* ]]; then
		_clew_reply -W "$(sed -E 's/ =.*/=/; s/ .*//' <<<"$options")"
		if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == --*= ]]; then
			compopt -o nospace 2>/dev/null
		else
			COMPREPLY=("${COMPREPLY[@]%=}")
		fi
		return
	fi
	_clew_word "$command"
}

complete -F _clew clew
