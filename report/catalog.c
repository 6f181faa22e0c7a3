/* SPDX-License-Identifier: MIT */
#include "report/catalog.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "wire/verdict.h"

/* Limits of the key by_vaddr; no x86-64 user address comes near them. */
#define VADDR_BITS  48
#define MAX_MODULES (UINT64_C(1) << (64 - VADDR_BITS))

int module_record_of(const struct part_chunk *chunk, struct module_record *out)
{
	const struct wire_module *module = (const void *)chunk->payload;
	size_t path_bytes, there;

	if (chunk->kind != WIRE_MODULE ||
	    chunk->payload_bytes < sizeof(*module))
		return 0;
	there = chunk->payload_bytes - sizeof(*module);
	path_bytes = ((size_t)module->path_bytes + 7) & ~(size_t)7;
	if (path_bytes > there)
		return 0;
	there = (there - path_bytes) / sizeof(struct wire_function);
	*out = (struct module_record){
		.module = module,
		.path = (const char *)(module + 1),
		.functions =
			(const void *)((const char *)(module + 1) + path_bytes),
		.path_bytes = module->path_bytes,
		.function_count = module->function_count < there
					  ? module->function_count
					  : (uint32_t)there,
	};
	return 1;
}

static uint64_t hash_bytes(const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	while (length--)
		hash = (hash ^ *at++) * UINT64_C(0x100000001b3);
	return hash | 1; /* odd: see module_at() */
}

static struct a2n_build_id build_id_of(const struct wire_module *module)
{
	struct a2n_build_id id = { .bytes = module->build_id_bytes };

	if (id.bytes > sizeof(id.data))
		id.bytes = 0;
	memcpy(id.data, module->build_id, id.bytes);
	return id;
}

static int is_module(const struct catalog_module *module, const char *path,
		     const struct a2n_build_id *id)
{
	if (module->build_id.bytes != id->bytes)
		return 0;
	if (id->bytes == 0)
		return strcmp(module->path, path) == 0;
	return memcmp(module->build_id.data, id->data, id->bytes) == 0;
}

static size_t append_module(struct catalog *catalog, const char *path,
			    const struct a2n_build_id *id)
{
	char *printable = text_printable(memory_string(path, strlen(path)));

	catalog->modules = memory_grow(catalog->modules, catalog->module_count,
				       &catalog->module_capacity,
				       sizeof(*catalog->modules));
	catalog->modules[catalog->module_count] = (struct catalog_module){
		.path = memory_string(path, strlen(path)),
		.printable_path = printable,
		.name = text_basename(printable),
		.build_id = *id,
		.first_function = (uint32_t)catalog->function_count,
	};
	return catalog->module_count++;
}

/* The module of this identity, entered if need be; MAX_MODULES when full. */
static size_t module_at(struct catalog *catalog, const char *path,
			const struct a2n_build_id *id)
{
	uint64_t hash = id->bytes ? hash_bytes(id->data, id->bytes)
				  : hash_bytes(path, strlen(path));
	uint64_t *slot = idmap_at(&catalog->by_hash, hash);

	while (*slot) {
		if (is_module(&catalog->modules[*slot - 1], path, id))
			return *slot - 1;
		/* From an odd hash, even steps never reach the key 0. */
		slot = idmap_at(&catalog->by_hash, hash += 2);
	}
	if (catalog->module_count + 1 >= MAX_MODULES)
		return MAX_MODULES;
	*slot = catalog->module_count + 1;
	return append_module(catalog, path, id);
}

static uint32_t append_function(struct catalog *catalog, size_t module,
				uint64_t vaddr, uint8_t verdict)
{
	catalog->functions = memory_grow(
		catalog->functions, catalog->function_count,
		&catalog->function_capacity, sizeof(*catalog->functions));
	catalog->functions[catalog->function_count] = (struct catalog_function){
		.vaddr = vaddr,
		.module = (uint32_t)module,
		.verdict = verdict,
	};
	catalog->modules[module].function_count++;
	return (uint32_t)catalog->function_count++;
}

/* Refusals win, so that no summary claims more than every process had. */
static void merge_verdict(struct catalog_function *known, uint8_t verdict)
{
	if (verdict != VERDICT_IS_UNKNOWN &&
	    (known->verdict == VERDICT_IS_UNKNOWN ||
	     verdict_class(verdict) == VERDICT_REFUSED))
		known->verdict = verdict;
}

/*
 * `expected` is where the function is if this process met the module as the
 * first one did, which spares the usual case a look into the map.
 */
static uint32_t function_at(struct catalog *catalog, size_t module,
			    uint64_t expected, uint64_t vaddr, uint8_t verdict)
{
	struct catalog_function *known;
	uint64_t *slot;

	if (vaddr >> VADDR_BITS)
		return FUNCTION_UNKNOWN;
	if (expected < catalog->function_count) {
		known = &catalog->functions[expected];
		if (known->module == module && known->vaddr == vaddr) {
			merge_verdict(known, verdict);
			return (uint32_t)expected;
		}
	}
	slot = idmap_at(&catalog->by_vaddr,
			(uint64_t)(module + 1) << VADDR_BITS | vaddr);
	if (*slot == 0)
		*slot = append_function(catalog, module, vaddr, verdict);
	merge_verdict(&catalog->functions[*slot], verdict);
	return (uint32_t)*slot;
}

/* What the process calls the module's functions. Only a hooked one judges. */
static struct numbering_run number_functions(struct catalog *catalog,
					     const struct module_record *record,
					     size_t module)
{
	int hooked = record->module->state == MODULE_IS_HOOKED;
	uint64_t expected = catalog->modules[module].first_function;
	struct numbering_run run = {
		.first = record->module->first_function,
		.count = record->function_count,
		.functions = memory_zeroed(record->function_count,
					   sizeof(*run.functions)),
	};

	for (uint32_t i = 0; i < run.count; i++) {
		const struct wire_function *function = &record->functions[i];

		run.functions[i] = function_at(
			catalog, module, expected + i, function->vaddr,
			hooked ? function->verdict : VERDICT_IS_UNKNOWN);
	}
	return run;
}

void catalog_add_module(struct catalog *catalog,
			const struct module_record *record,
			struct numbering *numbering)
{
	struct a2n_build_id id = build_id_of(record->module);
	char *path = memory_string(record->path, record->path_bytes);
	size_t module = module_at(catalog, path, &id);

	free(path);
	if (module == MAX_MODULES)
		return;
	if (catalog->modules[module].state != MODULE_IS_HOOKED)
		catalog->modules[module].state = record->module->state;
	if (record->function_count == 0)
		return;
	numbering->runs =
		memory_grow(numbering->runs, numbering->count,
			    &numbering->capacity, sizeof(*numbering->runs));
	numbering->runs[numbering->count++] =
		number_functions(catalog, record, module);
}

static int by_first(const void *left, const void *right)
{
	const struct numbering_run *a = left, *b = right;

	return a->first < b->first ? -1 : a->first > b->first;
}

void catalog_add_part(struct catalog *catalog, const struct part *part,
		      struct numbering *numbering)
{
	struct part_chunk chunk;
	struct module_record record;
	uint64_t cursor = 0;

	*numbering = (struct numbering){ 0 };
	while (part_next_chunk(part, &cursor, &chunk)) {
		if (module_record_of(&chunk, &record))
			catalog_add_module(catalog, &record, numbering);
	}
	if (numbering->count > 0)
		qsort(numbering->runs, numbering->count,
		      sizeof(*numbering->runs), by_first);
}

uint32_t numbering_function(const struct numbering *numbering, uint32_t number)
{
	size_t low = 0, high = numbering->count;
	const struct numbering_run *run;

	if (number == WIRE_FOLDED)
		return FUNCTION_FOLDED;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (numbering->runs[middle].first <= number)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return FUNCTION_UNKNOWN;
	run = &numbering->runs[low - 1];
	if (number - run->first >= run->count)
		return FUNCTION_UNKNOWN;
	return run->functions[number - run->first];
}

void numbering_fini(struct numbering *numbering)
{
	for (size_t i = 0; i < numbering->count; i++)
		free(numbering->runs[i].functions);
	free(numbering->runs);
	*numbering = (struct numbering){ 0 };
}

/* The a2n module, opened if need be; NULL where it cannot be. */
static const struct a2n_module *names_of(struct catalog *catalog,
					 struct catalog_module *module)
{
	if (module->was_tried)
		return module->a2n;
	module->was_tried = 1;
	if (!catalog->a2n && a2n_create(NULL, &catalog->a2n) != 0)
		return NULL;
	/* On failure it stays NULL: a file that is gone names nothing. */
	a2n_module_open(catalog->a2n, module->path, &module->build_id,
			&module->a2n);
	return module->a2n;
}

size_t catalog_frames(struct catalog *catalog, uint32_t function,
		      struct a2n_frame *frames, size_t room)
{
	const struct catalog_function *entry = &catalog->functions[function];
	const struct a2n_module *a2n;

	if (function < FUNCTION_FIRST)
		return 0;
	a2n = names_of(catalog, &catalog->modules[entry->module]);
	return a2n ? a2n_module_lookup(a2n, entry->vaddr, frames, room) : 0;
}

/* The function itself, not what may be inlined at its first byte. */
static int find_frame(struct catalog *catalog, uint32_t function,
		      struct a2n_frame *out)
{
	struct a2n_frame frames[CATALOG_FRAMES];
	size_t count =
		catalog_frames(catalog, function, frames, CATALOG_FRAMES);

	if (count == 0 || count > CATALOG_FRAMES)
		return 0;
	*out = frames[count - 1];
	return 1;
}

int catalog_place(struct catalog *catalog, uint32_t function, const char **file,
		  uint32_t *line)
{
	struct a2n_frame frame;

	if (!find_frame(catalog, function, &frame) || !frame.file ||
	    frame.line == 0)
		return 0;
	*file = frame.file;
	*line = frame.line;
	return 1;
}

static char *find_name(struct catalog *catalog, uint32_t function)
{
	const struct catalog_function *entry = &catalog->functions[function];
	struct a2n_frame frame;

	if (!find_frame(catalog, function, &frame) || !frame.name)
		return memory_printf("%s+0x%" PRIx64,
				     catalog->modules[entry->module].name,
				     entry->vaddr);
	if (!frame.from_symbol || frame.start == entry->vaddr)
		return memory_string(frame.name, frame.name_length);
	return memory_printf("%s+0x%" PRIx64, frame.name,
			     entry->vaddr - frame.start);
}

const char *catalog_name(struct catalog *catalog, uint32_t function)
{
	struct catalog_function *entry = &catalog->functions[function];

	if (!entry->name)
		entry->name = find_name(catalog, function);
	return entry->name;
}

const char *catalog_module_name(const struct catalog *catalog,
				uint32_t function)
{
	if (function < FUNCTION_FIRST)
		return "";
	return catalog->modules[catalog->functions[function].module].name;
}

void catalog_init(struct catalog *catalog)
{
	static const char *const names[FUNCTION_FIRST] = {
		[FUNCTION_NONE] = "(all)",
		[FUNCTION_UNKNOWN] = "(unknown function)",
		[FUNCTION_UNKNOWN_CALLER] = "(unknown caller)",
		[FUNCTION_FOLDED] = "(folded)",
	};

	*catalog = (struct catalog){ 0 };
	for (size_t i = 0; i < FUNCTION_FIRST; i++) {
		catalog->functions = memory_grow(catalog->functions, i,
						 &catalog->function_capacity,
						 sizeof(*catalog->functions));
		catalog->functions[i] = (struct catalog_function){
			.name = memory_string(names[i], strlen(names[i])),
			.module = UINT32_MAX,
		};
	}
	catalog->function_count = FUNCTION_FIRST;
}

void catalog_fini(struct catalog *catalog)
{
	for (size_t i = 0; i < catalog->function_count; i++)
		free(catalog->functions[i].name);
	for (size_t i = 0; i < catalog->module_count; i++) {
		struct catalog_module *module = &catalog->modules[i];

		free(module->path);
		free(module->printable_path);
	}
	if (catalog->a2n)
		a2n_destroy(catalog->a2n);
	free(catalog->functions);
	free(catalog->modules);
	idmap_fini(&catalog->by_vaddr);
	idmap_fini(&catalog->by_hash);
}
