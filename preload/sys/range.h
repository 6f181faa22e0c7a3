/* SPDX-License-Identifier: MIT */
#ifndef CLEW_SYS_RANGE_H
#define CLEW_SYS_RANGE_H

#include <stdint.h>

/* The pcs in [start, end). */
struct pc_range {
	uint64_t start;
	uint64_t end;
};

#endif
