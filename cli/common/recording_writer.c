/* SPDX-License-Identifier: MIT */
/* See recording_writer.h. */
#include "cli/common/recording_writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "base/regular_file.h"
#include "base/suffix.h"
#include "wire/recording.h"

static int is_that_file(pid_t pid, const char *path, const struct stat *file)
{
	char *seen = memory_printf("/proc/%d/root%s", pid, path);
	struct stat status;
	const int is = stat(seen, &status) == 0 &&
		       status.st_dev == file->st_dev &&
		       status.st_ino == file->st_ino;

	free(seen);
	return is;
}

/*
 * Returns whether this process has the part mapped: the pid may have been
 * reused.
 */
static int has_mapped(pid_t pid, const char *name, const struct stat *file)
{
	char *maps = memory_printf("/proc/%d/maps", pid), *line = NULL;
	FILE *lines = fopen(maps, "re");
	size_t room = 0;
	int has = 0;

	while (lines && !has && getline(&line, &room, lines) > 0) {
		const char *path = strchr(line, '/');

		line[strcspn(line, "\n")] = '\0';
		has = path && strcmp(text_basename(path), name) == 0 &&
		      is_that_file(pid, path, file);
	}
	if (lines)
		fclose(lines);
	free(line);
	free(maps);
	return has;
}

/* Opens a part and reads its header. Returns a descriptor or -errno. */
static int open_part(int folder, const char *name, struct wire_header *header)
{
	const int fd =
		regular_file_open_at(folder, name, O_RDONLY | O_NOFOLLOW);

	if (fd < 0)
		return fd;
	if (pread(fd, header, sizeof(*header), 0) == sizeof(*header) &&
	    memcmp(header->magic, WIRE_MAGIC, sizeof(header->magic)) == 0)
		return fd;
	close(fd);
	return -EBADMSG;
}

static pid_t writer_of_part(int folder, const char *name)
{
	struct wire_header header;
	struct stat status;
	const int fd = open_part(folder, name, &header);
	pid_t pid = 0;

	if (fd < 0)
		return 0;
	if ((header.state == WIRE_STARTING || header.state == WIRE_RUNNING) &&
	    fstat(fd, &status) == 0 &&
	    has_mapped((pid_t)header.pid, name, &status))
		pid = (pid_t)header.pid;
	close(fd);
	return pid;
}

static pid_t counter_of_part(int folder, const char *name)
{
	struct wire_header header;
	const int fd = open_part(folder, name, &header);

	if (fd < 0)
		return 0;
	close(fd);
	return header.state == WIRE_RUNNING || header.state == WIRE_ENDED
		       ? (pid_t)header.pid
		       : 0;
}

/* Returns the first process that process_of() finds in a part, or 0. */
static pid_t find_in_parts(const char *path,
			   pid_t (*process_of)(int folder, const char *name))
{
	const int fd =
		open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	pid_t pid = 0;

	if (!folder && fd >= 0)
		close(fd);
	while (folder && !pid && (entry = readdir(folder)))
		if (suffix_stem(entry->d_name, WIRE_PART_SUFFIX))
			pid = process_of(fd, entry->d_name);
	if (folder)
		closedir(folder);
	return pid;
}

pid_t recording_process(const char *path)
{
	return find_in_parts(path, writer_of_part);
}

int recording_has_begun(const char *path)
{
	return find_in_parts(path, counter_of_part) != 0;
}

/*
 * Parses "1: FLOCK  ADVISORY  WRITE PID MAJOR:MINOR:INODE START END". Devices
 * are hexadecimal.
 */
pid_t recording_lock_holder(const char *path)
{
	FILE *locks = fopen("/proc/locks", "re");
	char line[256];
	struct stat status;
	pid_t pid = 0;

	if (lstat(path, &status) != 0)
		status = (struct stat){ 0 };
	while (locks && !pid && fgets(line, sizeof(line), locks)) {
		unsigned int high, low;
		uint64_t inode;
		int holder;

		if (sscanf(line, "%*u: FLOCK %*s %*s %d %x:%x:%" SCNu64,
			   &holder, &high, &low, &inode) == 4 &&
		    inode == status.st_ino &&
		    makedev(high, low) == status.st_dev)
			pid = holder > 0 ? holder : 0;
	}
	if (locks)
		fclose(locks);
	return pid;
}
