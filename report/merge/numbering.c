/* SPDX-License-Identifier: MIT */
/* See numbering.h. */
#include "report/merge/numbering.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/model/announced_lines.h"
#include "report/model/java_name.h"
#include "report/recording/bindings_reader.h"
#include "report/recording/imported_reader.h"
#include "report/recording/names_reader.h"

static void add_range(struct numbering *numbering,
		      const struct numbering_range *range)
{
	numbering->ranges =
		memory_grow(numbering->ranges, numbering->count,
			    &numbering->capacity, sizeof(*numbering->ranges));
	numbering->ranges[numbering->count++] = *range;
}

static void add_module(struct numbering *numbering,
		       const struct module_record *record, uint32_t module)
{
	const struct wire_module *wire = record->module;

	numbering->modules = memory_grow(
		numbering->modules, numbering->module_count,
		&numbering->module_capacity, sizeof(*numbering->modules));
	numbering->modules[numbering->module_count++] =
		(struct numbering_module){
			.start = wire->base + wire->vaddr_start,
			.end = wire->base + wire->vaddr_end,
			.base = wire->base,
			.loaded_ns = wire->loaded_ns,
			.unloaded_ns = wire->unloaded_ns,
			.functions = record->functions,
			.function_count = record->function_count,
			.first_function = wire->first_function,
			.module = module,
		};
}

static int by_first(const void *left, const void *right)
{
	const struct numbering_range *a = left, *b = right;

	return a->first < b->first ? -1 : a->first > b->first;
}

/*
 * Sorts the ranges by their first numbers. Those of a damaged recording may
 * overlap: each then ends where the next one begins.
 */
static void sort_ranges(struct numbering *numbering)
{
	struct numbering_range *ranges = numbering->ranges;

	if (numbering->count == 0)
		return;
	qsort(ranges, numbering->count, sizeof(*ranges), by_first);
	for (size_t i = 0; i + 1 < numbering->count; i++)
		if (ranges[i + 1].first - ranges[i].first < ranges[i].count)
			ranges[i].count = ranges[i + 1].first - ranges[i].first;
}

static int by_start(const void *left, const void *right)
{
	const struct numbering_module *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->loaded_ns < b->loaded_ns ? -1 : a->loaded_ns > b->loaded_ns;
}

static uint64_t first_of(const void *range)
{
	return ((const struct numbering_range *)range)->first;
}

static uint64_t start_of(const void *module)
{
	return ((const struct numbering_module *)module)->start;
}

static uint64_t vaddr_of(const void *function)
{
	return ((const struct wire_function *)function)->vaddr;
}

/*
 * Returns the number of items whose key is not greater than `key`. The items
 * are sorted by key.
 */
static inline size_t count_up_to(const void *items, size_t count, size_t size,
				 uint64_t (*key_of)(const void *), uint64_t key)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (key_of((const char *)items + middle * size) <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns the range that contains a number, or NULL. */
static const struct numbering_range *range_of(const struct numbering *numbering,
					      uint32_t number)
{
	const struct numbering_range *range;
	size_t count = count_up_to(numbering->ranges, numbering->count,
				   sizeof(*range), first_of, number);

	if (count == 0)
		return NULL;
	range = &numbering->ranges[count - 1];
	return number - range->first < range->count ? range : NULL;
}

static void enter_module(struct numbering *numbering, struct catalog *catalog,
			 const struct module_record *record)
{
	struct catalog_list functions = { 0 };
	uint32_t module = catalog_add_module(catalog, record, &functions);

	if (module == CATALOG_NO_MODULE)
		return;
	add_module(numbering, record, module);
	if (record->function_count)
		add_range(numbering,
			  &(struct numbering_range){
				  .first = record->module->first_function,
				  .count = record->function_count,
				  .functions = functions,
			  });
}

static void enter_ranges(struct numbering *numbering,
			 const struct part_chunk *chunk)
{
	const struct wire_range *ranges = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->used_bytes / sizeof(*ranges); i++)
		add_range(numbering, &(struct numbering_range){
					     .first = ranges[i].first,
					     .count = ranges[i].count,
					     .kind = ranges[i].kind,
				     });
}

/* Returns the range of a number with records of its own, or NULL. */
static const struct numbering_range *recorded_range(
	const struct numbering *numbering, uint32_t number)
{
	const struct numbering_range *range =
		number ? range_of(numbering, number) : NULL;

	return range && !numbering_range_is_module(range) ? range : NULL;
}

static void enter_names(struct numbering *numbering, struct catalog *catalog,
			const struct part_chunk *chunk)
{
	struct recorded_name name;
	size_t cursor = 0;

	while (names_next(chunk, &cursor, &name)) {
		const struct numbering_range *range =
			recorded_range(numbering, name.number);
		char *text;

		/* Names for JNI belong to no function. */
		if (!range || range->kind == WIRE_RANGE_JNI_NAME)
			continue;
		text = memory_printf(
			"%s%.*s",
			range->kind == WIRE_RANGE_JNI ? JNI_ENV_PREFIX : "",
			(int)name.text_bytes, name.text);
		*idmap_at(&numbering->named, name.number) = catalog_named(
			catalog,
			range->kind == WIRE_RANGE_GENERATED ? KIND_GENERATED
							    : KIND_NATIVE,
			CATALOG_NO_MODULE, text);
		free(text);
	}
}

/* Returns a module that has only a name, so that no file is opened. */
static uint32_t imported_module(struct catalog *catalog,
				const struct imported_name *name)
{
	const struct wire_module wire = { .state = MODULE_IS_IMPORTED };
	const struct module_record record = {
		.module = &wire,
		.path = name->module,
		.path_bytes = (uint32_t)name->module_bytes,
	};
	struct catalog_list none;
	uint32_t module;

	if (name->module_bytes == 0)
		return CATALOG_NO_MODULE;
	module = catalog_add_module(catalog, &record, &none);
	if (module != CATALOG_NO_MODULE)
		catalog->modules[module].was_tried = 1;
	return module;
}

static void enter_imported(struct numbering *numbering, struct catalog *catalog,
			   const struct part_chunk *chunk)
{
	static const uint8_t kinds[WIRE_IMPORTED_KIND_COUNT] = {
		[WIRE_IMPORTED_NATIVE] = KIND_NATIVE,
		[WIRE_IMPORTED_KERNEL] = KIND_KERNEL,
		[WIRE_IMPORTED_JAVA] = KIND_JAVA,
		[WIRE_IMPORTED_GENERATED] = KIND_GENERATED,
		[WIRE_IMPORTED_INLINED] = KIND_INLINED,
	};
	struct imported_name name;
	size_t cursor = 0;

	while (imported_names_next(chunk, &cursor, &name)) {
		const struct numbering_range *range =
			recorded_range(numbering, name.number);
		char *text;

		if (!range || range->kind != WIRE_RANGE_IMPORTED)
			continue;
		text = memory_string(name.name, name.name_bytes);
		*idmap_at(&numbering->named, name.number) = catalog_named(
			catalog, (enum function_kind)kinds[name.kind],
			imported_module(catalog, &name), text);
		free(text);
	}
}

static char *name_of(const struct recorded_texts *texts)
{
	return java_name_of(texts->class_name, texts->name, texts->signature);
}

/*
 * Returns whether this reason says that the method could not be changed after
 * it had got its number.
 */
static int is_refused(uint32_t why)
{
	return why >= WIRE_JAVA_CODE && why <= WIRE_JAVA_ROOM;
}

static void enter_counting(struct catalog_function *function, uint32_t left)
{
	if (is_refused(function->java_left))
		return;
	function->stands_by |= left == WIRE_JAVA_STANDS_BY;
	function->reports_calls |=
		function->stands_by || left == WIRE_JAVA_COUNTS;
}

static void enter_left(struct catalog_function *function, uint32_t left)
{
	function->java_left =
		left < WIRE_JAVA_LEFT_COUNT ? (uint8_t)left : WIRE_JAVA_COUNTS;
	if (is_refused(function->java_left))
		function->reports_calls = function->stands_by = 0;
}

static void enter_method(struct numbering *numbering, struct catalog *catalog,
			 enum wire_range_kind kind,
			 const struct recorded_method *method)
{
	char *text = name_of(&method->texts);
	const uint32_t function = catalog_named(
		catalog, kind == WIRE_RANGE_JAVA_NATIVE ? KIND_JNI : KIND_JAVA,
		CATALOG_NO_MODULE, text);

	free(text);
	if (kind == WIRE_RANGE_JAVA_LEFT) {
		enter_left(&catalog->functions[function], method->left);
		return;
	}
	*idmap_at(&numbering->named, method->number) = function;
	if (kind == WIRE_RANGE_JAVA)
		enter_counting(&catalog->functions[function], method->left);
}

static void enter_methods(struct numbering *numbering, struct catalog *catalog,
			  const struct part_chunk *chunk)
{
	struct recorded_method method;
	size_t cursor = 0;

	while (methods_next(chunk, &cursor, &method)) {
		const struct numbering_range *range =
			recorded_range(numbering, method.number);

		if (range)
			enter_method(numbering, catalog, range->kind, &method);
	}
}

static void enter_stacks(struct numbering *numbering, struct catalog *catalog,
			 const struct part_chunk *chunk)
{
	struct recorded_stack stack;
	size_t cursor = 0;

	if (!numbering->more_callers)
		numbering->more_callers =
			catalog_named(catalog, KIND_JAVA, CATALOG_NO_MODULE,
				      "(more callers)");
	while (stacks_next(chunk, &cursor, &stack)) {
		if (!recorded_range(numbering, stack.number))
			continue;
		numbering->stack_items = memory_grow(
			numbering->stack_items, numbering->stack_count,
			&numbering->stack_capacity,
			sizeof(*numbering->stack_items));
		*idmap_at(&numbering->stacks, stack.number) =
			numbering->stack_count;
		numbering->stack_items[numbering->stack_count++] =
			(struct numbering_stack){
				.numbers = stack.numbers,
				.calls = stack.bytecodes,
				.count = stack.count,
			};
	}
}

static void enter_callers(struct numbering *numbering,
			  const struct part_chunk *chunk)
{
	const struct wire_caller *caller;
	size_t cursor = 0;

	while ((caller = callers_next(chunk, &cursor))) {
		if (!recorded_range(numbering, caller->head.number))
			continue;
		numbering->callers =
			memory_grow(numbering->callers, numbering->caller_count,
				    &numbering->caller_capacity,
				    sizeof(const struct wire_caller *));
		numbering->callers[numbering->caller_count++] = caller;
	}
}

static void enter_intrinsic(struct catalog *catalog,
			    const struct recorded_binding *binding)
{
	char *name = name_of(&binding->method);
	const uint32_t function =
		catalog_named(catalog, KIND_JNI, CATALOG_NO_MODULE, name);

	catalog->functions[function].is_intrinsic = 1;
	free(name);
}

/*
 * Marks intrinsic methods. Names the code of each binding, except code in no
 * module (a stub that a library generated) and natives that are counted by
 * their own number.
 */
static void enter_bindings(struct numbering *numbering, struct catalog *catalog,
			   const struct part_chunk *chunk)
{
	struct recorded_binding binding;
	size_t cursor = 0;

	while (bindings_next(chunk, &cursor, &binding)) {
		const struct numbering_module *module = numbering_module_at(
			numbering, binding.pc, binding.bound_ns);
		uint32_t function;
		char *name;

		if (binding.is_intrinsic)
			enter_intrinsic(catalog, &binding);
		if (!module || binding.number)
			continue;
		function = catalog_function_at(catalog, module->module,
					       binding.pc - module->base);
		name = name_of(&binding.method);
		if (function >= FUNCTION_FIRST)
			catalog_call_native(catalog, function, name);
		free(name);
	}
}

/*
 * Returns the catalog's function of a number that has only a name, or
 * FUNCTION_UNKNOWN.
 */
static uint32_t named_function(const struct numbering *numbering,
			       uint32_t number)
{
	const uint64_t *named = idmap_find(&numbering->named, number);

	return named ? (uint32_t)*named : FUNCTION_UNKNOWN;
}

/*
 * Sets the function of each stack: its innermost method or, if by_line, a line
 * of it. Called after all methods were read.
 */
static void enter_innermost(struct numbering *numbering,
			    struct catalog *catalog, int by_line)
{
	const struct method_sources *sources = &numbering->sources;

	for (size_t i = 0; i < numbering->stack_count; i++) {
		struct numbering_stack *stack = &numbering->stack_items[i];
		const size_t last = stack->count - 1;
		uint32_t file, line;

		stack->function =
			named_function(numbering, stack->numbers[last]);
		if (by_line && stack->function >= FUNCTION_FIRST &&
		    method_sources_find(sources, stack->numbers[last],
					stack->calls[last], &file, &line))
			stack->function = announced_line(
				catalog, stack->function, file, line);
	}
}

static void enter_sources(struct numbering *numbering, struct catalog *catalog)
{
	const struct method_sources *sources = &numbering->sources;
	uint32_t file, line;

	for (size_t i = 0; i < sources->count; i++) {
		const uint32_t number = sources->items[i].number;
		const uint32_t function = named_function(numbering, number);

		if (function >= FUNCTION_FIRST &&
		    method_sources_find(sources, number, 0, &file, &line))
			announced_place(catalog, function, file, line);
	}
}

static void enter_rest(struct numbering *numbering, struct catalog *catalog,
		       const struct part_copy *part)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	while (part_next_chunk(part, &cursor, &chunk)) {
		switch (chunk.kind) {
		case WIRE_NAMES:
			enter_names(numbering, catalog, &chunk);
			break;
		case WIRE_IMPORTED_NAMES:
			enter_imported(numbering, catalog, &chunk);
			break;
		case WIRE_METHODS:
			enter_methods(numbering, catalog, &chunk);
			break;
		case WIRE_STACKS:
			enter_stacks(numbering, catalog, &chunk);
			break;
		case WIRE_CALLERS:
			enter_callers(numbering, &chunk);
			break;
		case WIRE_BINDINGS:
			enter_bindings(numbering, catalog, &chunk);
			break;
		case WIRE_SOURCES:
			method_sources_add(&numbering->sources, catalog,
					   &chunk);
			break;
		}
	}
}

void numbering_init(struct numbering *numbering, struct catalog *catalog,
		    const struct part_copy *part, int by_line)
{
	struct part_chunk chunk;
	struct module_record record;
	struct recorded_import import;
	uint64_t cursor = 0;

	*numbering = (struct numbering){
		.has_no_calls = import_of(part, &import) &&
				!(import.flags & WIRE_IMPORT_CALLS),
	};
	while (part_next_chunk(part, &cursor, &chunk)) {
		if (module_record_of(&chunk, &record))
			enter_module(numbering, catalog, &record);
		else if (chunk.kind == WIRE_RANGES)
			enter_ranges(numbering, &chunk);
	}
	sort_ranges(numbering);
	if (numbering->module_count > 0)
		qsort(numbering->modules, numbering->module_count,
		      sizeof(*numbering->modules), by_start);
	enter_rest(numbering, catalog, part);
	enter_sources(numbering, catalog);
	enter_innermost(numbering, catalog, by_line);
}

void numbering_fini(struct numbering *numbering)
{
	for (size_t i = 0; i < numbering->count; i++)
		free(numbering->ranges[i].functions.items);
	free(numbering->ranges);
	free(numbering->modules);
	free(numbering->stack_items);
	free(numbering->callers);
	method_sources_fini(&numbering->sources);
	idmap_fini(&numbering->stacks);
	idmap_fini(&numbering->named);
	*numbering = (struct numbering){ 0 };
}

void numbering_name_caller(struct numbering *numbering, uint32_t number,
			   uint32_t function)
{
	*idmap_at(&numbering->named, number) = function;
}

const struct numbering_stack *numbering_stack(const struct numbering *numbering,
					      uint32_t number)
{
	const uint64_t *index = idmap_find(&numbering->stacks, number);

	return index ? &numbering->stack_items[*index] : NULL;
}

struct announced_frame numbering_frame(const struct numbering *numbering,
				       uint32_t number, uint32_t bytecode)
{
	struct announced_frame frame = {
		.function = named_function(numbering, number),
	};

	method_sources_find(&numbering->sources, number, bytecode, &frame.file,
			    &frame.line);
	return frame;
}

uint32_t numbering_call_site(const struct numbering *numbering,
			     struct catalog *catalog,
			     const struct numbering_stack *stack, size_t at)
{
	struct announced_frame frame;

	frame = numbering_frame(numbering, stack->numbers[at],
				stack->calls[at]);
	if (frame.line == 0)
		return 0;
	if (at == stack->count - 1)
		frame.function = stack->function;
	return frame.function < FUNCTION_FIRST
		       ? 0
		       : announced_site(catalog, &frame, 1);
}

uint32_t numbering_function(const struct numbering *numbering, uint32_t number)
{
	const struct numbering_range *range;
	const struct numbering_stack *stack;

	if (number == WIRE_FOLDED)
		return FUNCTION_FOLDED;
	range = range_of(numbering, number);
	if (!range)
		return FUNCTION_UNKNOWN;
	if (numbering_range_is_module(range))
		return catalog_list_at(&range->functions,
				       number - range->first);
	stack = numbering_stack(numbering, number);
	return stack ? stack->function : named_function(numbering, number);
}

const struct numbering_range *numbering_functions_at(
	const struct numbering *numbering, uint32_t number)
{
	const struct numbering_range *range = range_of(numbering, number);

	return range && numbering_range_is_module(range) &&
			       WIRE_FOLDED - range->first >= range->count
		       ? range
		       : NULL;
}

static int was_there(const struct numbering_module *module, uint64_t pc,
		     uint64_t time_ns)
{
	if (pc < module->start || pc >= module->end)
		return 0;
	return time_ns == NUMBERING_ANY_TIME ||
	       (module->loaded_ns <= time_ns &&
		(module->unloaded_ns == 0 || time_ns < module->unloaded_ns));
}

/*
 * Searches backwards from the last module that starts at or before the pc.
 * Loaded modules do not overlap, and few modules have the same addresses one
 * after the other, so few steps are needed. The limit of steps keeps the time
 * short for a hostile recording, whose result may then be wrong.
 */
const struct numbering_module *numbering_module_at(
	const struct numbering *numbering, uint64_t pc, uint64_t time_ns)
{
	enum { STEPS_MAX = 64 };
	const struct numbering_module *modules = numbering->modules;
	size_t count = count_up_to(modules, numbering->module_count,
				   sizeof(*modules), start_of, pc);

	for (int i = 0; i < STEPS_MAX && count > 0; i++) {
		const struct numbering_module *module = &modules[--count];

		if (was_there(module, pc, time_ns))
			return module;
	}
	return NULL;
}

uint32_t numbering_number_at(const struct numbering_module *module,
			     uint64_t vaddr)
{
	const struct wire_function *function;
	size_t count = count_up_to(module->functions, module->function_count,
				   sizeof(*function), vaddr_of, vaddr);

	if (count == 0)
		return 0;
	function = &module->functions[count - 1];
	if (vaddr - function->vaddr >= function->size_bytes)
		return 0;
	return module->first_function + (uint32_t)(count - 1);
}
