/* SPDX-License-Identifier: MIT */
/* See option_values.h. */
#include "cli/common/option_values.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/common/known_words.h"

pid_t parse_pid(struct argp_state *state, const char *text)
{
	char *end;
	const long pid = strtol(text, &end, 10);

	if (end == text || *end || pid <= 0 || pid > INT32_MAX)
		complain_of_usage(state, "%s: not a PID", text);
	return (pid_t)pid;
}

error_t parse_process(int key, char *argument, struct argp_state *state,
		      pid_t *pid)
{
	switch (key) {
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			return ARGP_ERR_UNKNOWN;
		*pid = parse_pid(state, argument);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no process is given; give its PID");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

uint64_t parse_number(struct argp_state *state, const char *option,
		      const char *text, uint64_t most)
{
	char *end;
	unsigned long long number;

	errno = 0;
	number = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || number > most)
		complain_of_usage(state,
				  "--%s=%s: not a number from 0 to %" PRIu64,
				  option, text, most);
	return number;
}

void refuse_word(struct argp_state *state, const char *option, const char *word,
		 const char *const *known, size_t count)
{
	char *why = known_words_text(word, known, count);

	complain_of_usage(state, "--%s=%s: %s", option, word, why);
	free(why);
}

size_t parse_word(struct argp_state *state, const char *option,
		  const char *word, const char *const *known, size_t count)
{
	const size_t found = known_words_find(word, known, count);

	if (found == count)
		refuse_word(state, option, word, known, count);
	return found;
}

double parse_percent(struct argp_state *state, const char *text)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || *end || !(percent >= 0 && percent <= 100))
		complain_of_usage(
			state, "--threshold=%s: not a percentage from 0 to 100",
			text);
	return percent;
}

char *literal_regex(const char *text)
{
	char *escaped = memory_escaped(text, ".[]{}()*+?^$|\\");
	char *regex = memory_printf("^%s$", escaped);

	free(escaped);
	return regex;
}

/*
 * Returns whether a text that is no regular expression can be the name of a
 * function: an operator, a lambda or closure, or a method of Go.
 */
static int is_like_a_name(const char *text)
{
	return strstr(text, "operator") || strchr(text, '{') ||
	       strstr(text, "(*");
}

void parse_regex(struct argp_state *state, const char *option, const char *text,
		 regex_t *regex)
{
	int err = regcomp(regex, text, REG_EXTENDED | REG_NOSUB);
	char *name = literal_regex(text), *all;
	char why[128];

	if (err && !is_like_a_name(text)) {
		regerror(err, regex, why, sizeof(why));
		complain_of_usage(state,
				  "--%s=%s: not a regular expression: %s",
				  option, text, why);
	}
	all = err ? memory_printf("%s", name)
		  : memory_printf("%s|%s", text, name);
	if (!err)
		regfree(regex);
	if (regcomp(regex, all, REG_EXTENDED | REG_NOSUB) != 0)
		complain_of_usage(state, "--%s=%s: too long", option, text);
	free(all);
	free(name);
}
