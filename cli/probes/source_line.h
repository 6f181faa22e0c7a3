/* SPDX-License-Identifier: MIT */
/*
 * A place that is said as a line of a source, [MODULE:]FILE:LINE, as addresses: one for
 * each copy of the line. Inlining and cloning make copies.
 */
#ifndef CLEW_CLI_PROBES_SOURCE_LINE_H
#define CLEW_CLI_PROBES_SOURCE_LINE_H

#include <stddef.h>

/*
 * If it is one, *resolved is the place as image/probe_spec.h has it, for free(); else
 * NULL. It has the lowest `copies` at most, and says so if there are more. 0, or -EINVAL
 * and *why.
 */
int source_line_resolve(const char *text, const char *program, size_t copies,
			char **resolved, char **why);

#endif
