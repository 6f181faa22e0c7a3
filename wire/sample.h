/* SPDX-License-Identifier: MIT */
/*
 * Samples of a recording (recording.h): the state of threads at regular times.
 */
#ifndef CLEW_WIRE_SAMPLE_H
#define CLEW_WIRE_SAMPLE_H

#include <stdint.h>

/*
 * One sample of a thread. Valid if tsc is not 0 (stored last, release). The id
 * is that of the innermost hooked function, or ID_ROOT. Samples are written by
 * code that is safe in signal handlers. While a thread stays blocked, its last
 * sample may grow: then several polls found the same state.
 */
struct wire_sample {
	_Atomic uint64_t tsc;
	uint64_t id;
	uint64_t where;  /* pc, flags, and the reason for blocking */
	uint64_t weight; /* the represented time, and the number of polls */
};
_Static_assert(sizeof(struct wire_sample) == 32, "on the wire");

#define WIRE_SAMPLE_PC ((UINT64_C(1) << 48) - 1) /* 0: unknown */
/* Wall: the thread was not running. */
#define WIRE_SAMPLE_BLOCKED (UINT64_C(1) << 63)
#define WIRE_SAMPLE_KERNEL  (UINT64_C(1) << 62) /* in a system call */
/* In a stub or in clew's library; in the kernel: on behalf of a sample. */
#define WIRE_SAMPLE_CLEW (UINT64_C(1) << 61)

/*
 * The reason for WIRE_SAMPLE_BLOCKED: 1 + N in system call N; WIRE_WAIT_UNKNOWN
 * or one of the last few values outside system calls. The pc, if known, is the
 * address at which the thread will continue.
 */
#define WIRE_SAMPLE_WAIT_SHIFT 48
#define WIRE_SAMPLE_WAIT_MASK  0x7ff

enum wire_wait {
	WIRE_WAIT_UNKNOWN = 0,
	WIRE_WAIT_CALL = 1, /* and the following numbers */
	/*
	 * Running: time of a thread that has no sample
	 * (preload/time/unsampled.h).
	 */
	WIRE_WAIT_UNSAMPLED = WIRE_SAMPLE_WAIT_MASK - 3,
	WIRE_WAIT_STOPPED = WIRE_SAMPLE_WAIT_MASK - 2, /* by a signal */
	/* Waits for a processor. */
	WIRE_WAIT_PROCESSOR = WIRE_SAMPLE_WAIT_MASK - 1,
	WIRE_WAIT_FAULT = WIRE_SAMPLE_WAIT_MASK, /* a page fault */
};

static inline uint64_t wire_sample_blocked(uint32_t wait)
{
	return WIRE_SAMPLE_BLOCKED | (uint64_t)(wait & WIRE_SAMPLE_WAIT_MASK)
					     << WIRE_SAMPLE_WAIT_SHIFT;
}

static inline uint32_t wire_sample_wait(const struct wire_sample *sample)
{
	return sample->where >> WIRE_SAMPLE_WAIT_SHIFT & WIRE_SAMPLE_WAIT_MASK;
}

/*
 * A weight has 48 bits of nanoseconds (three days) and 16 bits of polls, so
 * that one addition extends a sample.
 */
#define WIRE_WEIGHT_NS   ((UINT64_C(1) << 48) - 1)
#define WIRE_WEIGHT_LOOK (UINT64_C(1) << 48)

static inline uint64_t wire_sample_ns(const struct wire_sample *sample)
{
	return sample->weight & WIRE_WEIGHT_NS;
}

static inline uint32_t wire_sample_looks(const struct wire_sample *sample)
{
	return (uint32_t)(sample->weight / WIRE_WEIGHT_LOOK);
}

#endif
