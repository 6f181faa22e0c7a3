/* SPDX-License-Identifier: MIT */
/* See space.h. */
#include "symbolizer/space/space.h"

#include <string.h>

int a2n_space_create(struct a2n *a2n, struct a2n_space **out)
{
	struct a2n_space *space = calloc(1, sizeof(*space));

	if (!space)
		return -ENOMEM;
	space->a2n = a2n;
	*out = space;
	return 0;
}

void a2n_space_destroy(struct a2n_space *space)
{
	if (!space)
		return;
	for (struct file *file = space->files, *next; file; file = next) {
		next = file->next;
		free(file);
	}
	free(space->codes.items);
	free(space->changes.items);
	free(space->gaps.items);
	free(space->lines.items);
	free(space->mappeds.items);
	free(space->mappings.items);
	pieces_fini(&space->committed.codes);
	pieces_fini(&space->committed.mappings);
	free(space->committed.first_claim);
	free(space->committed.first_line);
	pool_fini(&space->pool);
	free(space);
}

/*
 * Returns the next order number. Code and claims without an owner have numbers
 * of the same sequence, in the order of the calls.
 */
static uint64_t next_order(struct a2n_space *space)
{
	return ++space->order;
}

static int is_range(uint64_t start, uint64_t bytes, uint64_t time)
{
	return bytes > 0 && bytes <= UINT64_MAX - start && time != A2N_LATEST;
}

/* ---- code ---- */

static int place(struct a2n_space *space, uint32_t code, uint64_t start,
		 uint64_t time)
{
	const struct code_change change = { .time = time,
					    .start = start,
					    .order = space->order + 1,
					    .code = code };
	int err = changes_add(&space->changes, &change);

	if (!err)
		next_order(space);
	return err;
}

int a2n_space_add(struct a2n_space *space, const struct a2n_code *code,
		  uint64_t time, uint64_t *id)
{
	struct code new = { .bytes = code->bytes };
	int err;

	if (!is_range(code->start, code->bytes, time))
		return -EINVAL;
	if (code->name && *code->name) {
		new.name =
			pool_add(&space->pool, code->name, strlen(code->name));
		if (!new.name)
			return -ENOMEM;
	}
	err = codes_add(&space->codes, &new);
	if (err)
		return err;
	err = place(space, (uint32_t)space->codes.count - 1, code->start, time);
	if (err) {
		space->codes.count--;
		return err;
	}
	if (id)
		*id = space->codes.count;
	return 0;
}

static int is_code(const struct a2n_space *space, uint64_t id)
{
	return id > 0 && id <= space->codes.count;
}

int a2n_space_move(struct a2n_space *space, uint64_t id, uint64_t start,
		   uint64_t time)
{
	if (!is_code(space, id))
		return -ENOENT;
	if (!is_range(start, space->codes.items[id - 1].bytes, time))
		return -EINVAL;
	return place(space, (uint32_t)(id - 1), start, time);
}

int a2n_space_remove(struct a2n_space *space, uint64_t id, uint64_t time)
{
	const struct code_change change = { .time = time,
					    .order = next_order(space),
					    .code = (uint32_t)(id - 1),
					    .is_gone = 1 };

	if (!is_code(space, id))
		return -ENOENT;
	if (time == A2N_LATEST)
		return -EINVAL;
	return changes_add(&space->changes, &change);
}

int a2n_space_add_line(struct a2n_space *space, uint64_t id, uint64_t offset,
		       const char *file, uint32_t line, uint32_t discriminator)
{
	struct code_line new = { .offset = offset,
				 .code = (uint32_t)(id - 1),
				 .order = (uint32_t)space->lines.count,
				 .line = line,
				 .discriminator = discriminator };

	if (!is_code(space, id))
		return -ENOENT;
	if (offset >= space->codes.items[id - 1].bytes)
		return -EINVAL;
	if (file && *file) {
		new.file = pool_add(&space->pool, file, strlen(file));
		if (!new.file)
			return -ENOMEM;
	}
	return lines_add(&space->lines, &new);
}

/* ---- mappings ---- */

static int is_same_file(const struct file *file,
			const struct a2n_mapping *mapping)
{
	return strcmp(file->path->text, mapping->path) == 0 &&
	       file->build_id.bytes == mapping->build_id.bytes &&
	       memcmp(file->build_id.data, mapping->build_id.data,
		      sizeof(file->build_id.data)) == 0;
}

/*
 * Finds or adds the file of a mapping. Only the file that was added last is
 * compared, because the parts of a file are mapped one after another. If a file
 * is added twice, this does no harm. Returns 0, and *out is NULL for anonymous
 * memory; or -ENOMEM.
 */
static int file_of(struct a2n_space *space, const struct a2n_mapping *mapping,
		   struct file **out)
{
	struct file *file = space->files;

	*out = NULL;
	if (!mapping->path || !*mapping->path)
		return 0;
	if (file && is_same_file(file, mapping)) {
		*out = file;
		return 0;
	}
	file = calloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	file->build_id = mapping->build_id;
	file->path =
		pool_add(&space->pool, mapping->path, strlen(mapping->path));
	if (!file->path) {
		free(file);
		return -ENOMEM;
	}
	file->next = space->files;
	space->files = *out = file;
	return 0;
}

static int add_gap(struct claims *claims, uint64_t start, uint64_t end,
		   uint64_t time, uint64_t order)
{
	const struct claim claim = { .start = start,
				     .end = end,
				     .from = time,
				     .to = PIECES_NEVER,
				     .order = order,
				     .owner = PIECES_NOBODY };

	return claims_add(claims, &claim);
}

int space_map_below(struct a2n_space *space, const struct a2n_mapping *mapping,
		    uint64_t time)
{
	struct claim claim = { .start = mapping->start,
			       .end = mapping->start + mapping->bytes,
			       .from = time,
			       .to = PIECES_NEVER,
			       .order = next_order(space),
			       .owner = (uint32_t)space->mappeds.count };
	struct mapped mapped = { .file_offset = mapping->file_offset };
	int err;

	if (!is_range(mapping->start, mapping->bytes, time) ||
	    mapping->file_offset > UINT64_MAX - mapping->bytes)
		return -EINVAL;
	err = file_of(space, mapping, &mapped.file);
	if (!err)
		err = mappeds_add(&space->mappeds, &mapped);
	if (!err)
		err = claims_add(&space->mappings, &claim);
	return err;
}

/* Code of the same time lies in the mapping: order 0 precedes all others. */
int a2n_space_map(struct a2n_space *space, const struct a2n_mapping *mapping,
		  uint64_t time)
{
	int err = space_map_below(space, mapping, time);

	if (err)
		return err;
	return add_gap(&space->gaps, mapping->start,
		       mapping->start + mapping->bytes, time, 0);
}

int a2n_space_unmap(struct a2n_space *space, uint64_t start, uint64_t bytes,
		    uint64_t time)
{
	uint64_t order = next_order(space);
	int err;

	if (!is_range(start, bytes, time))
		return -EINVAL;
	err = add_gap(&space->mappings, start, start + bytes, time, order);
	if (err)
		return err;
	return add_gap(&space->gaps, start, start + bytes, time, order);
}

int space_clear_mappings(struct a2n_space *space, uint64_t time)
{
	return add_gap(&space->mappings, 0, UINT64_MAX, time,
		       next_order(space));
}
