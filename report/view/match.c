/* SPDX-License-Identifier: MIT */
/* See match.h. */
#include "report/view/match.h"

#include <stdlib.h>
#include <string.h>

#include "base/clone_suffix.h"
#include "base/hash.h"
#include "base/memory.h"

/* Returns the length of "libz" in "libz.so.1.2.13". */
static size_t stem_length(const char *module)
{
	const char *version = strstr(module, ".so");

	return version ? (size_t)(version - module) : strlen(module);
}

/* Returns the length of "parse" in "parse.constprop.0". */
static size_t name_length(const char *name)
{
	return clone_suffix_strip_whole(name, strlen(name));
}

static int is_same_name(const char *a, const char *b)
{
	const size_t length = name_length(a);

	return length == name_length(b) && memcmp(a, b, length) == 0;
}

static uint64_t hash_name(const char *name)
{
	return hash_add(HASH_START, name, name_length(name));
}

static uint64_t hash_names(const char *module, const char *name)
{
	/* A terminator makes the boundary between both names matter. */
	uint64_t hash = hash_add(hash_name(name), "", 1);

	return hash_key(hash_add(hash, module, stem_length(module)));
}

/*
 * Returns the name in `to` of the module of a function of `from`. If `to` has
 * no room for more modules, returns the name in `from`.
 */
static const char *home_name(const struct match *match, uint32_t function)
{
	const uint32_t module = match->from->functions[function].module;
	const uint32_t home = module == CATALOG_NO_MODULE
				      ? CATALOG_NO_MODULE
				      : match->homes[module];

	return home == CATALOG_NO_MODULE
		       ? catalog_module_name(match->from, function)
		       : match->to->modules[home].name;
}

static int is_same(struct match *match, uint32_t to, uint32_t from)
{
	const char *a = catalog_module_name(match->to, to);
	const char *b = home_name(match, from);
	size_t length = stem_length(a);

	return length == stem_length(b) && memcmp(a, b, length) == 0 &&
	       match->to->functions[to].kind ==
		       match->from->functions[from].kind &&
	       is_same_name(catalog_name(match->to, to),
			    catalog_name(match->from, from));
}

/* Returns whether two functions of `to` have the same name in one module. */
static int are_twins(struct match *match, uint32_t a, uint32_t b)
{
	struct catalog *to = match->to;

	return to->functions[a].module == to->functions[b].module &&
	       to->functions[a].kind == to->functions[b].kind &&
	       is_same_name(catalog_name(to, a), catalog_name(to, b));
}

/* Returns whether `from` has the function's module in the same build. */
static int is_in_same_build(const struct match *match, uint32_t function)
{
	const uint32_t module = match->to->functions[function].module;

	return module < match->same_builds_count && match->same_builds[module];
}

static void enter_name(struct match *match, uint32_t function)
{
	uint64_t hash = hash_names(catalog_module_name(match->to, function),
				   catalog_name(match->to, function));
	uint64_t *slot = idmap_at(&match->named, hash);

	while (*slot) {
		if (are_twins(match, (uint32_t)*slot, function) &&
		    !is_in_same_build(match, function)) {
			match->twins[function] = (uint32_t)*slot;
			return;
		}
		slot = idmap_at(&match->named, hash += 2);
	}
	*slot = function;
}

/* Enters only functions that occur in the tree, since name lookups are slow. */
static void enter_names(struct match *match, const struct tree *tree)
{
	uint8_t *seen = memory_zeroed(match->to->function_count, 1);

	for (size_t i = 1; i < tree->count; i++) {
		const uint32_t function = tree->nodes[i].function;

		if (!seen[function]++)
			enter_name(match, function);
	}
	free(seen);
}

static uint32_t find_by_name(struct match *match, uint32_t function)
{
	uint64_t hash = hash_names(home_name(match, function),
				   catalog_name(match->from, function));
	const uint64_t *slot;

	if (!catalog_has_name(match->from, function))
		return 0;
	while ((slot = idmap_find(&match->named, hash))) {
		if (is_same(match, (uint32_t)*slot, function))
			return (uint32_t)*slot;
		hash += 2;
	}
	return 0;
}

static int is_same_build(const struct catalog_module *a,
			 const struct catalog_module *b)
{
	return a->build_id.bytes > 0 &&
	       a->build_id.bytes == b->build_id.bytes &&
	       memcmp(a->build_id.data, b->build_id.data, a->build_id.bytes) ==
		       0;
}

static int is_same_stem(const struct catalog_module *a,
			const struct catalog_module *b)
{
	size_t length = stem_length(a->name);

	return length == stem_length(b->name) &&
	       memcmp(a->name, b->name, length) == 0;
}

/*
 * Returns whether an address identifies the function in `to`. A baseline has
 * addresses only of functions without a name.
 */
static int is_found_by_address(struct match *match, uint32_t function)
{
	const struct catalog_function *entry =
		&match->from->functions[function];
	const uint32_t build = entry->module == CATALOG_NO_MODULE
				       ? 0
				       : match->builds[entry->module];

	return build > 0 && !entry->is_named &&
	       (!match->to->modules[build - 1].is_baseline ||
		!catalog_has_name(match->from, function));
}

/* Adds a module that only the second recording has. */
static uint32_t enter_module(struct catalog *catalog,
			     const struct catalog_module *module)
{
	struct wire_module wire = {
		.state = module->state,
		.build_id_bytes = module->build_id.bytes,
	};
	const struct module_record record = {
		.module = &wire,
		.path = module->path,
		.path_bytes = (uint32_t)strlen(module->path),
	};
	struct catalog_list functions = { 0 };

	memcpy(wire.build_id, module->build_id.data, module->build_id.bytes);
	return catalog_add_module(catalog, &record, &functions);
}

/* Modules of `to`, by the hash of a build-id or a stem: 1 + index. */
struct module_map {
	int (*is_same)(const struct catalog_module *,
		       const struct catalog_module *);
	uint64_t (*hash)(const struct catalog_module *);
	struct idmap by_hash;
};

static uint64_t hash_build(const struct catalog_module *module)
{
	return hash_key(hash_add(HASH_START, module->build_id.data,
				 module->build_id.bytes));
}

static uint64_t hash_stem(const struct catalog_module *module)
{
	return hash_key(
		hash_add(HASH_START, module->name, stem_length(module->name)));
}

/*
 * Returns the slot of a module that equals `module`, or a new slot with value
 * 0.
 */
static uint64_t *slot_of(struct module_map *map, const struct catalog *to,
			 const struct catalog_module *module)
{
	uint64_t hash = map->hash(module);
	uint64_t *slot = idmap_at(&map->by_hash, hash);

	while (*slot && !map->is_same(module, &to->modules[*slot - 1]))
		slot = idmap_at(&map->by_hash, hash += 2);
	return slot;
}

/* Returns 1 + the index of a module that equals `module`, or 0. */
static uint32_t find_module(const struct module_map *map,
			    const struct catalog *to,
			    const struct catalog_module *module)
{
	uint64_t hash = map->hash(module);
	const uint64_t *slot;

	while ((slot = idmap_find(&map->by_hash, hash))) {
		if (map->is_same(module, &to->modules[*slot - 1]))
			return (uint32_t)*slot;
		hash += 2;
	}
	return 0;
}

/*
 * Enters modules in the maps. Of several modules with one build-id, the map
 * contains the last, of those with one stem the first.
 */
static void enter_modules(const struct catalog *to, struct module_map *builds,
			  struct module_map *stems)
{
	for (size_t j = 0; j < to->module_count; j++) {
		const struct catalog_module *module = &to->modules[j];
		uint64_t *stem = slot_of(stems, to, module);

		if (!*stem)
			*stem = j + 1;
		if (module->build_id.bytes > 0)
			*slot_of(builds, to, module) = j + 1;
	}
}

/* Notes that both recordings have the module's build, with its addresses. */
static void note_build(struct match *match, size_t index)
{
	const uint32_t build = match->builds[index];

	if (build && !match->from->modules[index].is_baseline &&
	    !match->to->modules[build - 1].is_baseline)
		match->same_builds[build - 1] = 1;
}

static void match_each_module(struct match *match)
{
	struct module_map builds = { is_same_build, hash_build, { 0 } };
	struct module_map stems = { is_same_stem, hash_stem, { 0 } };

	enter_modules(match->to, &builds, &stems);
	for (size_t i = 0; i < match->from->module_count; i++) {
		const struct catalog_module *module = &match->from->modules[i];
		const uint32_t build = find_module(&builds, match->to, module);
		const uint32_t home =
			build ? build : find_module(&stems, match->to, module);

		match->builds[i] = build;
		match->homes[i] = home ? home - 1 : CATALOG_NO_MODULE;
		note_build(match, i);
	}
	idmap_fini(&builds.by_hash);
	idmap_fini(&stems.by_hash);
}

/* Enters hashes of the names of a module's functions, with value 1. */
static void gather_names(struct catalog *catalog, uint32_t module,
			 struct idmap *names)
{
	for (uint32_t i = FUNCTION_FIRST; i < catalog->function_count; i++) {
		const struct catalog_function *entry = &catalog->functions[i];
		const char *name;

		if (entry->module != module ||
		    (!catalog_is_recorded(entry) &&
		     !catalog->modules[module].is_baseline))
			continue;
		name = catalog_name(catalog, i);
		*idmap_at(names, hash_key(hash_name(name))) = 1;
	}
}

/*
 * Returns whether the first modules are one program under two names: at least
 * half of the called functions with names in one exist in the other.
 */
static int are_one_program(struct match *match, const struct tree *tree)
{
	struct catalog *to = match->to;
	uint8_t *seen = memory_zeroed(to->function_count, 1);
	struct idmap names = { 0 };
	size_t known = 0, called = 0;

	gather_names(match->from, 0, &names);
	for (size_t i = 1; i < tree->count; i++) {
		uint32_t function = tree->nodes[i].function;
		const char *name;

		if (to->functions[function].module != 0 || seen[function]++)
			continue;
		name = catalog_name(to, function);
		if (!catalog_has_name(to, function))
			continue;
		called++;
		known += idmap_find(&names, hash_key(hash_name(name))) != NULL;
	}
	idmap_fini(&names);
	free(seen);
	return called > 0 && 2 * known >= called;
}

/*
 * Matches the programs of both recordings. The program is the first module. A
 * program with another name may be its renamed version.
 */
static void match_programs(struct match *match, const struct tree *tree)
{
	const size_t count = match->from->module_count;

	if (count == 0 || match->to->module_count == 0 ||
	    match->homes[0] != CATALOG_NO_MODULE)
		return;
	for (size_t i = 0; i < count; i++) {
		if (match->homes[i] == 0)
			return;
	}
	if (are_one_program(match, tree))
		match->homes[0] = 0;
}

static void match_modules(struct match *match, const struct tree *tree)
{
	const size_t count = match->from->module_count;

	match_each_module(match);
	match_programs(match, tree);
	for (size_t i = 0; i < count; i++) {
		if (match->homes[i] == CATALOG_NO_MODULE)
			match->homes[i] = enter_module(
				match->to, &match->from->modules[i]);
	}
}

/*
 * Time in unknown code of a module counts for a function that is named after
 * the module. Returns such a name with the module's name in `to`, or NULL for
 * any other function. The caller frees it.
 */
static char *name_of_unknown_code(struct match *match, uint32_t function)
{
	const struct catalog_function *entry =
		&match->from->functions[function];
	const char *name;
	size_t length;

	if (entry->module == CATALOG_NO_MODULE || !entry->is_named)
		return NULL;
	name = match->from->modules[entry->module].name;
	length = strlen(name);
	if (strncmp(entry->name, "(in ", 4) != 0 ||
	    strncmp(entry->name + 4, name, length) != 0 ||
	    strcmp(entry->name + 4 + length, ")") != 0)
		return NULL;
	return memory_printf("(in %s)", home_name(match, function));
}

/*
 * Returns the function in the other catalog; adds it by name if there is none.
 */
static uint32_t find_function(struct match *match, uint32_t function)
{
	const struct catalog_function *entry =
		&match->from->functions[function];
	uint32_t found, module = entry->module;
	char *unknown_code;

	if (function < FUNCTION_FIRST)
		return function;
	if (is_found_by_address(match, function))
		return catalog_function_at(match->to, match->builds[module] - 1,
					   entry->vaddr);
	if (module != CATALOG_NO_MODULE)
		module = match->homes[module];
	unknown_code = name_of_unknown_code(match, function);
	if (unknown_code) {
		found = catalog_named(match->to, entry->kind, module,
				      unknown_code);
		free(unknown_code);
		return found;
	}
	found = find_by_name(match, function);
	return found ? found
		     : catalog_named(match->to, entry->kind, module,
				     catalog_name(match->from, function));
}

uint32_t match_function(struct match *match, uint32_t function)
{
	if (match->functions[function] == 0)
		match->functions[function] = find_function(match, function);
	return match->functions[function];
}

uint32_t match_own(const struct match *match, uint32_t function)
{
	return function < match->twins_count && match->twins[function]
		       ? match->twins[function]
		       : function;
}

void match_init(struct match *match, struct catalog *from, struct catalog *to,
		const struct tree *tree)
{
	*match = (struct match){
		.from = from,
		.to = to,
		.functions = memory_zeroed(from->function_count,
					   sizeof(*match->functions)),
		.builds = memory_zeroed(from->module_count,
					sizeof(*match->builds)),
		.homes = memory_zeroed(from->module_count,
				       sizeof(*match->homes)),
		.same_builds = memory_zeroed(to->module_count, 1),
		.same_builds_count = to->module_count,
	};
	match_modules(match, tree);
	match->twins_count = to->function_count;
	match->twins = memory_zeroed(match->twins_count, sizeof(*match->twins));
	enter_names(match, tree);
}

void match_fini(struct match *match)
{
	free(match->functions);
	free(match->builds);
	free(match->homes);
	free(match->same_builds);
	free(match->twins);
	idmap_fini(&match->named);
}
