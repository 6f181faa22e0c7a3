/* SPDX-License-Identifier: MIT */
/* See announced.h. */
#include "report/recording/announced.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file_copy.h"
#include "base/memory.h"
#include "base/regular_file.h"
#include "base/suffix.h"

#define NS_PER_S UINT64_C(1000000000)

/*
 * Tolerances in nanoseconds for comparing a file's time stamp with the start
 * and end of its process: file systems round time stamps to a clock tick, and
 * exit() may close a file after the end that the part contains.
 */
static const uint64_t early_ns = NS_PER_S / 10;
static const uint64_t late_ns = 5 * NS_PER_S;

/* Maximum size of a file that is copied. A sparse file may have any size. */
static const uint64_t most_bytes = UINT64_C(1) << 30;

static const char *suffix_of(enum announced kind)
{
	return kind == ANNOUNCED_MAP ? WIRE_MAP_SUFFIX : WIRE_JITDUMP_SUFFIX;
}

/* Returns the path of the copy next to a part, which the caller frees. */
static char *kept_path(const char *part_path, enum announced kind)
{
	const size_t stem = suffix_stem(part_path, WIRE_PART_SUFFIX);

	return memory_printf("%.*s%s", (int)(stem ? stem : strlen(part_path)),
			     part_path, suffix_of(kind));
}

static int open_regular(const char *path, struct stat *status)
{
	int fd = regular_file_open(path, O_RDONLY | O_NOFOLLOW);

	if (fd < 0)
		return fd;
	if (fstat(fd, status) == 0)
		return fd;
	close(fd);
	return -EINVAL;
}

/*
 * Returns the latest time at which the process image can have ended, in
 * CLOCK_REALTIME nanoseconds; UINT64_MAX: unknown.
 */
static uint64_t end_of(const struct recording *recording,
		       const struct part_copy *part)
{
	const struct wire_header *header = part->header;
	uint64_t end = header->end_ns ? header->end_ns + late_ns : UINT64_MAX;

	for (size_t i = 0; i < recording->part_count; i++) {
		const struct wire_header *next = recording->parts[i].header;

		if (recording->parts[i].run == part->run &&
		    next->pid == header->pid && next->seq > header->seq &&
		    next->start_ns < end)
			end = next->start_ns;
	}
	return end;
}

/*
 * Returns when the process with this pid began, in CLOCK_REALTIME nanoseconds,
 * and its user in *owner. Returns UINT64_MAX if there is none.
 */
static uint64_t begin_of_process(uint32_t pid, uid_t *owner)
{
	char *path = memory_printf("/proc/%" PRIu32 "/stat", pid);
	FILE *file = fopen(path, "re");
	struct timespec now, up;
	unsigned long long ticks;
	struct stat status;
	int is_read;

	free(path);
	if (!file)
		return UINT64_MAX;
	/* The name of the process may contain any character but ")". */
	is_read = fscanf(file,
			 "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u "
			 "%*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
			 "%llu",
			 &ticks) == 1 &&
		  fstat(fileno(file), &status) == 0;
	fclose(file);
	if (!is_read || clock_gettime(CLOCK_REALTIME, &now) != 0 ||
	    clock_gettime(CLOCK_BOOTTIME, &up) != 0)
		return UINT64_MAX;
	*owner = status.st_uid;
	return ((uint64_t)(now.tv_sec - up.tv_sec) * NS_PER_S +
		(uint64_t)now.tv_nsec - (uint64_t)up.tv_nsec) +
	       ticks * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
}

/*
 * Returns whether clew had attached to the process, which still runs, and the
 * file belongs to its user and was written since the process began. Runtimes
 * write the file before clew attaches, and after it has detached.
 */
static int is_of_attached(const struct wire_header *header,
			  const struct stat *status, uint64_t written)
{
	uid_t owner = 0;
	uint64_t begin;

	if (header->origin != WIRE_FROM_START || header->hook_ns)
		return 0;
	begin = begin_of_process(header->pid, &owner);
	return begin < header->start_ns && written + early_ns >= begin &&
	       status->st_uid == owner;
}

static int is_of(const struct recording *recording,
		 const struct part_copy *part, const struct stat *status)
{
	uint64_t written = (uint64_t)status->st_mtim.tv_sec * NS_PER_S +
			   (uint64_t)status->st_mtim.tv_nsec;

	if (is_of_attached(part->header, status, written))
		return 1;
	return status->st_uid == geteuid() &&
	       written + early_ns >= part->header->start_ns &&
	       written <= end_of(recording, part);
}

/*
 * Opens the file that the process image has written to a folder under perf's
 * name. Returns a descriptor or -errno.
 */
static int open_written(const struct recording *recording,
			const struct part_copy *part, enum announced kind,
			const char *folder)
{
	struct stat status;
	char *path =
		memory_printf(kind == ANNOUNCED_MAP ? "%s/perf-%" PRIu32 ".map"
						    : "%s/jit-%" PRIu32 ".dump",
			      folder, part->header->pid);
	int fd = open_regular(path, &status);

	free(path);
	if (fd < 0 || is_of(recording, part, &status))
		return fd;
	close(fd);
	return -ENOENT;
}

/*
 * Returns whether the chunk contains an absolute path that ends in
 * "/jit-NUMBER.dump".
 */
static int is_jitdump_path(const struct part_chunk *chunk)
{
	const char *path = (const char *)chunk->payload, *name;

	if (chunk->used_bytes < 2 || path[0] != '/' ||
	    memchr(path, '\0', chunk->used_bytes) !=
		    path + chunk->used_bytes - 1)
		return 0;
	name = strrchr(path, '/') + 1;
	if (strncmp(name, "jit-", 4) != 0)
		return 0;
	name += 4;
	return strcmp(name + strspn(name, "0123456789"), ".dump") == 0;
}

/*
 * Opens the jitdump at the path that the part contains; if it contains several,
 * at the last one that belongs to the process image. Returns a descriptor or
 * -ENOENT.
 */
static int open_noted(const struct recording *recording,
		      const struct part_copy *part)
{
	struct part_chunk chunk;
	struct stat status;
	uint64_t cursor = 0;
	int fd = -ENOENT;

	while (part_next_chunk(part, &cursor, &chunk)) {
		int other;

		if (chunk.kind != WIRE_JITDUMP || !is_jitdump_path(&chunk))
			continue;
		other = open_regular((const char *)chunk.payload, &status);
		if (other < 0)
			continue;
		if (!is_of(recording, part, &status)) {
			close(other);
			continue;
		}
		if (fd >= 0)
			close(fd);
		fd = other;
	}
	return fd;
}

/*
 * Opens the original file. Does not search for it if the part was written by
 * `clew merge`, because the process may have run on another host. Returns a
 * descriptor or -errno.
 */
static int find_written(const struct recording *recording,
			const struct part_copy *part, enum announced kind)
{
	const char *folders[] = { "/tmp", getenv("TMPDIR"), "." };
	int fd = -ENOENT;

	if (kind == ANNOUNCED_JITDUMP && part->run == 0)
		fd = open_noted(recording, part);
	for (size_t i = 0; i < 3 && fd < 0 && part->run == 0; i++)
		if (folders[i])
			fd = open_written(recording, part, kind, folders[i]);
	return fd;
}

int announced_open(const struct recording *recording,
		   const struct part_copy *part, enum announced kind)
{
	char *path = kept_path(part->path, kind);
	struct stat status;
	int fd = open_regular(path, &status);

	free(path);
	return fd == -ENOENT ? find_written(recording, part, kind) : fd;
}

static int copy_file(int from, int to)
{
	struct stat status;

	if (fstat(from, &status) != 0)
		return -errno;
	if ((uint64_t)status.st_blocks * 512 > most_bytes)
		return -EFBIG;
	return file_copy(from, to);
}

int announced_keep(const struct recording *recording,
		   const struct part_copy *part, enum announced kind,
		   const char *part_path, char **why)
{
	int from = announced_open(recording, part, kind), to, err;
	char *path;

	if (from < 0)
		return 0;
	path = kept_path(part_path, kind);
	to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	err = to < 0 ? -errno : copy_file(from, to);
	if (to >= 0 && close(to) != 0 && !err)
		err = -errno;
	if (to >= 0 && err)
		unlink(path);
	close(from);
	if (err && err != -EEXIST)
		err = fail(why, err, "%s: %s", path, strerror(-err));
	free(path);
	return err == -EEXIST ? 0 : err;
}
