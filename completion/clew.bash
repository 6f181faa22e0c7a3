# bash completion for clew(1)                               -*- shell-script -*-
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The commands, their options and the arguments of these are read from clew itself:
# `clew help` prints the commands, and `clew COMMAND --help=lines` prints each option
# on one line. Both take a few milliseconds.
# An argument of lower-case words is a choice (process|thread, all). An argument of
# capitals names a kind of word (FILE). This file works without the package
# bash-completion. With that package, `clew record` completes the program's own words.

# _clew_ask help, or _clew_ask COMMAND --help=lines
_clew_ask() {
	"${COMP_WORDS[0]/#\~/$HOME}" "$@" 2>/dev/null </dev/null
}

_clew_commands() {
	_clew_ask help | sed -nE 's/^  ([a-z0-9]+) .*/\1/p'
	echo help
}

# Prints the options of a command, one per line, each with its argument:
# "-o =PATH", "--output =PATH", "--color [=auto|always|never]", "--json ".
_clew_options() {
	_clew_ask "$1" --help=lines | sed -nE '/^ +-/ {
		s/^ +//; s/  .*//
		s/^(-[^-]), (--[^=[]*)(.*)/\1\3, \2\3/
		s/, (-)/\n\1/g
		p
	}' | sed -E 's/^(--?[^=[]+)(.*)/\1 \2/'
}

# Prints the argument of an option, as --help=lines writes it.
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

# Completes directories that contain a recording, and part files in such a directory.
# If there are none, completes all directories.
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

# Completes the last word of a list that is separated by commas.
_clew_list() { # WORDS
	local before=

	[[ $cur == *,* ]] && before=${cur%,*},
	local cur=${cur##*,}
	_clew_reply -P "$before" -W "$1"
	compopt -o nospace 2>/dev/null
}

# Completes the argument of an option. Fails if the option takes no argument.
_clew_value() { # ARGUMENT
	local argument=${1#[} choice='^[a-z0-9-]+([|][a-z0-9-]+)*$'

	argument=${argument%]}
	argument=${argument#=}
	case $argument in
	'') return 1 ;;
	FILE) _clew_files ;;
	FOLDER) _clew_files -d ;;
	PATH) _clew_recordings ;;
	PID) _clew_reply -W "$(cd /proc && echo [0-9]*)" ;;
	FORMAT)
		_clew_reply -W "$(_clew_ask export --help=lines |
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

# Sets $first to the index of the first word that is not an option of the command, and
# $count to the number of such words before the cursor.
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

# Completes the program to record and its arguments.
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
	view | report | tree | html | export | dump)
		((count > 0)) || _clew_recordings
		;;
	annotate)
		((count != 1)) || _clew_recordings
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
	# Words after "--" or after the program's name are not options of clew.
	if ((first)) && [[ $command == record ||
		${COMP_WORDS[first - 1]} == -- ]]; then
		_clew_word "$command"
		return
	fi
	# readline splits --by=fun into three words: --by, = and fun.
	if [[ $cur == '=' ]]; then
		cur=
	elif [[ $before == '=' ]]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $(_clew_argument "$options" "$before") == '['* ]]; then
		before= # the argument must follow an equals sign
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
