/* SPDX-License-Identifier: MIT */
#include "cli/source_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "symbolizer/a2n.h"

/* [MODULE:]FILE:LINE. */
struct line_place {
	char *module; /* a path, or NULL: the program */
	char *file;
	uint32_t line;
};

static void line_place_fini(struct line_place *place)
{
	free(place->module);
	free(place->file);
}

/* Whether it is one: what is behind the last colon are digits. */
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

struct row_search {
	const struct line_place *place;
	uint64_t vaddr; /* the lowest, or UINT64_MAX */
};

/* Whether a path ends in these folders and this name. */
static int is_file(const char *path, const char *file)
{
	const size_t bytes = strlen(path), tail = strlen(file);

	return bytes >= tail && strcmp(path + bytes - tail, file) == 0 &&
	       (bytes == tail || path[bytes - tail - 1] == '/');
}

static void look_at_row(void *context, const struct a2n_range *range,
			const struct a2n_frame *frames, size_t count)
{
	struct row_search *search = context;

	if (count && frames->line == search->place->line && frames->file &&
	    is_file(frames->file, search->place->file) &&
	    range->start < search->vaddr)
		search->vaddr = range->start;
}

/* 0, or -errno and *why. */
static int find_line(const struct line_place *place, const char *path,
		     uint64_t *vaddr, char **why)
{
	struct row_search search = { .place = place, .vaddr = UINT64_MAX };
	const struct a2n_module *module;
	struct a2n *a2n;
	int err = a2n_create(NULL, &a2n);

	if (err)
		return fail(why, err, "%s", strerror(-err));
	err = a2n_module_open(a2n, path, NULL, &module);
	if (!err)
		a2n_module_rows(module, look_at_row, &search);
	a2n_destroy(a2n);
	if (err)
		return fail(why, -EINVAL, "%s: %s", path, strerror(-err));
	if (search.vaddr == UINT64_MAX)
		return fail(why, -EINVAL,
			    "%s has no code of line %" PRIu32 " of %s", path,
			    place->line, place->file);
	*vaddr = search.vaddr;
	return 0;
}

/* What stands for it, to be freed; NULL and *why. */
static char *resolve(const struct line_place *place, const char *program,
		     char **why)
{
	const char *path = place->module ? place->module : program;
	uint64_t vaddr = 0;
	char *text;

	if (find_line(place, path, &vaddr, why) != 0)
		return NULL;
	if (place->module)
		text = memory_printf("%s:%#" PRIx64 " %s:%" PRIu32,
				     text_basename(path), vaddr, place->file,
				     place->line);
	else
		text = memory_printf("%#" PRIx64 " %s:%" PRIu32, vaddr,
				     place->file, place->line);
	return text;
}

int source_line_resolve(const char *text, const char *program, char **resolved,
			char **why)
{
	struct line_place place;

	*resolved = NULL;
	if (!read_line_place(text, &place))
		return 0;
	*resolved = resolve(&place, program, why);
	line_place_fini(&place);
	return *resolved ? 0 : -EINVAL;
}
