/* SPDX-License-Identifier: MIT */
/* See trace_options.h. */
#include "cli/common/trace_options.h"

#include "cli/common/command.h"
#include "cli/common/help.h"
#include "cli/common/time_text.h"

enum { KEY_FROM = 0x500, KEY_TO, KEY_AROUND };

/* Length of the window on each side of the time of --around. */
#define AROUND_NS UINT64_C(5000000)

/* clang-format off */
#define WINDOW_ROWS(flags) \
	{ "from", KEY_FROM, "TIME", flags, \
	  "From this time on, such as 1.5 (s), 200ms or 30us", HELP_WINDOW }, \
	{ "to", KEY_TO, "TIME", flags, \
	  "Up to this time since the first process started", HELP_WINDOW }, \
	{ "around", KEY_AROUND, "TIME", 0, \
	  "From 5 ms before this time to 5 ms after it", HELP_WINDOW }, \
	{ 0 },
/* clang-format on */

static const struct argp_option argp_options[] = { WINDOW_ROWS(HELP_FIRST) };
static const struct argp_option later_options[] = { WINDOW_ROWS(0) };

uint64_t parse_time_option(struct argp_state *state, const char *option,
			   const char *text)
{
	uint64_t ns = 0;

	if (read_time(text, &ns) != 0)
		complain_of_usage(
			state,
			"--%s=%s: not a time; write 1.5 (seconds), 200ms or "
			"30us, for example",
			option, text);
	return ns;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct window_options *options = state->input;

	switch (key) {
	case KEY_FROM:
		options->from_ns = parse_time_option(state, "from", argument);
		options->has_from = 1;
		return 0;
	case KEY_TO:
		options->to_ns = parse_time_option(state, "to", argument);
		options->has_to = 1;
		return 0;
	case KEY_AROUND:
		options->around_ns =
			parse_time_option(state, "around", argument);
		options->has_around = 1;
		return 0;
	case ARGP_KEY_END:
		if (options->has_around &&
		    (options->has_from || options->has_to))
			argp_error(state, "--around excludes --from and --to");
		if (options->has_from && options->has_to &&
		    options->from_ns > options->to_ns)
			argp_error(state, "--from is later than --to");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp window_argp = { .options = argp_options, .parser = parse };
const struct argp later_window_argp = { .options = later_options,
					.parser = parse };

int window_is_asked(const struct window_options *options)
{
	return options->has_from || options->has_to || options->has_around;
}

struct trace_window window_of(const struct window_options *options,
			      uint64_t start_ns)
{
	struct trace_window window = { 0 };

	if (options->has_from)
		window.from_ns = start_ns + options->from_ns;
	if (options->has_to)
		window.to_ns = start_ns + options->to_ns;
	if (options->has_around) {
		window.from_ns = start_ns;
		if (options->around_ns > AROUND_NS)
			window.from_ns += options->around_ns - AROUND_NS;
		window.to_ns = start_ns + options->around_ns + AROUND_NS;
	}
	return window;
}
