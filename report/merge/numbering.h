/* SPDX-License-Identifier: MIT */
/*
 * Maps the modules and function numbers of one process to the catalog.
 *
 * A process assigns function numbers in ranges: one for a module, or one for
 * functions of one kind that have only names. The catalog has each function
 * once for all processes. Unloaded modules stay in the list, although another
 * module may have reused their addresses.
 */
#ifndef CLEW_MERGE_NUMBERING_H
#define CLEW_MERGE_NUMBERING_H

#include "report/merge/method_sources.h"
#include "report/model/function_catalog.h"
#include "report/recording/part_reader.h"

/* Consecutive numbers of functions of one kind. */
struct numbering_range {
	uint32_t first;
	uint32_t count;
	enum wire_range_kind kind;
	/* for modules; otherwise empty: `named` or `stacks` has the numbers */
	struct catalog_list functions;
};

/* Returns whether the range has the functions of a module. */
static inline int numbering_range_is_module(const struct numbering_range *range)
{
	return range->functions.first || range->functions.items;
}

/* A stack of Java methods that call each other, outermost first. */
struct numbering_stack {
	/* Methods and bytecode indices of their calls, in the part. */
	const uint32_t *numbers;
	const uint16_t *calls;
	size_t count; /* at least one */
	/* index in the catalog of the innermost method, or of its line */
	uint32_t function;
};

struct numbering_module {
	uint64_t start, end; /* the module's code has pcs in [start, end) */
	uint64_t base;
	/* as in struct wire_module (CLOCK_REALTIME) */
	uint64_t loaded_ns, unloaded_ns;
	/* the functions in the part, sorted by vaddr */
	const struct wire_function *functions;
	uint32_t function_count;
	uint32_t first_function; /* number of the module's first function */
	uint32_t module;         /* index in the catalog */
};

struct numbering {
	struct numbering_range *ranges; /* sorted by `first` */
	size_t count, capacity;
	/*
	 * For functions that have only a name, maps the number to the function
	 * in the catalog.
	 */
	struct idmap named;
	/* for stacks of methods, maps the number to the index in stack_items */
	struct idmap stacks;
	struct numbering_stack *stack_items;
	size_t stack_count, stack_capacity;
	/* function in the catalog that stands for WIRE_STACK_CUT */
	uint32_t more_callers;
	/*
	 * Call sites in generated code, whose functions are not yet determined;
	 * in the part.
	 */
	const struct wire_caller **callers;
	size_t caller_count, caller_capacity;
	struct method_sources sources;
	/*
	 * whether the recording was imported and the numbers of calls are
	 * unknown
	 */
	int has_no_calls;
	struct numbering_module *modules; /* sorted by start, then by time */
	size_t module_count, module_capacity;
};

/*
 * Enters all modules and function numbers of a part, which must exist as long
 * as the numbering. by_line: Java methods that call natives become one function
 * for each calling line (announced_line()).
 */
void numbering_init(struct numbering *numbering, struct catalog *catalog,
		    const struct part_copy *part, int by_line);
void numbering_fini(struct numbering *numbering);

/*
 * Sets the catalog's function for a call site of numbering->callers, by its
 * number.
 */
void numbering_name_caller(struct numbering *numbering, uint32_t number,
			   uint32_t function);

/*
 * Returns the catalog's function for a function number of the part,
 * FUNCTION_UNKNOWN if there is none, FUNCTION_FOLDED for WIRE_FOLDED. For a
 * stack this is the innermost method, or its line.
 */
uint32_t numbering_function(const struct numbering *numbering, uint32_t number);

/*
 * Returns the range of module functions that contains the number, or NULL if
 * there is none. WIRE_FOLDED is in no range that is returned.
 */
const struct numbering_range *numbering_functions_at(
	const struct numbering *numbering, uint32_t number);

/* Returns the stack of Java methods that has this number, or NULL. */
const struct numbering_stack *numbering_stack(const struct numbering *numbering,
					      uint32_t number);

/*
 * Returns the function, file and line of a bytecode in the method with this
 * number. File and line are 0 if they are unknown.
 */
struct announced_frame numbering_frame(const struct numbering *numbering,
				       uint32_t number, uint32_t bytecode);

/*
 * Returns the catalog's site at which the method with index `at` in a stack
 * makes its call; 0 if unknown.
 */
uint32_t numbering_call_site(const struct numbering *numbering,
			     struct catalog *catalog,
			     const struct numbering_stack *stack, size_t at);

#define NUMBERING_ANY_TIME 0

/*
 * Returns the module that contained a pc at that time (CLOCK_REALTIME), for
 * NUMBERING_ANY_TIME the last module of the list that contains it. NULL if none
 * is found.
 */
const struct numbering_module *numbering_module_at(
	const struct numbering *numbering, uint64_t pc, uint64_t time_ns);

/*
 * Returns the number of the function that contains a vaddr of the module, or 0.
 */
uint32_t numbering_number_at(const struct numbering_module *module,
			     uint64_t vaddr);

#endif
