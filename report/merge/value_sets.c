/* SPDX-License-Identifier: MIT */
/*
 * A set is stored as bytes: for each of its values a struct set_value, followed
 * by the value's string.
 */
#include "report/merge/value_sets.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

struct set_value {
	uint64_t number;
	uint32_t string_bytes;
	uint8_t probe, field, is_missing, is_string;
};
_Static_assert(sizeof(struct set_value) == 16, "nothing in between");

void value_sets_fini(struct value_sets *sets)
{
	for (size_t i = 0; i < sets->count; i++)
		free(sets->items[i].bytes);
	free(sets->items);
	idmap_fini(&sets->by_hash);
	*sets = (struct value_sets){ 0 };
}

/*
 * Returns the number of the set with these bytes, and adds the set if it is
 * new. Takes ownership of `bytes`.
 */
static uint32_t number_of(struct value_sets *sets, unsigned char *bytes,
			  size_t count)
{
	uint64_t hash = hash_key(hash_add(HASH_START, bytes, count));
	uint64_t *slot = idmap_at(&sets->by_hash, hash);

	while (*slot) {
		const struct value_set *known = &sets->items[*slot - 1];

		if (known->count == count &&
		    memcmp(known->bytes, bytes, count) == 0) {
			free(bytes);
			return (uint32_t)*slot;
		}
		/*
		 * Keys are odd, and stay odd with even steps, so they are never
		 * 0.
		 */
		slot = idmap_at(&sets->by_hash, hash += 2);
	}
	sets->items = memory_grow(sets->items, sets->count, &sets->capacity,
				  sizeof(*sets->items));
	sets->items[sets->count++] = (struct value_set){ bytes, count };
	*slot = sets->count;
	return (uint32_t)*slot;
}

static int is_before(const struct label_value *one,
		     const struct label_value *other)
{
	return one->probe != other->probe ? one->probe < other->probe
					  : one->field < other->field;
}

static size_t put(unsigned char *at, const struct label_value *value)
{
	const struct set_value head = {
		.number = value->number,
		.string_bytes = value->string_bytes,
		.probe = value->probe,
		.field = value->field,
		.is_missing = value->is_missing,
		.is_string = value->string != NULL,
	};

	memcpy(at, &head, sizeof(head));
	if (value->string)
		memcpy(at + sizeof(head), value->string, value->string_bytes);
	return sizeof(head) + value->string_bytes;
}

uint32_t value_sets_with(struct value_sets *sets, uint32_t set,
			 const struct label_value *value)
{
	const size_t before = set ? sets->items[set - 1].count : 0;
	unsigned char *bytes = memory_zeroed(
		before + sizeof(struct set_value) + value->string_bytes, 1);
	struct label_value other;
	size_t at = 0, count = 0;
	int is_put = 0;

	while (value_sets_next(sets, set, &at, &other)) {
		if (!is_put && !is_before(&other, value)) {
			count += put(bytes + count, value);
			is_put = 1;
		}
		if (is_before(&other, value) || is_before(value, &other))
			count += put(bytes + count, &other);
	}
	if (!is_put)
		count += put(bytes + count, value);
	return number_of(sets, bytes, count);
}

int value_sets_next(const struct value_sets *sets, uint32_t set, size_t *at,
		    struct label_value *value)
{
	const struct value_set *of = set ? &sets->items[set - 1] : NULL;
	struct set_value head;

	if (!of || *at >= of->count)
		return 0;
	memcpy(&head, of->bytes + *at, sizeof(head));
	*value = (struct label_value){
		.probe = head.probe,
		.field = head.field,
		.is_missing = head.is_missing,
		.number = head.number,
		.string_bytes = head.string_bytes,
		.string = head.is_string
				  ? (const char *)of->bytes + *at + sizeof(head)
				  : NULL,
	};
	*at += sizeof(head) + head.string_bytes;
	return 1;
}
