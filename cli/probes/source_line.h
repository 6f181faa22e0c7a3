/* SPDX-License-Identifier: MIT */
/*
 * Converts a source line, [MODULE:]FILE:LINE, to addresses, one for each copy
 * of the line. Inlining and cloning create copies.
 */
#ifndef CLEW_CLI_PROBES_SOURCE_LINE_H
#define CLEW_CLI_PROBES_SOURCE_LINE_H

#include <stddef.h>

/*
 * Stores the addresses in *resolved, as image/probe_spec.h describes, which the
 * caller frees; NULL if the text is no source line. Stores at most the lowest
 * `copies` addresses; if there are more, the text ends with " (1 of 3 copies)",
 * for example. Returns 0, or -EINVAL and *why.
 */
int source_line_resolve(const char *text, const char *program, size_t copies,
			char **resolved, char **why);

#endif
