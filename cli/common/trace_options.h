/* SPDX-License-Identifier: MIT */
/* A window of time in a trace, as options of a command's argp. */
#ifndef CLEW_CLI_COMMON_TRACE_OPTIONS_H
#define CLEW_CLI_COMMON_TRACE_OPTIONS_H

#include <argp.h>

#include "report/trace/merged_lines.h"

/* Zero-initialise before parsing. Times are since the recording's first process began. */
struct window_options {
	uint64_t from_ns, to_ns, around_ns;
	int has_from, has_to, has_around;
};

/* As a child; its input is a struct window_options. */
extern const struct argp window_argp;

int window_is_asked(const struct window_options *options);

struct trace_window window_of(const struct window_options *options,
			      uint64_t start_ns);

/* As read_time() takes it; or argp_error(). */
uint64_t parse_time(struct argp_state *state, const char *option,
		    const char *text);

#endif
