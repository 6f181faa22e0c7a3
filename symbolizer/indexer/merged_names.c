/* SPDX-License-Identifier: MIT */
/* See merged_names.h. */
#include "symbolizer/indexer/merged_names.h"

#include "symbolizer/elf/heap.h"

/* Maximum number of symbols at one address that are compared. */
enum { CANDIDATES_MAX = 4096 };

static const char *symbol_of(const struct gather *gather, uint32_t name)
{
	return texts_at(&gather->texts, gather->texts.names[name].symbol.at);
}

static int is_c(const struct gather *gather, uint32_t name)
{
	const char *symbol = symbol_of(gather, name);

	return strncmp(symbol, "_Z", 2) != 0 && strncmp(symbol, "_R", 2) != 0;
}

/*
 * Returns whether two symbols of one address may be different functions whose
 * code was merged, according to the symbol table.
 */
static int may_be_merged(const struct gather *gather,
			 const struct gather_symbol *known,
			 const struct gather_symbol *other)
{
	if (!other->is_function || other->bytes != known->bytes ||
	    other->name == known->name)
		return 0;
	if (!is_c(gather, known->name) && !is_c(gather, other->name))
		return 1;
	return !gather->has_versions && !known->is_weak && !other->is_weak;
}

void merged_names_note(struct merged_names *merged, const struct gather *gather,
		       const struct gather_symbol *symbols, size_t count)
{
	if (count < 2 || !symbols->is_function || !symbols->bytes)
		return;
	if (count > CANDIDATES_MAX)
		count = CANDIDATES_MAX;
	for (size_t i = 1; i < count; i++) {
		if (!may_be_merged(gather, symbols, &symbols[i]))
			continue;
		merged->items =
			heap_reserve(merged->items, merged->count + 1,
				     &merged->capacity, sizeof(*merged->items));
		merged->items[merged->count++] = (struct index_merged){
			.entry = gather_delta(gather, symbols->start),
			.name = symbols[i].name,
			.count = symbols->name,
		};
	}
}

/* ---- Aliases ---- */

static struct span span_of(const struct gather *gather,
			   struct index_string string)
{
	return (struct span){ (const uint8_t *)texts_at(&gather->texts,
							string.at),
			      string.bytes };
}

static int skip(struct span *name, const char *text)
{
	const size_t bytes = strlen(text);

	if (name->bytes <= bytes || memcmp(name->at, text, bytes) != 0)
		return 0;
	name->at += bytes;
	name->bytes -= bytes;
	return 1;
}

/*
 * Removes the prefixes and suffixes from a C name by which aliases differ, as
 * in "__GI_write" and "f.localalias".
 */
static struct span plain_name(struct span name)
{
	const uint8_t *dot;

	while (skip(&name, "_") || skip(&name, "GI_") || skip(&name, "IO_") ||
	       skip(&name, "libc_"))
		;
	dot = memchr(name.at, '.', name.bytes);
	if (dot && dot > name.at)
		name.bytes = (size_t)(dot - name.at);
	return name;
}

/*
 * Returns the form of a name by which aliases are compared, without the
 * suffixes of a compiler: "f() [clone .part.0]" becomes "f()".
 */
static struct span plain_form(const struct gather *gather, uint32_t name)
{
	const struct index_name *strings = &gather->texts.names[name];
	struct span form = span_of(gather, strings->pretty);
	const uint8_t *clone;

	if (is_c(gather, name))
		return plain_name(span_of(gather, strings->symbol));
	clone = memmem(form.at, form.bytes, " [clone", 7);
	if (clone)
		form.bytes = (size_t)(clone - form.at);
	return form;
}

static int is_same(const struct gather *gather, uint32_t a, uint32_t b)
{
	const struct span one = plain_form(gather, a);
	const struct span other = plain_form(gather, b);

	return one.bytes == other.bytes &&
	       memcmp(one.at, other.at, one.bytes) == 0;
}

/*
 * Removes aliases from the items [first, end) of one address. Stores at most
 * MERGED_NAMES_MAX of the remaining items at `to`, sets their `count` to the
 * number of all remaining items, and returns the number of stored items.
 */
static size_t settle_one(const struct gather *gather,
			 const struct index_merged *first,
			 const struct index_merged *end,
			 struct index_merged *to)
{
	const uint32_t known = first->count;
	uint32_t count = 0;
	size_t kept = 0;

	for (const struct index_merged *item = first; item < end; item++) {
		int is_alias = is_same(gather, item->name, known);

		for (size_t i = 0; i < kept && !is_alias; i++)
			is_alias = is_same(gather, item->name, to[i].name);
		if (is_alias)
			continue;
		count++;
		if (kept < MERGED_NAMES_MAX)
			to[kept++] = *item;
	}
	for (size_t i = 0; i < kept; i++)
		to[i].count = count;
	return kept;
}

void merged_names_settle(struct merged_names *merged,
			 const struct gather *gather)
{
	size_t at = 0, kept = 0;

	while (at < merged->count) {
		const size_t first = at;

		while (at < merged->count &&
		       merged->items[at].entry == merged->items[first].entry)
			at++;
		kept += settle_one(gather, &merged->items[first],
				   &merged->items[at], &merged->items[kept]);
	}
	merged->count = kept;
}
