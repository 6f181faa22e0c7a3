/* SPDX-License-Identifier: MIT */
/* See earlier_code.h. */
#include "preload/generated/earlier_code.h"

#include "preload/hot/native.h"
#include "preload/hot/runtime.h"
#include "preload/modules/natives.h"
#include "preload/sys/own_code.h"
#include "preload/sys/proc_threads.h"
#include "preload/sys/sys.h"

/*
 * Parses "START-END PERMISSIONS OFFSET DEVICE INODE PATH", a character at a
 * time.
 */
struct maps_line {
	const struct pads *pads;
	uint64_t numbers[2];
	uint32_t field; /* 0: start, 1: end, 2: permissions, ..., 6: path */
	uint32_t is_executable, has_file, is_between;
	char name[2]; /* the first characters of the path */
	uint32_t name_bytes;
};

static int is_own(const struct pads *pads, uint64_t at)
{
	const uint8_t window = runtime_window(at);

	for (uint32_t i = 0; i < pads->count; i++)
		if (pads->pages[i].start == at)
			return 1;
	return window == WINDOW_STUBS || window == WINDOW_TRAMPOLINES ||
	       own_code_is_library(at);
}

/* Returns whether the code is the kernel's: [vdso], [vsyscall], [uprobes]. */
static int is_kernels(const struct maps_line *line)
{
	return line->name[0] == '[' &&
	       (line->name[1] == 'v' || line->name[1] == 'u');
}

/*
 * Returns whether a module's file is mapped. Programs also generate code in
 * files: in memory files, for example, which they map twice in order to write
 * to one mapping and to execute the other.
 */
static int is_module(const struct maps_line *line)
{
	return line->has_file && (native_find(line->numbers[0]) ||
				  native_find(line->numbers[1] - 1));
}

static int share(const struct maps_line *line)
{
	if (!line->is_executable || is_kernels(line) || is_module(line) ||
	    is_own(line->pads, line->numbers[0]))
		return 0;
	natives_share(line->numbers[0], line->numbers[1]);
	return 1;
}

static uint64_t digit(char c)
{
	return (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/*
 * Parses a character. If it completes a line, notes the mapping as described in
 * earlier_code.h. Returns the number of mappings that were noted, 0 or 1.
 */
static int read_char(struct maps_line *line, char c)
{
	int shared = 0;

	if (c == '\n') {
		shared = share(line);
		*line = (struct maps_line){ .pads = line->pads };
	} else if (c == ' ' || (c == '-' && line->field == 0)) {
		line->is_between = 1;
	} else {
		line->field += line->is_between;
		line->is_between = 0;
		if (line->field < 2)
			line->numbers[line->field] =
				line->numbers[line->field] << 4 | digit(c);
		line->is_executable |= line->field == 2 && c == 'x';
		line->has_file |= line->field == 5 && c != '0';
		if (line->field == 6 && line->name_bytes < sizeof(line->name))
			line->name[line->name_bytes++] = c;
	}
	return shared;
}

int earlier_code_share(const struct pads *pads)
{
	struct maps_line line = { .pads = pads };
	char buffer[2048];
	int count = 0;
	long got;
	int fd = proc_open_own("maps", O_RDONLY);

	if (fd < 0)
		return 1; /* this is unknown; yes is assumed */
	while ((got = sys_read(fd, buffer, sizeof(buffer))) > 0)
		for (long i = 0; i < got; i++)
			count += read_char(&line, buffer[i]);
	sys_close(fd);
	return count > 0;
}
