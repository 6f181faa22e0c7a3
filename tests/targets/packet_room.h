/* SPDX-License-Identifier: MIT */
/*
 * Returns how many words are free in the packet to which the program's calls
 * are written. The process must record all packets, have one thread, and have
 * no time stamps.
 */
#ifndef CLEW_TESTS_PACKET_ROOM_H
#define CLEW_TESTS_PACKET_ROOM_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "wire/packet.h"
#include "wire/recording.h"

/* Functions here contain no calls that would write words. */
#define PACKET_ROOM_INLINE static inline __attribute__((always_inline))

#define PACKET_ROOM_WORDS                                                      \
	((WIRE_PACKET_BYTES - sizeof(struct wire_chunk)) / sizeof(uint32_t))

/*
 * Opens the process's trace for reading. Returns a descriptor, or -1 if there
 * is no trace.
 */
PACKET_ROOM_INLINE int packet_room_open(void)
{
	static char line[4096]; /* not on the stack, which walks read */
	char name[32];
	FILE *maps = fopen("/proc/self/maps", "r");
	int fd = -1;

	snprintf(name, sizeof(name), "/%d.", (int)getpid());
	while (maps && fd < 0 && fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = '\0';
		if (strstr(line, name) && strstr(line, WIRE_TRACE_SUFFIX))
			fd = open(strchr(line, '/'), O_RDONLY);
	}
	if (maps)
		fclose(maps);
	return fd;
}

/*
 * Returns the offset of the last packet's words in the file; 0 if there is no
 * packet.
 */
PACKET_ROOM_INLINE off_t packet_room_find(int fd)
{
	static struct wire_header header; /* not on the stack either */
	struct wire_chunk chunk;
	off_t found = 0;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return 0;
	for (uint64_t at = header.header_bytes; at < header.end;
	     at += chunk.bytes) {
		if (pread(fd, &chunk, sizeof(chunk), (off_t)at) !=
			    sizeof(chunk) ||
		    !chunk.bytes)
			break;
		if (chunk.kind == WIRE_PACKET)
			found = (off_t)(at + sizeof(chunk));
	}
	return found;
}

/* Returns the number of free words; also 0 if no calls are written. */
PACKET_ROOM_INLINE int packet_room_left(void)
{
	static uint32_t words[PACKET_ROOM_WORDS];
	const int fd = packet_room_open();
	const off_t at = fd >= 0 ? packet_room_find(fd) : 0;
	int left = 0;

	if (at && pread(fd, words, sizeof(words), at) == sizeof(words))
		while (left < (int)PACKET_ROOM_WORDS &&
		       !words[PACKET_ROOM_WORDS - 1 - left])
			left++;
	if (fd >= 0)
		close(fd);
	return left;
}

#endif
