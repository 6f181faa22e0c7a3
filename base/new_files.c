/* SPDX-License-Identifier: MIT */
/* See new_files.h. */
#include "base/new_files.h"

#include <errno.h>
#include <sys/inotify.h>
#include <unistd.h>

#define EVENTS_BYTES 16384

int new_files_watch(const char *folder)
{
	const int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	if (inotify_add_watch(fd, folder,
			      IN_CREATE | IN_MOVED_TO | IN_ONLYDIR) >= 0)
		return fd;
	err = -errno;
	close(fd);
	return err;
}

void new_files_each(int watch_fd,
		    void (*found)(void *context, const char *name),
		    void *context)
{
	_Alignas(struct inotify_event) char events[EVENTS_BYTES];
	ssize_t bytes;

	while ((bytes = read(watch_fd, events, sizeof(events))) > 0)
		for (ssize_t at = 0; at < bytes;) {
			const struct inotify_event *event =
				(const void *)(events + at);

			if (event->len > 0)
				found(context, event->name);
			at += (ssize_t)(sizeof(*event) + event->len);
		}
}
