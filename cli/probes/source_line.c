/* SPDX-License-Identifier: MIT */
/* See source_line.h. */
#include "cli/probes/source_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "symbolizer/a2n.h"

/* [MODULE:]FILE:LINE. */
struct line_place {
	char *module; /* Path; NULL for the program. */
	char *file;
	uint32_t line;
};

static void line_place_fini(struct line_place *place)
{
	free(place->module);
	free(place->file);
}

/*
 * Parses the text. Returns false unless it ends with a colon and a number from
 * 1 to UINT32_MAX.
 */
static int read_line_place(const char *text, struct line_place *out)
{
	const char *last = strrchr(text, ':'), *first;
	char *end;
	unsigned long line;

	if (!last || last == text || last[1] < '1' || last[1] > '9')
		return 0;
	line = strtoul(last + 1, &end, 10);
	if (*end || line > UINT32_MAX)
		return 0;
	first = memchr(text, ':', (size_t)(last - text));
	*out = (struct line_place){ .line = (uint32_t)line };
	if (first)
		out->module = memory_string(text, (size_t)(first - text));
	else
		first = text - 1;
	out->file = memory_string(first + 1, (size_t)(last - first - 1));
	return 1;
}

/*
 * A copy of the line: the function that contains its code, and the inlined
 * calls around it. The probe is at its lowest address only.
 */
struct line_copy {
	uint64_t vaddr;
	uint64_t function; /* Start address; 0 for a cold part. */
	uint64_t calls;    /* Hash of the inlined calls. */
	uint64_t name;     /* Hash of the function's symbol, without ".cold". */
};

enum { COPIES_MAX = 1024, FRAMES_MAX = 64 };

struct row_search {
	const struct line_place *place;
	struct line_copy *copies;
	size_t count, capacity;
};

/* Returns whether a path ends with these folders and this name. */
static int is_file(const char *path, const char *file)
{
	const size_t bytes = strlen(path), tail = strlen(file);

	return bytes >= tail && strcmp(path + bytes - tail, file) == 0 &&
	       (bytes == tail || path[bytes - tail - 1] == '/');
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	return text ? hash_add(hash, text, strlen(text) + 1) : hash;
}

static struct line_copy copy_of(const struct a2n_range *range,
				const struct a2n_frame *frames, size_t count)
{
	const struct a2n_frame *function = &frames[count - 1];
	const char *symbol = function->symbol ? function->symbol : "";
	const char *cold = strstr(symbol, ".cold");
	const size_t bytes = cold ? (size_t)(cold - symbol) : strlen(symbol);
	struct line_copy copy = {
		.vaddr = range->start,
		.function = cold ? 0 : function->start,
		.calls = HASH_START,
		.name = hash_add(HASH_START, symbol, bytes),
	};

	for (size_t i = 0; i + 1 < count; i++) {
		const uint32_t place[] = { frames[i + 1].line,
					   frames[i + 1].column,
					   frames[i + 1].discriminator };

		copy.calls = hash_text(copy.calls, frames[i].symbol);
		copy.calls = hash_text(copy.calls, frames[i + 1].file);
		copy.calls = hash_add(copy.calls, place, sizeof(place));
	}
	return copy;
}

/*
 * Returns whether two rows belong to one copy. The hot and the cold part of a
 * function count as one copy.
 */
static int is_same_copy(const struct line_copy *copy,
			const struct line_copy *other)
{
	if (copy->calls != other->calls)
		return 0;
	if (!copy->function || !other->function)
		return copy->name == other->name;
	return copy->function == other->function;
}

/* Prefers an address in the hot part to one in the cold part. */
static void merge_copy(struct line_copy *copy, const struct line_copy *other)
{
	const int is_hotter = other->function && !copy->function;
	const int is_colder = copy->function && !other->function;

	if (is_hotter || (!is_colder && other->vaddr < copy->vaddr))
		*copy = *other;
}

static void check_row(void *context, const struct a2n_range *range,
		      const struct a2n_frame *frames, size_t count)
{
	struct row_search *search = context;
	struct line_copy copy;

	if (!count || count > FRAMES_MAX ||
	    frames->line != search->place->line || !frames->file ||
	    !is_file(frames->file, search->place->file))
		return;
	copy = copy_of(range, frames, count);
	for (size_t i = 0; i < search->count; i++)
		if (is_same_copy(&search->copies[i], &copy)) {
			merge_copy(&search->copies[i], &copy);
			return;
		}
	if (search->count == COPIES_MAX)
		return;
	search->copies =
		memory_grow(search->copies, search->count, &search->capacity,
			    sizeof(*search->copies));
	search->copies[search->count++] = copy;
}

static int by_vaddr(const void *left, const void *right)
{
	const struct line_copy *a = left, *b = right;

	return a->vaddr < b->vaddr ? -1 : a->vaddr > b->vaddr;
}

/*
 * Finds up to COPIES_MAX copies of a source line in a file, and sorts them by
 * address. Returns 0, or -errno and *why.
 */
static int find_line(struct row_search *search, const char *path, char **why)
{
	const struct line_place *place = search->place;
	const struct a2n_module *module;
	struct a2n *a2n;
	int err = a2n_create(NULL, &a2n);

	if (err)
		return fail(why, err, "%s", strerror(-err));
	err = a2n_module_open(a2n, path, NULL, &module);
	if (!err)
		a2n_module_rows(module, check_row, search);
	a2n_destroy(a2n);
	if (err)
		return fail(why, -EINVAL, "%s: %s", path, strerror(-err));
	if (search->count == 0)
		return fail(why, -EINVAL,
			    "%s has no code of line %" PRIu32 " of %s", path,
			    place->line, place->file);
	qsort(search->copies, search->count, sizeof(*search->copies), by_vaddr);
	return 0;
}

/*
 * Returns "[MODULE:]0xADDRESS,0xADDRESS FILE:LINE" for the first `count`
 * copies; with fewer than all, " (N of M copies)" follows. The caller frees it.
 */
static char *text_of(const struct row_search *search, size_t count)
{
	const struct line_place *place = search->place;
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		memory_exhausted();
	if (place->module)
		fprintf(out, "%s:", text_basename(place->module));
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%#" PRIx64, i ? "," : "",
			search->copies[i].vaddr);
	fprintf(out, " %s:%" PRIu32, place->file, place->line);
	if (count < search->count)
		fprintf(out, " (%zu of %zu copies)", count, search->count);
	fclose(out);
	return text;
}

int source_line_resolve(const char *text, const char *program, size_t copies,
			char **resolved, char **why)
{
	struct line_place place;
	struct row_search search = { .place = &place };
	int err;

	*resolved = NULL;
	if (!read_line_place(text, &place))
		return 0;
	err = find_line(&search, place.module ? place.module : program, why);
	if (!err)
		*resolved = text_of(
			&search, search.count < copies ? search.count : copies);
	free(search.copies);
	line_place_fini(&place);
	return err ? -EINVAL : 0;
}
