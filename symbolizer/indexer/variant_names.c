/* SPDX-License-Identifier: MIT */
/* See variant_names.h. */
#include "symbolizer/indexer/variant_names.h"

#include <libiberty/demangle.h>
#include <stdlib.h>

#include "symbolizer/elf/heap.h"

enum variant {
	VARIANT_NONE,
	VARIANT_WHOLE,
	VARIANT_BASE,
	VARIANT_DELETING,
	VARIANT_UNIFIED,
};

static enum variant variant_of(const char *symbol)
{
	if (strncmp(symbol, "_Z", 2) != 0)
		return VARIANT_NONE;
	switch (is_gnu_v3_mangled_dtor(symbol)) {
	case gnu_v3_complete_object_dtor:
		return VARIANT_WHOLE;
	case gnu_v3_base_object_dtor:
		return VARIANT_BASE;
	case gnu_v3_deleting_dtor:
		return VARIANT_DELETING;
	case gnu_v3_unified_dtor:
		return VARIANT_UNIFIED;
	default:
		break;
	}
	switch (is_gnu_v3_mangled_ctor(symbol)) {
	case gnu_v3_complete_object_ctor:
		return VARIANT_WHOLE;
	case gnu_v3_base_object_ctor:
		return VARIANT_BASE;
	case gnu_v3_unified_ctor:
		return VARIANT_UNIFIED;
	default:
		return VARIANT_NONE;
	}
}

static void mark(struct texts *texts, struct index_name *name, const char *text)
{
	const size_t bytes = name->pretty.bytes, more = strlen(text);
	char *marked = heap_zeroed(bytes + more + 1, 1);

	memcpy(marked, texts_at(texts, name->pretty.at), bytes);
	memcpy(marked + bytes, text, more + 1);
	name->pretty = (struct index_string){
		.at = texts_add(texts, marked, bytes + more),
		.bytes = (uint32_t)(bytes + more),
	};
	free(marked);
}

/* Returns the variant of each name, for the caller to free. */
static uint8_t *find_variants(const struct texts *texts)
{
	uint8_t *variants = heap_zeroed(texts->name_count + 1, 1);

	for (size_t i = 1; i < texts->name_count; i++) {
		const struct index_name *name = &texts->names[i];

		if (name->pretty.bytes > 0)
			variants[i] = (uint8_t)variant_of(
				texts_at(texts, name->symbol.at));
	}
	return variants;
}

void variant_names_mark(struct gather *gather)
{
	struct texts *texts = &gather->texts;
	uint8_t *variants = find_variants(texts);
	/* Maps a demangled name to 1 + the offset of the whole variant. */
	struct map wholes = { 0 };

	for (size_t i = 0; i < gather->symbol_count; i++) {
		const struct gather_symbol *symbol = &gather->symbols[i];

		if (variants[symbol->name] == VARIANT_WHOLE)
			*map_at(&wholes, texts->names[symbol->name].pretty.at) =
				gather_delta(gather, symbol->start) + 1;
	}
	for (size_t i = 0; i < gather->symbol_count; i++) {
		const struct gather_symbol *symbol = &gather->symbols[i];
		struct index_name *name = &texts->names[symbol->name];
		uint32_t whole;

		if (variants[symbol->name] != VARIANT_BASE)
			continue;
		whole = *map_at(&wholes, name->pretty.at);
		if (whole && whole != gather_delta(gather, symbol->start) + 1)
			mark(texts, name, " [base]");
		variants[symbol->name] = VARIANT_NONE;
	}
	for (size_t i = 1; i < texts->name_count; i++) {
		if (variants[i] == VARIANT_DELETING)
			mark(texts, &texts->names[i], " [deleting]");
		else if (variants[i] == VARIANT_UNIFIED)
			mark(texts, &texts->names[i], " [unified]");
	}
	map_fini(&wholes);
	free(variants);
}
