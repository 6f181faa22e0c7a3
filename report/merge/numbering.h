/* SPDX-License-Identifier: MIT */
/*
 * How one process calls its modules and functions, and where they were.
 *
 * A process numbers its functions in ranges: a module's, or those of one kind that
 * have but names. The catalog knows each function once for all processes. Modules
 * that were unloaded stay: their place in the address space may have been taken by
 * another since.
 */
#ifndef CLEW_MERGE_NUMBERING_H
#define CLEW_MERGE_NUMBERING_H

#include "report/merge/method_sources.h"
#include "report/model/function_catalog.h"
#include "report/recording/part_reader.h"

/* Consecutive numbers, of functions of one kind. */
struct numbering_range {
	uint32_t first;
	uint32_t count;
	enum wire_range_kind kind;
	uint32_t *functions; /* indices in the catalog; NULL: see `named` */
};

/* Methods that call each other, outermost first. */
struct numbering_stack {
	const uint32_t *numbers; /* of the part */
	const uint16_t *calls;   /* bytecodes, likewise; NULL: not recorded */
	size_t count;            /* at least one */
	uint32_t function; /* the innermost, or its line; in the catalog */
};

struct numbering_module {
	uint64_t start, end; /* pcs of its executable segments */
	uint64_t base;
	uint64_t loaded_ns, unloaded_ns;       /* as in struct wire_module */
	const struct wire_function *functions; /* of the part, by vaddr */
	uint32_t function_count;
	uint32_t first_function; /* their numbers */
	uint32_t module;         /* in the catalog */
};

struct numbering_caller {
	uint32_t number;
	uint64_t pc;  /* that a call returns to; 0: anywhere */
	uint64_t tsc; /* of the first */
};

struct numbering {
	struct numbering_range *ranges; /* in order of `first` */
	size_t count, capacity;
	struct idmap named; /* number -> function, of what has but a name */
	struct idmap
		stacks; /* number -> index in that, of a stack of methods */
	struct numbering_stack *stack_items;
	size_t stack_count, stack_capacity;
	uint32_t more_callers; /* in the catalog: WIRE_STACK_CUT */
	/* Generated code that calls, whose functions are not known as yet */
	struct numbering_caller *callers;
	size_t caller_count, caller_capacity;
	struct method_sources sources;
	struct numbering_module *modules; /* in order of start, then time */
	size_t module_count, module_capacity;
};

/*
 * Enters all modules of a part, which must outlive the numbering. by_line: methods
 * that call natives have a function for each line that does (told_line()).
 */
void numbering_init(struct numbering *numbering, struct catalog *catalog,
		    const struct part_copy *part, int by_line);
void numbering_fini(struct numbering *numbering);

/* The number of one of numbering->callers is that function of the catalog's. */
void numbering_name_caller(struct numbering *numbering, uint32_t number,
			   uint32_t function);

/*
 * The catalog's index of a function number of that part; of a stack's, that of the
 * innermost method, or its line.
 */
uint32_t numbering_function(const struct numbering *numbering, uint32_t number);

/* The stack that is counted as one function of that number, or NULL. */
const struct numbering_stack *numbering_stack(const struct numbering *numbering,
					      uint32_t number);

/* A bytecode of a method, by its number. */
struct told_frame numbering_frame(const struct numbering *numbering,
				  uint32_t number, uint32_t bytecode);

/*
 * Where the method at an index of a stack calls, as a site of the catalog; 0 if
 * nobody knows.
 */
uint32_t numbering_call_site(const struct numbering *numbering,
			     struct catalog *catalog,
			     const struct numbering_stack *stack, size_t at);

#define NUMBERING_ANY_TIME 0

/*
 * The module that a pc was in at that time (CLOCK_REALTIME), or the last of all
 * that ever were there; NULL if none.
 */
const struct numbering_module *numbering_module_at(
	const struct numbering *numbering, uint64_t pc, uint64_t time_ns);

/* The number of the function that a vaddr of the module is in, or 0. */
uint32_t numbering_number_at(const struct numbering_module *module,
			     uint64_t vaddr);

#endif
