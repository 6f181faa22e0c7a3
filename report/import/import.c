/* SPDX-License-Identifier: MIT */
/* See import.h. */
#include "report/import/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void import_init(struct import *import)
{
	*import = (struct import){ 0 };
}

static void process_fini(struct import_process *process)
{
	free(process->name);
	free(process->contexts);
	hash_index_fini(&process->children);
	for (size_t i = 0; i < WIRE_VALUES_MAX; i++)
		free(process->columns[i].items);
}

void import_fini(struct import *import)
{
	for (size_t i = 0; i < import->process_count; i++)
		process_fini(&import->processes[i]);
	free(import->processes);
	free(import->functions);
	strings_fini(&import->strings);
	strings_fini(&import->other_events);
	free(import->event);
	hash_index_fini(&import->function_at);
	idmap_fini(&import->process_at);
}

struct import_process *import_process_of(struct import *import, uint32_t pid,
					 const char *name)
{
	uint64_t *known = idmap_at(&import->process_at, (uint64_t)pid + 1);
	struct import_process *process;

	if (*known)
		return &import->processes[*known - 1];
	if (import->process_count == IMPORT_PROCESSES_MAX)
		return NULL;
	import->processes =
		memory_grow(import->processes, import->process_count,
			    &import->process_capacity, sizeof(*process));
	process = &import->processes[import->process_count++];
	*known = import->process_count;
	*process = (struct import_process){ .pid = pid };
	process->name = memory_string(name, strlen(name));
	process->contexts = memory_grow(NULL, 0, &process->capacity,
					sizeof(*process->contexts));
	process->contexts[process->count++] = (struct import_context){ 0 };
	return process;
}

/* ---- Functions ---- */

static uint32_t text_number(struct import *import, const char *text,
			    size_t bytes)
{
	char *copy = memory_string(
		text, bytes < IMPORT_NAME_MAX ? bytes : IMPORT_NAME_MAX);
	const uint32_t number = strings_number(&import->strings, copy);

	free(copy);
	return number;
}

static int is_function(const struct import_function *a,
		       const struct import_function *b)
{
	return a->name == b->name && a->module == b->module &&
	       a->kind == b->kind;
}

uint32_t import_function_of(struct import *import, const char *name,
			    size_t name_bytes, const char *module,
			    size_t module_bytes, enum wire_imported_kind kind)
{
	static const char unknown[] = "[unknown]";
	const struct import_function function = {
		.name = name_bytes ? text_number(import, name, name_bytes)
				   : text_number(import, unknown,
						 sizeof(unknown) - 1),
		.module = text_number(import, module, module_bytes),
		.kind = kind,
	};
	const uint32_t hash =
		hash_of_word((uint64_t)function.name << 32 |
			     (function.module << 3 ^ (uint32_t)kind));
	struct hash_slot *at;

	hash_index_reserve(&import->function_at, import->function_count + 1);
	at = hash_index_first(&import->function_at, hash);
	while (at->item &&
	       !is_function(&import->functions[at->item - 1], &function))
		at = hash_index_next(&import->function_at, hash, at);
	if (at->item)
		return at->item - 1;
	hash_index_enter(&import->function_at, at, hash,
			 import->function_count);
	import->functions =
		memory_grow(import->functions, import->function_count,
			    &import->function_capacity, sizeof(function));
	import->functions[import->function_count] = function;
	return (uint32_t)import->function_count++;
}

/* ---- Contexts ---- */

uint32_t import_child(struct import *import, struct import_process *process,
		      uint32_t parent, uint32_t function)
{
	const uint32_t hash = hash_of_word((uint64_t)parent << 32 | function);
	const struct import_context *known;
	struct hash_slot *at;

	hash_index_reserve(&process->children, process->count);
	at = hash_index_first(&process->children, hash);
	while (at->item) {
		known = &process->contexts[at->item - 1];
		if (known->parent == parent && known->function == function)
			return at->item - 1;
		at = hash_index_next(&process->children, hash, at);
	}
	if (import->context_count == IMPORT_CONTEXTS_MAX)
		return 0;
	import->context_count++;
	hash_index_enter(&process->children, at, hash, process->count);
	process->contexts =
		memory_grow(process->contexts, process->count,
			    &process->capacity, sizeof(*process->contexts));
	process->contexts[process->count] = (struct import_context){
		.parent = parent,
		.function = function,
		.depth = process->contexts[parent].depth + 1,
	};
	return (uint32_t)process->count++;
}

size_t import_column_of(struct import *import, const char *name,
			size_t name_bytes, enum wire_unit unit)
{
	struct wire_value_kind kind = { .unit = unit };

	if (name_bytes >= sizeof(kind.name))
		name_bytes = sizeof(kind.name) - 1;
	memcpy(kind.name, name, name_bytes);
	for (size_t i = 0; i < import->column_count; i++)
		if (strcmp(import->columns[i].name, kind.name) == 0)
			return i;
	if (import->column_count == WIRE_VALUES_MAX || !kind.name[0])
		return WIRE_VALUES_MAX;
	import->columns[import->column_count] = kind;
	return import->column_count++;
}

void import_column_add(struct import_column *column, size_t index,
		       uint64_t number)
{
	while (column->count <= index) {
		column->items =
			memory_grow(column->items, column->count,
				    &column->capacity, sizeof(*column->items));
		column->items[column->count++] = 0;
	}
	import_limited_add(&column->items[index], number);
}
