/* SPDX-License-Identifier: MIT */
/* See trim.h. */
#include "cli/recording/trim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "base/suffix.h"
#include "cli/recording/file_writers.h"
#include "wire/recording.h"

static int is_too_long(const struct wire_header *header, uint64_t bytes)
{
	return memcmp(header->magic, WIRE_MAGIC, sizeof(header->magic)) == 0 &&
	       wire_version_is_read(header->version) &&
	       header->end >= header->header_bytes && header->end < bytes;
}

/*
 * Returns the correct length of a part, or 0 to keep its length. Sets
 * *is_running if its process runs; otherwise leaves it unchanged.
 */
static uint64_t length_of(int fd, int *is_running)
{
	struct wire_header header;
	struct stat status;

	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
	    pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return 0;
	if (header.state != WIRE_ENDED && process_is_alive((pid_t)header.pid))
		*is_running = 1;
	if (!is_too_long(&header, (uint64_t)status.st_size) ||
	    process_is_alive((pid_t)header.pid) || file_is_written(fd))
		return 0;
	return header.end;
}

static int set_length(int directory, const char *name, uint64_t bytes)
{
	int fd = regular_file_open_at(directory, name, O_WRONLY | O_NOFOLLOW);
	int err = fd < 0 ? fd : ftruncate(fd, (off_t)bytes) != 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return err;
}

static int open_to_read(int directory, const char *name)
{
	return regular_file_open_at(directory, name, O_RDONLY | O_NOFOLLOW);
}

/*
 * Truncates a file to its content. On failure the file keeps its length, which
 * does no harm.
 */
static void trim(int directory, const char *name, int *is_running)
{
	int fd = open_to_read(directory, name);
	uint64_t bytes = fd < 0 ? 0 : length_of(fd, is_running);

	if (fd >= 0)
		close(fd);
	if (bytes > 0)
		set_length(directory, name, bytes);
}

/*
 * Removes a file of stubs: PID.SEQ-ADDRESS.stubs of one process, or
 * shadow-PLACE.stubs, which all processes share. Does nothing if the file may
 * still be mapped: its process exists (is_running: any process of the
 * recording), or a process, such as a forked child, has it open for writing.
 */
static void remove_stubs(int directory, const char *name, int is_running)
{
	const int is_shared = strncmp(name, WIRE_STUBS_SHARED,
				      sizeof(WIRE_STUBS_SHARED) - 1) == 0;
	const long pid = strtol(name, NULL, 10);
	int fd, is_left;

	if (is_shared
		    ? is_running
		    : pid <= 0 || pid > INT_MAX || process_is_alive((pid_t)pid))
		return;
	fd = open_to_read(directory, name);
	if (fd < 0)
		return;
	is_left = !file_is_written(fd);
	close(fd);
	if (is_left)
		unlinkat(directory, name, 0);
}

static void trim_parts(DIR *dir, int *is_running)
{
	struct dirent *entry;

	while ((entry = readdir(dir)))
		if (suffix_stem(entry->d_name, WIRE_PART_SUFFIX) ||
		    suffix_stem(entry->d_name, WIRE_TRACE_SUFFIX))
			trim(dirfd(dir), entry->d_name, is_running);
}

void trim_recording(const char *directory)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction before;
	struct dirent *entry;
	DIR *dir = opendir(directory);
	int is_running = 0;

	if (!dir)
		return;
	/*
	 * The holder of a lease receives SIGIO when another process opens the
	 * file.
	 */
	sigaction(SIGIO, &ignore, &before);
	trim_parts(dir, &is_running);
	rewinddir(dir);
	while ((entry = readdir(dir)))
		if (suffix_stem(entry->d_name, WIRE_STUBS_SUFFIX))
			remove_stubs(dirfd(dir), entry->d_name, is_running);
	sigaction(SIGIO, &before, NULL);
	closedir(dir);
}

void trim_module_stubs(const char *directory)
{
	const int fd = open(directory,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (strncmp(entry->d_name, WIRE_STUBS_MODULE,
			    sizeof(WIRE_STUBS_MODULE) - 1) == 0)
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}
