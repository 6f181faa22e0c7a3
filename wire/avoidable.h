/* SPDX-License-Identifier: MIT */
/*
 * System calls that the library can do without, because it makes them only for
 * a better result: finer time, a cache, live changes of code.
 *
 * A seccomp filter of the process may kill it at such a call. The command finds
 * out which calls the filters do not let through (cli/target/own_calls.h), and
 * passes them to the library as a set of bits: in the configuration of `clew
 * record`, and in clew_attachment. The library then makes none of them.
 */
#ifndef CLEW_WIRE_AVOIDABLE_H
#define CLEW_WIRE_AVOIDABLE_H

#include <stdint.h>
#include <sys/syscall.h>

#define WIRE_AVOIDABLE_CALLS(X)                                                \
	X(fallocate)                                                           \
	X(fchmod)                                                              \
	X(flock)                                                               \
	X(membarrier)                                                          \
	X(memfd_create)                                                        \
	X(mincore)                                                             \
	X(perf_event_open)                                                     \
	X(timer_create)                                                        \
	X(uname)                                                               \
	X(utimensat)

enum wire_avoidable {
#define X(name) WIRE_AVOIDABLE_##name,
	WIRE_AVOIDABLE_CALLS(X)
#undef X
	/* mprotect() with PROT_EXEC, without and with PROT_WRITE */
	WIRE_AVOIDABLE_executable,
	WIRE_AVOIDABLE_writable_executable,
	WIRE_AVOIDABLE_COUNT
};

#define WIRE_AVOIDS(name) (UINT64_C(1) << WIRE_AVOIDABLE_##name)
#define WIRE_AVOIDS_ALL   ((UINT64_C(1) << WIRE_AVOIDABLE_COUNT) - 1)

/* Returns the bit of a call, or 0 if the library cannot do without it. */
static inline uint64_t wire_avoidable_bit(long number)
{
	switch (number) {
#define X(name)                                                                \
	case SYS_##name:                                                       \
		return WIRE_AVOIDS(name);
		WIRE_AVOIDABLE_CALLS(X)
#undef X
	default:
		return 0;
	}
}

#endif
