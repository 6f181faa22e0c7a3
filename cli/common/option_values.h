/* SPDX-License-Identifier: MIT */
/* Reads the values of options and arguments of any command. */
#ifndef CLEW_CLI_COMMON_OPTION_VALUES_H
#define CLEW_CLI_COMMON_OPTION_VALUES_H

#include <argp.h>
#include <regex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Returns an extended regular expression that matches this text alone. The
 * caller frees it.
 */
char *literal_regex(const char *text);

/*
 * Compiles an extended regular expression for regexec() without matches, which
 * also matches the text itself. A text that is no regular expression, but may
 * be the name of a function, such as "operator[]", matches itself alone. Calls
 * argp_error() for any other such text.
 */
void parse_regex(struct argp_state *state, const char *option, const char *text,
		 regex_t *regex);

/*
 * Returns the value of --threshold, a number from 0 to 100, or calls
 * argp_error().
 */
double parse_percent(struct argp_state *state, const char *text);

/* Calls argp_error() with the words that the option accepts. */
void refuse_word(struct argp_state *state, const char *option, const char *word,
		 const char *const *known, size_t count);

/* Returns the index of the option's word in `known`, or calls argp_error(). */
size_t parse_word(struct argp_state *state, const char *option,
		  const char *word, const char *const *known, size_t count);

/* Returns a pid, or calls argp_error(). */
pid_t parse_pid(struct argp_state *state, const char *text);

/*
 * Parses the arguments of a command that takes one pid. Returns
 * ARGP_ERR_UNKNOWN for other keys and for a second argument.
 */
error_t parse_process(int key, char *argument, struct argp_state *state,
		      pid_t *pid);

/* Returns a number from 0 to `most`, or calls argp_error(). */
uint64_t parse_number(struct argp_state *state, const char *option,
		      const char *text, uint64_t most);

#endif
