/* SPDX-License-Identifier: MIT */
/* Options for a window of time in a trace, for a command's argp. */
#ifndef CLEW_CLI_COMMON_TRACE_OPTIONS_H
#define CLEW_CLI_COMMON_TRACE_OPTIONS_H

#include <argp.h>

#include "report/trace/merged_lines.h"

/*
 * Zero-initialize before parsing. Times count from the start of the recording's
 * first process.
 */
struct window_options {
	uint64_t from_ns, to_ns, around_ns;
	int has_from, has_to, has_around;
};

/* Use as a child; its input is a struct window_options. */
extern const struct argp window_argp;

/* Like window_argp, for commands in whose help other options come first. */
extern const struct argp later_window_argp;

int window_is_asked(const struct window_options *options);

struct trace_window window_of(const struct window_options *options,
			      uint64_t start_ns);

/* Parses a time as read_time() does, or calls argp_error(). */
uint64_t parse_time_option(struct argp_state *state, const char *option,
			   const char *text);

#endif
