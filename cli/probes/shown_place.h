/* SPDX-License-Identifier: MIT */
/*
 * Locations of probes by the names that reports show: "packs<int, double>",
 * "init [0x12e0]%return", or "libx.so+0x12e0" of a stripped library. The
 * library in the target does not know such names, so they are replaced by
 * addresses.
 */
#ifndef CLEW_CLI_PROBES_SHOWN_PLACE_H
#define CLEW_CLI_PROBES_SHOWN_PLACE_H

#include "cli/recording/needed_libraries.h"

/*
 * Searches the program, and then the libraries that it needs, for the function
 * that the user's text names, and for a file that it names with an address.
 * Returns 0 and stores "[MODULE:]0xADDRESS[%return] TEXT" in *resolved, which
 * the caller frees, or NULL if there is no such function; or -EINVAL and *why
 * if different functions match.
 */
int shown_place_resolve(const char *text, const struct needed_libraries *files,
			char **resolved, char **why);

#endif
