/* SPDX-License-Identifier: MIT */
/* Times as users write them. */
#ifndef CLEW_CLI_COMMON_TIME_TEXT_H
#define CLEW_CLI_COMMON_TIME_TEXT_H

#include <stdint.h>

/* "1.5", in seconds, or "1500ms", "20us", "300ns", "1.5s": 0, or -EINVAL. */
int read_time(const char *text, uint64_t *ns);

#endif
