/* SPDX-License-Identifier: MIT */
/*
 * memory_walks read|write|scan: accesses all memory in /proc/self/maps.
 *
 * `read` reads every readable page, as garbage collectors and scanners do.
 * `write` writes to every anonymous page, as crash handlers that test memory
 * do, and calls functions meanwhile. `scan` reads every writable page, as
 * gperftools' leak checker does, which does not check whether it is readable.
 * All give up if there is more memory than a program of this size can have.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <string.h>

#define PAGE      4096
#define BYTES_MAX (UINT64_C(1) << 30)
#define MAPS_MAX  4096

struct map {
	uint64_t start, end;
};

static struct map maps[MAPS_MAX];
static unsigned int map_count;
static __thread int in_thread_block;

enum way { READS, WRITES, SCANS };

TRUTH_INLINE int is_wanted(const char *line, const struct map *map,
			   enum way way)
{
	const char *protection = strchr(line, ' ') + 1;

	if (way == SCANS)
		return protection[1] == 'w';
	if (way == READS)
		return protection[0] == 'r' && !strstr(line, "[v");
	return !strncmp(protection, "rw-p", 4) && strstr(line, " 00:00 ") &&
	       !strstr(line, "[stack") &&
	       !((uintptr_t)&in_thread_block >= map->start &&
		 (uintptr_t)&in_thread_block < map->end);
}

/*
 * Returns the number of bytes. Called first, because libc maps a buffer to read
 * the file.
 */
static COUNTED uint64_t find_maps(enum way way)
{
	uint64_t bytes = 0;
	char line[4200];
	FILE *file;

	ENTER(find_maps);
	file = fopen("/proc/self/maps", "r");
	while (fgets(line, sizeof(line), file)) {
		struct map map;

		if (sscanf(line, "%lx-%lx", &map.start, &map.end) != 2 ||
		    map_count == MAPS_MAX || !is_wanted(line, &map, way))
			continue;
		bytes += map.end - map.start;
		maps[map_count++] = map;
	}
	fclose(file);
	LEAVE();
	return bytes;
}

static COUNTED void read_page(const volatile unsigned char *page)
{
	ENTER(read_page);
	*page;
	LEAVE();
}

static COUNTED void write_page(volatile unsigned char *page)
{
	unsigned char kept;

	ENTER(write_page);
	kept = *page;
	*page = (unsigned char)~kept;
	*page = kept;
	LEAVE();
}

static COUNTED uint64_t walk(enum way way)
{
	uint64_t bytes;

	ENTER(walk);
	bytes = find_maps(way);
	for (unsigned int i = 0; bytes <= BYTES_MAX && i < map_count; i++)
		for (uint64_t at = maps[i].start; at < maps[i].end; at += PAGE)
			if (way == WRITES)
				write_page((unsigned char *)at);
			else
				read_page((unsigned char *)at);
	LEAVE();
	return bytes;
}

int main(int argc, char **argv)
{
	enum way way = READS;

	ENTER(main);
	if (argc > 1 && !strcmp(argv[1], "write"))
		way = WRITES;
	if (argc > 1 && !strcmp(argv[1], "scan"))
		way = SCANS;
	puts(walk(way) <= BYTES_MAX ? "walked" : "too much memory");
	LEAVE();
	truth_write();
	return 0;
}
