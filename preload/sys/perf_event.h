/* SPDX-License-Identifier: MIT */
/*
 * A software event of the kernel's perf_event: a high-resolution timer that
 * runs while its thread does. Each time it expires it sends the thread a
 * signal, unless the thread is in the kernel then.
 *
 * No descriptor stays open: a mapped page keeps the event alive.
 */
#ifndef CLEW_SYS_PERF_EVENT_H
#define CLEW_SYS_PERF_EVENT_H

#include <stdint.h>

struct perf_event {
	int fd; /* the si_fd of the signals; closed */
	/* keeps the event alive; counts as locked memory of the user */
	void *page;
};

/*
 * Returns 0 if the kernel would create an event for the calling thread, or
 * -errno. Creates none, because the first one of the whole system takes the
 * kernel some milliseconds.
 */
int perf_event_ask(uint32_t rate_hz);

/* Creates an event for a thread of this process. Returns 0 or -errno. */
int perf_event_begin(struct perf_event *event, uint32_t tid, uint32_t rate_hz,
		     int signal);

/*
 * Ends an event, which then sends no more signals. Any thread may call this
 * function.
 */
void perf_event_end(const struct perf_event *event);

#endif
