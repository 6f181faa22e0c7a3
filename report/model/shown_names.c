/* SPDX-License-Identifier: MIT */
/* See shown_names.h. */
#include "report/model/shown_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/hash.h"
#include "base/memory.h"

/* The lengths of names, shortest first. */
enum {
	/*
	 * like LEVEL_SHORT, but without template arguments if the name does not
	 * fit
	 */
	LEVEL_FITTED,
	LEVEL_SHORT,
	LEVEL_ARGUMENTS,
	LEVEL_TEMPLATES,
	LEVEL_PARAMETERS,
	LEVEL_FULL,
};

enum { ADDRESS_COLUMNS = 11 }; /* of " [0x12e0a0]" */

/* ---- Names that fit ---- */

/*
 * Returns the first scope at which the rest of the name has at most `room`
 * columns, as a pointer to its "::". NULL if there is none.
 */
static const char *find_scope(const char *name, size_t room)
{
	size_t columns = text_columns(name);
	int depth = 0;

	for (const char *at = name; *at; at++) {
		if (strncmp(at, "operator", strlen("operator")) == 0)
			return NULL;
		if (depth == 0 && at > name && columns <= room &&
		    strncmp(at, "::", 2) == 0)
			return at;
		if (strchr("<([{", *at))
			depth++;
		else if (strchr(">)]}", *at) && depth > 0)
			depth--;
		columns -= ((unsigned char)*at & 0xc0) != 0x80;
	}
	return NULL;
}

/* Returns a pointer to the character at a column. */
static const char *at_column(const char *text, size_t column)
{
	for (; *text; text++) {
		if (((unsigned char)*text & 0xc0) == 0x80)
			continue;
		if (column-- == 0)
			break;
	}
	return text;
}

/*
 * Replaces outer scopes by an ellipsis, as in "...::b::f"; or else the middle,
 * because names of one template differ at the end. Frees the name.
 */
static char *cut_name(const struct shown_names *names, char *name, size_t room)
{
	const char *ellipsis = names->ellipsis ? names->ellipsis : "...";
	const size_t columns = text_columns(name);
	const size_t cut = text_columns(ellipsis);
	const char *end, *middle;
	char *text;

	if (columns <= room || room <= cut)
		return name;
	end = find_scope(name, room - cut);
	middle = at_column(name, (room - cut) / 2);
	if (end)
		middle = name;
	else
		end = at_column(name,
				columns - (room - cut - (room - cut) / 2));
	text = memory_printf("%.*s%s%s", (int)(middle - name), name, ellipsis,
			     end);
	free(name);
	return text;
}

/* ---- Texts ---- */

/* Returns whether the function has an address in a module. */
static int has_address(const struct catalog *catalog, uint32_t function)
{
	const struct catalog_function *entry = &catalog->functions[function];

	return entry->module != CATALOG_NO_MODULE && !entry->is_named;
}

/* Appends " [0x12e0]". Frees the name. */
static char *with_address(const struct catalog *catalog, uint32_t function,
			  char *name)
{
	char *text = memory_printf("%s [0x%" PRIx64 "]", name,
				   catalog->functions[function].vaddr);

	free(name);
	return text;
}

/*
 * Returns the columns for a function's name, which may have a note behind it.
 */
static size_t room_of(const struct shown_names *names,
		      const struct catalog *catalog, uint32_t function)
{
	const size_t note = sizeof(SHOWN_INLINED) - 1;

	return names->room > note &&
			       catalog->functions[function].kind == KIND_INLINED
		       ? names->room - note
		       : names->room;
}

static char *text_without_address(const struct shown_names *names,
				  struct catalog *catalog, uint32_t function,
				  int level, size_t room)
{
	static const enum a2n_detail details[] = {
		[LEVEL_FITTED] = A2N_SHORTEST,
		[LEVEL_SHORT] = A2N_SHORTEST,
		[LEVEL_ARGUMENTS] = A2N_ARGUMENTS,
		[LEVEL_TEMPLATES] = A2N_TEMPLATES,
		[LEVEL_PARAMETERS] = A2N_PARAMETERS,
	};
	const char *full;
	char *name;

	if (level == LEVEL_FULL) {
		full = catalog_marked_name(catalog, function);
		return memory_string(full, strlen(full));
	}
	name = catalog_short_name(catalog, function, details[level]);
	if (room == 0 || text_columns(name) <= room)
		return name;
	if (level == LEVEL_FITTED) {
		free(name);
		name = catalog_short_name(catalog, function, A2N_BARE);
	}
	/* A list of callers is cut at its end, which matters least. */
	return catalog->functions[function].kind == KIND_GROUP
		       ? name
		       : cut_name(names, name, room);
}

static void set_text(const struct shown_names *names, struct catalog *catalog,
		     struct shown_name *item)
{
	size_t room = room_of(names, catalog, item->function);

	if (item->has_address && room > ADDRESS_COLUMNS)
		room -= ADDRESS_COLUMNS;
	free(item->text);
	item->text = text_without_address(names, catalog, item->function,
					  item->level, room);
	if (item->has_address)
		item->text = with_address(catalog, item->function, item->text);
}

static int have_equal_names(struct catalog *catalog, uint32_t one,
			    uint32_t other)
{
	return strcmp(catalog_name(catalog, one),
		      catalog_name(catalog, other)) == 0;
}

/* Returns whether two functions must not have the same text. */
static int are_different(struct catalog *catalog, uint32_t one, uint32_t other)
{
	const struct catalog_function *a = &catalog->functions[one];
	const struct catalog_function *b = &catalog->functions[other];

	if (!have_equal_names(catalog, one, other))
		return 1;
	return has_address(catalog, one) && has_address(catalog, other) &&
	       a->module == b->module && a->vaddr != b->vaddr;
}

/*
 * Lengthens a name that another function has also: shows more of it, or its
 * address if this is the only difference. Returns 0 if the name has both.
 */
static int lengthen(const struct shown_names *names, struct catalog *catalog,
		    struct shown_name *item, uint32_t other)
{
	const int is_equal = have_equal_names(catalog, item->function, other);

	if (item->level < LEVEL_FULL && !is_equal)
		item->level++;
	else if (is_equal && !item->has_address &&
		 has_address(catalog, item->function))
		item->has_address = 1;
	else
		return 0;
	set_text(names, catalog, item);
	return 1;
}

/* ---- All functions of a table ---- */

static int compare_texts(const void *left, const void *right)
{
	const struct shown_name *const *a = left, *const *b = right;

	return strcmp((*a)->text, (*b)->text);
}

/*
 * Lengthens names of the same text if they belong to different functions.
 * Returns whether any name was lengthened.
 */
static int lengthen_equal(const struct shown_names *names,
			  struct catalog *catalog, struct shown_name **sorted,
			  size_t count)
{
	int is_any = 0;
	size_t end;

	for (size_t i = 0; i < count; i = end) {
		const uint32_t first = sorted[i]->function;
		uint32_t other = first; /* differs most from the first one */

		for (end = i + 1; end < count &&
				  compare_texts(&sorted[i], &sorted[end]) == 0;
		     end++) {
			const uint32_t next = sorted[end]->function;

			if (are_different(catalog, first, next) &&
			    (other == first ||
			     !have_equal_names(catalog, first, next)))
				other = next;
		}
		for (size_t j = i; other != first && j < end; j++)
			is_any |= lengthen(
				names, catalog, sorted[j],
				sorted[j]->function == other ? first : other);
	}
	return is_any;
}

/*
 * Enters an item by its text. Of items with the same text and the same full
 * name only the first is entered: many functions may have one name.
 */
static void enter_text(struct shown_names *names, struct catalog *catalog,
		       size_t index)
{
	const struct shown_name *item = &names->items[index];
	uint64_t key =
		hash_key(hash_add(HASH_START, item->text, strlen(item->text)));
	uint64_t *slot;

	for (; *(slot = idmap_at(&names->by_text, key)); key += 2) {
		const struct shown_name *other = &names->items[*slot - 1];

		if (strcmp(other->text, item->text) == 0 &&
		    !are_different(catalog, other->function, item->function))
			return;
	}
	*slot = index + 1;
}

/* Adds a function with its shortest name. Returns 0 if it exists already. */
static int add(struct shown_names *names, struct catalog *catalog,
	       uint32_t function)
{
	uint64_t *index = idmap_at(&names->by_function, (uint64_t)function + 1);
	const int level = names->are_full ? LEVEL_FULL : LEVEL_FITTED;

	if (*index)
		return 0;
	names->items = memory_grow(names->items, names->count, &names->capacity,
				   sizeof(*names->items));
	names->items[names->count] = (struct shown_name){
		.function = function,
		.level = level,
	};
	set_text(names, catalog, &names->items[names->count]);
	*index = ++names->count;
	return 1;
}

void shown_names_add(struct shown_names *names, struct catalog *catalog,
		     const uint32_t *functions, size_t count)
{
	struct shown_name **sorted;

	for (size_t i = 0; i < count; i++)
		add(names, catalog, functions[i]);
	if (names->count == 0)
		return;
	sorted = memory_zeroed(names->count, sizeof(struct shown_name *));
	for (size_t i = 0; i < names->count; i++)
		sorted[i] = &names->items[i];
	do
		qsort(sorted, names->count, sizeof(struct shown_name *),
		      compare_texts);
	while (lengthen_equal(names, catalog, sorted, names->count));
	free(sorted);
	idmap_fini(&names->by_text);
	names->by_text = (struct idmap){ 0 };
	for (size_t i = 0; i < names->count; i++)
		enter_text(names, catalog, i);
}

/* ---- Single functions ---- */

/*
 * Returns a different function with the same text as the last item;
 * FUNCTION_NONE if there is none.
 */
static uint32_t other_with_text(const struct shown_names *names,
				struct catalog *catalog)
{
	const struct shown_name *item = &names->items[names->count - 1];
	uint64_t key =
		hash_key(hash_add(HASH_START, item->text, strlen(item->text)));
	const uint64_t *slot;

	for (; (slot = idmap_find(&names->by_text, key)); key += 2) {
		const struct shown_name *other = &names->items[*slot - 1];

		if (strcmp(other->text, item->text) == 0 &&
		    are_different(catalog, other->function, item->function))
			return other->function;
	}
	return FUNCTION_NONE;
}

const char *shown_name(struct shown_names *names, struct catalog *catalog,
		       uint32_t function)
{
	if (add(names, catalog, function)) {
		struct shown_name *item = &names->items[names->count - 1];
		uint32_t other;

		do
			other = other_with_text(names, catalog);
		while (other != FUNCTION_NONE &&
		       lengthen(names, catalog, item, other));
		enter_text(names, catalog, names->count - 1);
	}
	return names
		->items[*idmap_find(&names->by_function,
				    (uint64_t)function + 1) -
			1]
		.text;
}

char *shown_name_within(struct shown_names *names, struct catalog *catalog,
			uint32_t function, unsigned int room)
{
	const char *name = shown_name(names, catalog, function);
	char *text = memory_string(name, strlen(name));

	return names->are_full || room == 0 ? text
					    : cut_name(names, text, room);
}

void shown_names_fini(struct shown_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i].text);
	free(names->items);
	idmap_fini(&names->by_function);
	idmap_fini(&names->by_text);
	*names = (struct shown_names){ .are_full = names->are_full,
				       .room = names->room,
				       .ellipsis = names->ellipsis };
}
