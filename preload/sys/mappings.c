/* SPDX-License-Identifier: MIT */
/* See mappings.h. */
#include "preload/sys/mappings.h"

#include <linux/ioctl.h>

#include "preload/sys/proc_threads.h"
#include "preload/sys/sys.h"

#define BUFFER_BYTES 4096

/* PROCMAP_QUERY of <linux/fs.h>, without its optional names and build-ids. */
struct mapping_query {
	uint64_t bytes; /* size of this struct */
	uint64_t flags; /* 0: the mapping that contains `at` */
	uint64_t at;
	uint64_t start, end;
	uint64_t protection; /* QUERIED_SHARED, and bits as PROT_READ */
	uint64_t page_bytes;
	uint64_t offset, inode;
	uint32_t device_major, device_minor;
};

#define QUERIED_SHARED 8
/* The size of the kernel's struct, which is part of the request's number. */
#define QUERY_STRUCT_BYTES 104

/* The ioctl PROCMAP_QUERY. */
#define QUERY_REQUEST _IOC(_IOC_READ | _IOC_WRITE, 'f', 17, QUERY_STRUCT_BYTES)

/*
 * The fields of a line "START-END rwxp OFFSET MAJOR:MINOR INODE PATH". Lines
 * are parsed character by character.
 */
enum field { START, END, PERMISSIONS, OFFSET, MAJOR, MINOR, INODE, PATH };

struct mappings_line {
	struct mapped_range mapping;
	enum field field;
	uint64_t number;
};

static void end_field(struct mappings_line *line)
{
	struct mapped_range *mapping = &line->mapping;

	switch (line->field) {
	case START:
		mapping->start = line->number;
		break;
	case END:
		mapping->end = line->number;
		break;
	case OFFSET:
		mapping->offset = line->number;
		break;
	case MAJOR:
		mapping->device = line->number << 32;
		break;
	case MINOR:
		mapping->device |= line->number;
		break;
	case INODE:
		mapping->inode = line->number;
		break;
	case PERMISSIONS:
	case PATH:
		break;
	}
	line->number = 0;
	if (line->field != PATH)
		line->field++;
}

static void read_permission(struct mapped_range *mapping, char c)
{
	switch (c) {
	case 'r':
		mapping->protection |= PROT_READ;
		break;
	case 'w':
		mapping->protection |= PROT_WRITE;
		break;
	case 'x':
		mapping->protection |= PROT_EXEC;
		break;
	case 's':
		mapping->is_shared = 1;
		break;
	}
}

static int is_end_of(enum field field, char c)
{
	switch (field) {
	case START:
		return c == '-';
	case MAJOR:
		return c == ':';
	default:
		return c == ' ';
	}
}

static uint64_t digit(char c)
{
	return (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Parses the next character. Returns whether the line has ended. */
static int read_char(struct mappings_line *line, char c)
{
	if (c == '\n') {
		end_field(line);
		return 1;
	}
	if (is_end_of(line->field, c))
		end_field(line);
	else if (line->field == PERMISSIONS)
		read_permission(&line->mapping, c);
	else if (line->field != PATH)
		line->number = line->number * (line->field == INODE ? 10 : 16) +
			       digit(c);
	return 0;
}

static int read_lines(int fd,
		      int (*each)(void *context,
				  const struct mapped_range *mapping),
		      void *context)
{
	char buffer[BUFFER_BYTES];
	struct mappings_line line = { 0 };
	int result = 0;
	long got;

	while (!result && (got = sys_read(fd, buffer, sizeof(buffer))) != 0) {
		if (got < 0)
			return (int)got;
		for (long i = 0; i < got && !result; i++) {
			if (!read_char(&line, buffer[i]))
				continue;
			result = each(context, &line.mapping);
			line = (struct mappings_line){ 0 };
		}
	}
	return result;
}

int mappings_each(int (*each)(void *context,
			      const struct mapped_range *mapping),
		  void *context)
{
	int fd = proc_open_own("maps", O_RDONLY), result;

	if (fd < 0)
		return fd;
	result = read_lines(fd, each, context);
	sys_close(fd);
	return result;
}

int mappings_find(int fd, uint64_t at, struct mapped_range *mapping)
{
	struct mapping_query query = { .bytes = sizeof(query), .at = at };
	const long err =
		sys_call(SYS_ioctl, fd, QUERY_REQUEST, (long)&query, 0, 0, 0);

	if (err)
		return (int)err;
	*mapping = (struct mapped_range){
		.start = query.start,
		.end = query.end,
		.offset = query.offset,
		.device =
			(uint64_t)query.device_major << 32 | query.device_minor,
		.inode = query.inode,
		.protection = (int)query.protection &
			      (PROT_READ | PROT_WRITE | PROT_EXEC),
		.is_shared = (query.protection & QUERIED_SHARED) != 0,
	};
	return 0;
}
