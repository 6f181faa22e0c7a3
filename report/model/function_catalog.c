/* SPDX-License-Identifier: MIT */
/* See function_catalog.h. */
#include "report/model/function_catalog.h"

#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/hash.h"
#include "base/memory.h"
#include "report/model/call_labels.h"
#include "wire/verdict.h"

/*
 * Limits of the keys of by_vaddr and sites_at. They exceed all user addresses
 * of x86-64.
 */
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
	return hash_key(hash_add(HASH_START, bytes, length));
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

/*
 * Returns the module with this identity; creates it if needed. MAX_MODULES if
 * there are too many.
 */
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

/*
 * Adds a function. It is marked by is_extra until enter_functions() finds it in
 * a recorded list.
 */
static uint32_t append_function(struct catalog *catalog, size_t module,
				uint64_t vaddr)
{
	catalog->functions = memory_grow(
		catalog->functions, catalog->function_count,
		&catalog->function_capacity, sizeof(*catalog->functions));
	catalog->functions[catalog->function_count] = (struct catalog_function){
		.vaddr = vaddr,
		.module = (uint32_t)module,
		.verdict = VERDICT_IS_UNKNOWN,
		.kind = KIND_NATIVE,
		.is_extra = 1,
	};
	return (uint32_t)catalog->function_count++;
}

/* Refusals win, so no summary claims more than was true in every process. */
static void merge_verdict(struct catalog_function *known, uint8_t verdict)
{
	if (verdict != VERDICT_IS_UNKNOWN &&
	    (known->verdict == VERDICT_IS_UNKNOWN ||
	     verdict_class(verdict) == VERDICT_REFUSED))
		known->verdict = verdict;
}

/*
 * Returns the index of the function at a vaddr. `expected` is this index if the
 * process lists the module's functions in the same order as the first process
 * did. This usual case needs no lookup.
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
		*slot = append_function(catalog, module, vaddr);
	merge_verdict(&catalog->functions[*slot], verdict);
	return (uint32_t)*slot;
}

uint32_t catalog_function_at(struct catalog *catalog, uint32_t module,
			     uint64_t vaddr)
{
	return function_at(catalog, module, UINT64_MAX, vaddr,
			   VERDICT_IS_UNKNOWN);
}

/* Enters what a process has recorded of one of the module's functions. */
static void enter_function(struct catalog *catalog, size_t module,
			   uint32_t index, const struct wire_function *wire,
			   int hooked)
{
	struct catalog_function *function = &catalog->functions[index];

	catalog->modules[module].function_count += function->is_extra;
	function->is_extra = 0;
	function->loops |= hooked && wire_loops(wire);
	function->is_leaf |= hooked && wire_is_leaf(wire);
	if (function->size_bytes == 0)
		function->size_bytes = wire->size_bytes;
	if (hooked && wire->verdict == VERDICT_IS_BARE)
		function->bare_bytes = wire->size_bytes;
}

/*
 * Returns the catalog's index of each function in the record. Verdicts are used
 * only if the process has hooked the module.
 */
static struct catalog_list enter_functions(struct catalog *catalog,
					   const struct module_record *record,
					   size_t module)
{
	int hooked = record->module->state == MODULE_IS_HOOKED;
	uint64_t expected = catalog->modules[module].first_function;
	uint32_t *items = NULL;

	for (uint32_t i = 0; i < record->function_count; i++) {
		const struct wire_function *function = &record->functions[i];
		const uint32_t index = function_at(
			catalog, module, expected + i, function->vaddr,
			hooked ? function->verdict : VERDICT_IS_UNKNOWN);

		enter_function(catalog, module, index, function, hooked);
		if (!items && index != expected + i) {
			items = memory_zeroed(record->function_count,
					      sizeof(*items));
			for (uint32_t j = 0; j < i; j++)
				items[j] = (uint32_t)expected + j;
		}
		if (items)
			items[i] = index;
	}
	return (struct catalog_list){
		.first = items || !record->function_count ? 0
							  : (uint32_t)expected,
		.items = items,
	};
}

uint32_t catalog_add_module(struct catalog *catalog,
			    const struct module_record *record,
			    struct catalog_list *functions)
{
	struct a2n_build_id id = build_id_of(record->module);
	char *path = memory_string(record->path, record->path_bytes);
	size_t module = module_at(catalog, path, &id);

	free(path);
	if (module == MAX_MODULES)
		return CATALOG_NO_MODULE;
	if (catalog->modules[module].state != MODULE_IS_HOOKED)
		catalog->modules[module].state = record->module->state;
	*functions = enter_functions(catalog, record, module);
	return (uint32_t)module;
}

uint32_t catalog_site_at(struct catalog *catalog, uint32_t module,
			 uint64_t vaddr)
{
	uint64_t *slot;

	if (vaddr >> VADDR_BITS)
		return 0;
	slot = idmap_at(&catalog->sites_at,
			(uint64_t)(module + 1) << VADDR_BITS | vaddr);
	if (*slot)
		return (uint32_t)*slot;
	catalog->sites =
		memory_grow(catalog->sites, catalog->site_count,
			    &catalog->site_capacity, sizeof(*catalog->sites));
	catalog->sites[catalog->site_count] = (struct catalog_site){
		.vaddr = vaddr,
		.module = module,
	};
	*slot = catalog->site_count;
	return (uint32_t)catalog->site_count++;
}

static int is_named(const struct catalog_function *function,
		    enum function_kind kind, uint32_t module, const char *name)
{
	return function->is_named && function->kind == kind &&
	       function->module == module && strcmp(function->name, name) == 0;
}

uint32_t catalog_named(struct catalog *catalog, enum function_kind kind,
		       uint32_t module, const char *name)
{
	char *printable = text_printable(memory_string(name, strlen(name)));
	uint64_t hash = (hash_bytes(printable, strlen(printable)) ^
			 ((uint64_t)module << 32 | (uint64_t)kind << 1)) |
			1;
	uint64_t *slot = idmap_at(&catalog->by_name, hash);

	while (*slot) {
		if (is_named(&catalog->functions[*slot], kind, module,
			     printable)) {
			free(printable);
			return (uint32_t)*slot;
		}
		slot = idmap_at(&catalog->by_name, hash += 2);
	}
	catalog->functions = memory_grow(
		catalog->functions, catalog->function_count,
		&catalog->function_capacity, sizeof(*catalog->functions));
	catalog->functions[catalog->function_count] = (struct catalog_function){
		.name = printable,
		.module = module,
		.kind = (uint8_t)kind,
		.is_named = 1,
	};
	*slot = catalog->function_count;
	return (uint32_t)catalog->function_count++;
}

void catalog_init(struct catalog *catalog)
{
	static const struct {
		const char *name;
		enum function_kind kind;
	} notes[FUNCTION_FIRST] = {
		[FUNCTION_NONE] = { "(all)", KIND_NOTE },
		[FUNCTION_UNKNOWN] = { "(unknown function)", KIND_NOTE },
		[FUNCTION_UNKNOWN_CALLER] = { "(unknown caller)", KIND_NOTE },
		[FUNCTION_FOLDED] = { "(folded)", KIND_NOTE },
		[FUNCTION_KERNEL] = { "(kernel)", KIND_KERNEL },
		[FUNCTION_BLOCKED] = { "(blocked)", KIND_BLOCKED },
		[FUNCTION_CLEW] = { "(clew)", KIND_CLEW },
		[FUNCTION_GENERATED] = { "(generated code)", KIND_GENERATED },
	};

	*catalog = (struct catalog){ 0 };
	catalog->sites = memory_grow(NULL, 0, &catalog->site_capacity,
				     sizeof(*catalog->sites));
	catalog->sites[catalog->site_count++] = (struct catalog_site){ 0 };
	for (size_t i = 0; i < FUNCTION_FIRST; i++) {
		catalog->functions = memory_grow(catalog->functions, i,
						 &catalog->function_capacity,
						 sizeof(*catalog->functions));
		catalog->functions[i] = (struct catalog_function){
			.name = memory_string(notes[i].name,
					      strlen(notes[i].name)),
			.module = CATALOG_NO_MODULE,
			.kind = (uint8_t)notes[i].kind,
			.is_named = 1,
		};
	}
	catalog->function_count = FUNCTION_FIRST;
}

void catalog_forget_left_out(struct catalog *catalog)
{
	for (size_t i = 0; i < catalog->function_count; i++) {
		struct catalog_function *function = &catalog->functions[i];

		if (function->left_out)
			free(function->left_out->marked_name);
		free(function->left_out);
		function->left_out = NULL;
	}
}

static void free_labels(struct catalog *catalog)
{
	for (size_t i = 0; i < catalog->label_count; i++) {
		const struct call_label *label = &catalog->labels[i];

		for (size_t j = 0; j < label->value_count; j++) {
			free((char *)label->values[j].name);
			free(label->values[j].string);
		}
		free((struct mark_value *)label->values);
		free((char *)label->site);
	}
	free(catalog->labels);
}

static void free_full_names(struct catalog *catalog)
{
	for (size_t i = 0; i < catalog->function_count; i++) {
		const uint64_t *name = idmap_find(&catalog->merged, i + 1);

		if (name && *name != 1)
			free((void *)(uintptr_t)*name);
	}
	idmap_fini(&catalog->merged);
}

void catalog_fini(struct catalog *catalog)
{
	free_labels(catalog);
	catalog_forget_left_out(catalog);
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
	free(catalog->sites);
	idmap_fini(&catalog->by_hash);
	free_full_names(catalog);
	idmap_fini(&catalog->by_name);
	idmap_fini(&catalog->sites_at);
	free(catalog->announced);
	idmap_fini(&catalog->announced_sites);
	strings_fini(&catalog->files);
}
