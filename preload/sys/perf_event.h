/* SPDX-License-Identifier: MIT */
/*
 * A software event of the kernel's perf_event: a high-resolution timer that runs
 * while a thread does, and sends it a signal each time that it expires, unless the
 * thread is in the kernel then.
 *
 * No descriptor of it stays open: a page of it, mapped, keeps it alive.
 */
#ifndef CLEW_SYS_PERF_EVENT_H
#define CLEW_SYS_PERF_EVENT_H

#include <stdint.h>

struct perf_event {
	int fd;     /* what the signals say in si_fd; long closed */
	void *page; /* in the kernel's account of the user's locked memory */
};

/*
 * Whether the kernel would give the calling thread one: 0 or -errno. None is made, as
 * the first one in the whole system takes the kernel some milliseconds.
 */
int perf_event_ask(uint32_t rate_hz);

/* For a thread of this process. 0 or -errno. */
int perf_event_begin(struct perf_event *event, uint32_t tid, uint32_t rate_hz,
		     int signal);

/* When this returns it sends no more signals. Any thread. */
void perf_event_end(const struct perf_event *event);

#endif
