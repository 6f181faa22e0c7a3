/* SPDX-License-Identifier: MIT */
/* Reads the values of options and arguments of any command. */
#ifndef CLEW_CLI_COMMON_OPTION_VALUES_H
#define CLEW_CLI_COMMON_OPTION_VALUES_H

#include <argp.h>
#include <regex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* An extended regular expression for regexec() without matches, or argp_error(). */
void parse_regex(struct argp_state *state, const char *option, const char *text,
		 regex_t *regex);

/* From 0 to 100, or argp_error(). */
double parse_percent(struct argp_state *state, const char *text);

/* argp_error(): the option takes one of these words, and not this one. */
void refuse_word(struct argp_state *state, const char *option, const char *word,
		 const char *const *known, size_t count);

/* The index of the option's word in `known`, or argp_error(). */
size_t parse_word(struct argp_state *state, const char *option,
		  const char *word, const char *const *known, size_t count);

/* The id of a process, or argp_error(). */
pid_t parse_pid(struct argp_state *state, const char *text);

/*
 * Of a command that takes one: what argp says of its arguments. ARGP_ERR_UNKNOWN for
 * what is none.
 */
error_t parse_process(int key, char *argument, struct argp_state *state,
		      pid_t *pid);

/* A number from 0 to `most`, or argp_error(). */
uint64_t parse_number(struct argp_state *state, const char *option,
		      const char *text, uint64_t most);

#endif
