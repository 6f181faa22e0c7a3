/* SPDX-License-Identifier: MIT */
/*
 * Builds the lookup structures from the changes of a space. All steps that can
 * fail come first; then the new structures replace the old ones.
 */
#include <string.h>

#include "symbolizer/space/space.h"

/* Orders changes by code, then by time, then by the order of the calls. */
static int compare_changes(const void *a, const void *b)
{
	const struct code_change *x = a, *y = b;

	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return 0;
}

static int compare_lines(const void *a, const void *b)
{
	const struct code_line *x = a, *y = b;

	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return 0;
}

/* Sorts items. Mostly they are in order already, so this is checked first. */
static void sort(void *items, size_t count, size_t size,
		 int (*compare)(const void *, const void *))
{
	char *item = items;

	for (size_t i = 1; i < count; i++, item += size) {
		if (compare(item, item + size) > 0) {
			qsort(items, count, size, compare);
			return;
		}
	}
}

/*
 * Returns a claim for the time during which code is at one address: from the
 * change with this index up to the code's next change.
 */
static struct claim claim_of(const struct a2n_space *space, size_t change)
{
	const struct changes *changes = &space->changes;
	const struct code_change *this = &changes->items[change];
	struct claim claim = {
		.start = this->start,
		.end = this->start + space->codes.items[this->code].bytes,
		.from = this->time,
		.to = PIECES_NEVER,
		.order = this->order,
		.owner = this->code,
	};

	if (change + 1 < changes->count && this[1].code == this->code)
		claim.to = this[1].time;
	return claim;
}

/*
 * Lists the claims of all code, sorted by code and time, then the gaps. Fills
 * first_claim. Returns 0 or -ENOMEM.
 */
static int list_claims(struct a2n_space *space, uint32_t *first_claim,
		       struct claims *out)
{
	struct changes *changes = &space->changes;
	size_t code = 0;
	int err = 0;

	sort(changes->items, changes->count, sizeof(*changes->items),
	     compare_changes);
	for (size_t i = 0; i < changes->count && !err; i++) {
		struct claim claim = claim_of(space, i);

		while (code <= claim.owner)
			first_claim[code++] = (uint32_t)out->count;
		if (!changes->items[i].is_gone)
			err = claims_add(out, &claim);
	}
	while (code <= space->codes.count)
		first_claim[code++] = (uint32_t)out->count;
	for (size_t i = 0; i < space->gaps.count && !err; i++)
		err = claims_add(out, &space->gaps.items[i]);
	return err;
}

static int build_codes(struct a2n_space *space, struct committed *new)
{
	struct claims stays = { 0 };
	int err;

	new->first_claim = reallocarray(NULL, space->codes.count + 1,
					sizeof(*new->first_claim));
	if (!new->first_claim)
		return -ENOMEM;
	err = list_claims(space, new->first_claim, &stays);
	if (!err)
		err = pieces_build(&new->codes, &stays);
	free(stays.items);
	return err;
}

static int build_mappings(const struct a2n_space *space, struct committed *new)
{
	const struct claims *from = &space->mappings;
	struct claims claims = { 0 };
	int err;

	claims.items =
		reallocarray(NULL, from->count + 1, sizeof(*claims.items));
	if (!claims.items)
		return -ENOMEM;
	if (from->count > 0)
		memcpy(claims.items, from->items,
		       from->count * sizeof(*claims.items));
	claims.count = from->count;
	claims.capacity = from->count + 1;
	err = pieces_build(&new->mappings, &claims);
	free(claims.items);
	return err;
}

/*
 * Sorts the lines. This invalidates the old structures, so it is the last step.
 */
static void sort_lines(struct a2n_space *space, struct committed *new)
{
	struct lines *lines = &space->lines;
	size_t code = 0;

	sort(lines->items, lines->count, sizeof(*lines->items), compare_lines);
	for (size_t i = 0; i < lines->count; i++) {
		while (code <= lines->items[i].code)
			new->first_line[code++] = (uint32_t)i;
	}
	while (code <= new->code_count)
		new->first_line[code++] = (uint32_t)lines->count;
}

static void fini(struct committed *committed)
{
	pieces_fini(&committed->codes);
	pieces_fini(&committed->mappings);
	free(committed->first_claim);
	free(committed->first_line);
}

int a2n_space_commit(struct a2n_space *space)
{
	struct committed new = { .code_count = (uint32_t)space->codes.count };
	int err = build_codes(space, &new);

	if (!err)
		err = build_mappings(space, &new);
	if (!err)
		new.first_line = reallocarray(NULL, space->codes.count + 1,
					      sizeof(*new.first_line));
	if (!err && !new.first_line)
		err = -ENOMEM;
	if (err) {
		fini(&new);
		return err;
	}
	sort_lines(space, &new);
	fini(&space->committed);
	space->committed = new;
	return 0;
}
