/* SPDX-License-Identifier: MIT */
/* A place that is said as a line of a source, [MODULE:]FILE:LINE, as an address. */
#ifndef CLEW_CLI_SOURCE_LINE_H
#define CLEW_CLI_SOURCE_LINE_H

/*
 * If it is one, *resolved is the place as image/probe_spec.h has it, for free(); else
 * NULL. 0, or -EINVAL and *why.
 */
int source_line_resolve(const char *text, const char *program, char **resolved,
			char **why);

#endif
