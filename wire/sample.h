/* SPDX-License-Identifier: MIT */
/*
 * Samples in a recording (recording.h): states of threads at points in time,
 * which are one period apart on average or further.
 */
#ifndef CLEW_WIRE_SAMPLE_H
#define CLEW_WIRE_SAMPLE_H

#include <stdint.h>

/*
 * One sample of a thread. Valid if tsc is not 0 (stored last, release). The id
 * is that of the thread's context, or ID_ROOT outside all hooked functions.
 * While a thread stays blocked, clew may raise the weight of the thread's last
 * sample instead of adding further samples. The thread then was in the same
 * state at several polls.
 */
struct wire_sample {
	_Atomic uint64_t tsc;
	uint64_t id;
	uint64_t where;  /* pc, flags, and the reason for blocking */
	uint64_t weight; /* the represented time, and the number of polls */
};
_Static_assert(sizeof(struct wire_sample) == 32, "on the wire");

/* mask of the pc in `where`; 0: the pc is unknown */
#define WIRE_SAMPLE_PC ((UINT64_C(1) << 48) - 1)
/*
 * The thread was not running (WIRE_TIME_WALL), and WIRE_SAMPLE_WAIT_MASK says
 * why. Also set with WIRE_WAIT_UNSAMPLED, although the thread was running.
 */
#define WIRE_SAMPLE_BLOCKED (UINT64_C(1) << 63)
/* The thread was in the kernel. */
#define WIRE_SAMPLE_KERNEL (UINT64_C(1) << 62)
/*
 * The thread was in libclew.so, or in a stub but at none of the function's
 * displaced instructions. Together with WIRE_SAMPLE_KERNEL: in the kernel, to
 * take a sample.
 */
#define WIRE_SAMPLE_CLEW (UINT64_C(1) << 61)

/*
 * With WIRE_SAMPLE_BLOCKED, these bits contain an enum wire_wait: why the
 * thread was blocked. The pc, if known, is the address at which the thread will
 * continue.
 */
#define WIRE_SAMPLE_WAIT_SHIFT 48
#define WIRE_SAMPLE_WAIT_MASK  0x7ff

enum wire_wait {
	WIRE_WAIT_UNKNOWN = 0,
	/*
	 * The thread was in system call 0. WIRE_WAIT_CALL + N stands for system
	 * call N, as long as the sum is less than WIRE_WAIT_UNSAMPLED.
	 */
	WIRE_WAIT_CALL = 1,
	/*
	 * WIRE_TIME_CPU: the CPU time of a thread that ran but was never
	 * sampled (preload/time/unsampled.h).
	 */
	WIRE_WAIT_UNSAMPLED = WIRE_SAMPLE_WAIT_MASK - 3,
	/* the thread was stopped by a signal */
	WIRE_WAIT_STOPPED = WIRE_SAMPLE_WAIT_MASK - 2,
	/* The thread was waiting for a processor. */
	WIRE_WAIT_PROCESSOR = WIRE_SAMPLE_WAIT_MASK - 1,
	/* the thread was in a page fault */
	WIRE_WAIT_FAULT = WIRE_SAMPLE_WAIT_MASK,
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
 * The weight of a sample: the low 48 bits are nanoseconds (up to three days),
 * the high 16 bits are the number of polls. One addition can raise both.
 */
#define WIRE_WEIGHT_NS          ((UINT64_C(1) << 48) - 1)
#define WIRE_WEIGHT_OBSERVATION (UINT64_C(1) << 48)

static inline uint64_t wire_sample_ns(const struct wire_sample *sample)
{
	return sample->weight & WIRE_WEIGHT_NS;
}

static inline uint32_t wire_sample_observations(
	const struct wire_sample *sample)
{
	return (uint32_t)(sample->weight / WIRE_WEIGHT_OBSERVATION);
}

#endif
