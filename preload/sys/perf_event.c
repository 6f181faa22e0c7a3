/* SPDX-License-Identifier: MIT */
/* See perf_event.h. */
#include "preload/sys/perf_event.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>

#include "machine/address_space.h"
#include "preload/sys/apart.h"
#include "preload/sys/sys.h"

/* Headers before Linux 5.13 have no name for this bit. */
#ifdef PERF_ATTR_SIZE_VER7
#define REMOVE_ON_EXEC remove_on_exec = 1
#else
#define REMOVE_ON_EXEC __reserved_1 = 1 << 2
#endif

static int contains(const char *text, const char *part)
{
	for (; *text; text++) {
		size_t i = 0;

		while (part[i] && text[i] == part[i])
			i++;
		if (!part[i])
			return 1;
	}
	return 0;
}

/* uname() reports "PREEMPT_RT", or "PREEMPT RT" before Linux 5.16. */
static int is_realtime_kernel(void)
{
	struct utsname name;

	return sys_call(SYS_uname, (long)&name, 0, 0, 0, 0, 0) ||
	       contains(name.version, "PREEMPT_RT") ||
	       contains(name.version, "PREEMPT RT");
}

struct opening {
	struct perf_event *event;
	uint32_t tid;
	uint32_t rate_hz;
	int signal;
};

/*
 * Opens an event. Requests a frequency and not a period, because the kernel
 * refuses a frequency that it would throttle.
 */
static int ask_for_event(const struct opening *opening, int group)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = opening->rate_hz,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.REMOVE_ON_EXEC,
	};

	return (int)sys_call(SYS_perf_event_open, (long)&attr,
			     (int)opening->tid, -1, group, PERF_FLAG_FD_CLOEXEC,
			     0);
}

/*
 * A function for apart_call(). Passes an invalid descriptor, so that no event
 * is created: the first event of the whole system takes the kernel some
 * milliseconds. Returns -EBADF if events are possible.
 */
static int ask_in_vain(void *argument)
{
	return ask_for_event(argument, INT32_MAX);
}

/*
 * Makes the kernel send the event's signals to the thread and not to the
 * process.
 */
static int aim(int fd, const struct opening *opening)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID,
				    .pid = (int)opening->tid };
	long err = sys_call(SYS_fcntl, fd, F_SETOWN_EX, (long)&owner, 0, 0, 0);

	if (!err)
		err = sys_call(SYS_fcntl, fd, F_SETSIG, opening->signal, 0, 0,
			       0);
	if (!err)
		err = sys_call(SYS_fcntl, fd, F_SETFL, O_RDWR | O_ASYNC, 0, 0,
			       0);
	return (int)err;
}

/* A function for apart_call(): opens the event and maps its page. */
static int open_event(void *argument)
{
	struct opening *opening = argument;
	const int fd = ask_for_event(opening, -1);
	void *page;
	int err;

	if (fd < 0)
		return fd;
	err = aim(fd, opening);
	if (err)
		goto close;
	page = place_map(PAGE_BYTES, SYS_PROT_OURS, MAP_SHARED, fd, 0);
	if (sys_failed(page)) {
		err = (int)(long)page;
		goto close;
	}
	err = (int)sys_call(SYS_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0, 0, 0, 0);
	if (err)
		sys_munmap(page, PAGE_BYTES);
	*opening->event = (struct perf_event){ fd, page };
close:
	sys_close(fd);
	return err;
}

int perf_event_ask(uint32_t rate_hz)
{
	struct opening opening = { .tid = (uint32_t)sys_gettid(),
				   .rate_hz = rate_hz };
	int err;

	if (is_realtime_kernel())
		return -EOPNOTSUPP;
	err = apart_call(ask_in_vain, &opening);
	return err == -EBADF ? 0 : err;
}

int perf_event_begin(struct perf_event *event, uint32_t tid, uint32_t rate_hz,
		     int signal)
{
	struct opening opening = { event, tid, rate_hz, signal };

	return apart_call(open_event, &opening);
}

void perf_event_end(const struct perf_event *event)
{
	sys_munmap(event->page, PAGE_BYTES);
}
