/* SPDX-License-Identifier: MIT */
/* See memory_names.h. */
#include "preload/generated/memory_names.h"

#include <stdatomic.h>
#include <string.h>

#include "preload/sys/text.h"

#define NAMES_MAX 64

/* A range with its name. Unused if end is 0. */
struct memory_name {
	_Atomic uint64_t start, end;
	char text[MEMORY_NAME_BYTES];
};

/* Protected by the patches' lock (makers.c). */
static struct {
	struct memory_name items[NAMES_MAX]; /* the newest is before `next` */
	uint32_t next;
} memory_names;

static int overlaps(const struct memory_name *name, uint64_t start,
		    uint64_t end)
{
	return start < name->end && end > name->start;
}

/*
 * Removes the names of a range. If a named range is partly covered, a piece at
 * one end of it keeps the name.
 */
static void forget(uint64_t start, uint64_t end)
{
	for (uint32_t i = 0; i < NAMES_MAX; i++) {
		struct memory_name *name = &memory_names.items[i];

		if (!overlaps(name, start, end))
			continue;
		if (name->start < start)
			name->end = start;
		else if (name->end > end)
			name->start = end;
		else
			name->end = 0;
	}
}

void memory_names_set(uint64_t start, uint64_t end, const char *name)
{
	struct memory_name *item;
	struct text text;

	forget(start, end);
	if (*name == '\0' || start >= end)
		return;
	item = &memory_names.items[memory_names.next];
	memory_names.next = (memory_names.next + 1) % NAMES_MAX;
	item->end = 0;
	text = text_in(item->text, sizeof(item->text));
	text_string(&text, name);
	item->start = start;
	item->end = end;
}

const char *memory_names_find(uint64_t at)
{
	for (uint32_t i = 0; i < NAMES_MAX; i++)
		if (overlaps(&memory_names.items[i], at, at + 1))
			return memory_names.items[i].text;
	return "";
}

int memory_names_overlap(uint64_t start, uint64_t end)
{
	for (uint32_t i = 0; i < NAMES_MAX; i++)
		if (overlaps(&memory_names.items[i], start, end))
			return 1;
	return 0;
}

static int begins_with(const char *text, const char *beginning)
{
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

void memory_name_of_path(const char *path, char name[MEMORY_NAME_BYTES])
{
	static const char deleted[] = " (deleted)";
	const int is_memory = begins_with(path, "/memfd:");
	const size_t bytes = strlen(path), over = sizeof(deleted) - 1;
	const int is_deleted =
		bytes > over && strcmp(path + bytes - over, deleted) == 0;
	struct text text = text_in(name, MEMORY_NAME_BYTES);
	const char *from = is_memory ? path + 1 : strrchr(path, '/');

	if (!from || (is_deleted && !is_memory) || begins_with(path, "/dev/"))
		return;
	if (!is_memory)
		from++;
	for (const char *at = from; at < path + bytes - (is_deleted ? over : 0);
	     at++)
		text_char(&text, *at);
}
