/* SPDX-License-Identifier: MIT */
/* See new_files.h. */
#include "base/new_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/strings.h"

#define EVENTS_BYTES 16384
/* If the folder has more files, the kernel watches it. */
#define READ_MAX 16

struct new_files {
	DIR *folder;
	int watch_fd; /* -1: there is no watch */
	struct strings known;
};

/* What new_files_each() does with a new name. */
struct receiver {
	void (*found)(void *context, const char *name);
	void *context;
};

static void ignore(void *context, const char *name)
{
	(void)context;
	(void)name;
}

static void find(struct new_files *files, const struct receiver *receiver,
		 const char *name)
{
	const size_t before = files->known.count;

	if (name[0] == '.')
		return;
	strings_number(&files->known, name);
	if (files->known.count > before)
		receiver->found(receiver->context, name);
}

static void read_folder(struct new_files *files,
			const struct receiver *receiver)
{
	const struct dirent *entry;

	rewinddir(files->folder);
	while ((entry = readdir(files->folder)))
		find(files, receiver, entry->d_name);
}

struct new_files *new_files_begin(const char *folder)
{
	const struct receiver receiver = { .found = ignore };
	struct new_files *files;
	DIR *opened = opendir(folder);

	if (!opened)
		return NULL;
	files = memory_zeroed(1, sizeof(*files));
	files->folder = opened;
	files->watch_fd = -1;
	read_folder(files, &receiver);
	return files;
}

/* Returns a descriptor, or -1. */
static int watch(int folder_fd)
{
	const int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", folder_fd);
	if (fd < 0 ||
	    inotify_add_watch(fd, link, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR) >=
		    0)
		return fd;
	close(fd);
	return -1;
}

static void read_events(struct new_files *files,
			const struct receiver *receiver)
{
	_Alignas(struct inotify_event) char events[EVENTS_BYTES];
	ssize_t bytes;

	while ((bytes = read(files->watch_fd, events, sizeof(events))) > 0)
		for (ssize_t at = 0; at < bytes;) {
			const struct inotify_event *event =
				(const void *)(events + at);

			if (event->mask & IN_Q_OVERFLOW)
				read_folder(files, receiver);
			else if (event->len > 0)
				find(files, receiver, event->name);
			at += (ssize_t)(sizeof(*event) + event->len);
		}
}

void new_files_each(struct new_files *files,
		    void (*found)(void *context, const char *name),
		    void *context)
{
	const struct receiver receiver = { found, context };

	if (files->watch_fd < 0 && files->known.count > READ_MAX) {
		/* files that appear meanwhile are read below, too */
		files->watch_fd = watch(dirfd(files->folder));
		read_folder(files, &receiver);
	}
	if (files->watch_fd >= 0)
		read_events(files, &receiver);
	else
		read_folder(files, &receiver);
}

void new_files_end(struct new_files *files)
{
	if (!files)
		return;
	closedir(files->folder);
	if (files->watch_fd >= 0)
		close(files->watch_fd);
	strings_fini(&files->known);
	free(files);
}
