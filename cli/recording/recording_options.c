/* SPDX-License-Identifier: MIT */
/* See recording_options.h. */
#include "cli/recording/recording_options.h"
#include "cli/common/command.h"

#include <stddef.h>
#include <string.h>

/* Returns the word of the directive that an option adds, or NULL. */
static const char *directive_of(int key)
{
	static const struct {
		const char *word;
		int letter;
	} options[] = {
#define X(id, word, kind, member, standard, least, most, commands, key, ...)   \
	{ word, key },
		WIRE_DIRECTIVES(X)
#undef X
	};

	for (int i = 0; i < DIRECTIVE_COUNT; i++)
		if (key == (options[i].letter ? options[i].letter
					      : KEY_OF_DIRECTIVES + i))
			return options[i].word;
	return NULL;
}

/*
 * Reports an error. `why` begins with the directive and its value ("time x:
 * ..."), unless the directive is in a file.
 */
static void complain_of_option(struct argp_state *state, const char *directive,
			       char *why)
{
	const size_t length = directive ? strlen(directive) : 0;

	if (!directive)
		complain_of_usage(state, "--rules: %s", why);
	else if (strncmp(why, directive, length) == 0 && why[length] == ' ')
		complain_of_usage(state, "--%s=%s", directive,
				  why + length + 1);
	else
		complain_of_usage(state, "--%s", why);
}

static void configure(struct directives *directives, int key,
		      const char *argument, struct argp_state *state)
{
	const int is_trace = key == KEY_OF_DIRECTIVES + DIRECTIVE_TRACE;
	char *why;
	int err;

	if (key == KEY_RULES)
		err = directives_add_file(directives, argument, &why);
	else
		err = directives_add(directives, directive_of(key),
				     is_trace && !argument
					     ? DIRECTIVE_TRACE_STANDARD
					     : argument,
				     &why);
	if (err)
		complain_of_option(state,
				   key == KEY_RULES ? NULL : directive_of(key),
				   why);
}

error_t recording_parse(struct directives *directives, int key,
			const char *argument, struct argp_state *state)
{
	if (key != KEY_RULES && !directive_of(key))
		return ARGP_ERR_UNKNOWN;
	configure(directives, key, argument, state);
	return 0;
}

void recording_check(const struct directives *directives,
		     struct argp_state *state)
{
	const char *why = directives_conflict(directives);

	if (why)
		argp_error(state, "%s", why);
}
