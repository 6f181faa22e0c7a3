/* SPDX-License-Identifier: MIT */
/* See room_files.h. */
#include "cli/target/room_files.h"

#include <fcntl.h>
#include <unistd.h>

static int open_file(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC);
}

static long read_file(int fd, void *out, size_t bytes)
{
	return read(fd, out, bytes);
}

static void close_file(int fd)
{
	close(fd);
}

const struct memory_room_files room_files = { open_file, read_file,
					      close_file };

int room_files_allow(uint64_t bytes)
{
	struct memory_room_search search = { .files = &room_files, .root = "" };

	memory_room_find(&search, "self");
	return bytes <= search.found.to_take;
}
