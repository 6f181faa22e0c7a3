/* SPDX-License-Identifier: MIT */
/* Parses times that users write. */
#ifndef CLEW_CLI_COMMON_TIME_TEXT_H
#define CLEW_CLI_COMMON_TIME_TEXT_H

#include <stdint.h>

/*
 * Parses "1.5" (seconds), "1500ms", "20us", "300ns" or "1.5s". Returns 0 or
 * -EINVAL.
 */
int read_time(const char *text, uint64_t *ns);

#endif
