/* SPDX-License-Identifier: MIT */
/*
 * The next functions after the fronts.
 *
 * The library looks them up in advance, because dlsym() may not be called where
 * some of them may: in signal handlers, and between vfork and exec.
 */
#ifndef CLEW_HOST_NEXT_H
#define CLEW_HOST_NEXT_H

#include <stdint.h>

#include "preload/host/fronts.h"
#include "preload/sys/range.h"

struct next_functions {
	struct pc_range unwinder; /* the module of _Unwind_GetCFA */
	struct pc_range libc;
#define X(name, import_traits) void *name;
	FRONTS_HELD(X)
	NEXT_ONLY(X)
#undef X
};

extern struct next_functions next;

/* The targets of assembly's jumps. */
#define X(name, import_traits) extern void *next_##name;
FRONTS_JUMPED(X)
#undef X

static inline int next_is_inside(const struct pc_range *range, uint64_t pc)
{
	return pc >= range->start && pc < range->end;
}

/*
 * Looks up all next functions. Called again while some are missing: functions
 * of an unwinder appear when libc loads it, for example to cancel a thread.
 */
void next_find(void);

#define NEXT(name)                                                             \
	({                                                                     \
		if (!next.name)                                                \
			next_find();                                           \
		(__typeof__(&name))next.name;                                  \
	})

#define EXPORT __attribute__((visibility("default")))

#endif
