/* SPDX-License-Identifier: MIT */
/* See variable_reader.h. */
#include "symbolizer/variables/variable_reader.h"

#include <errno.h>
#include <string.h>

#include "symbolizer/dwarf/sources.h"
#include "symbolizer/elf/heap.h"
#include "symbolizer/variables/debug_names.h"
#include "symbolizer/variables/variable_arguments.h"
#include "symbolizer/variables/variable_locations.h"
#include "symbolizer/variables/variable_types.h"

#define VARIABLES_MAX 4096
#define SCOPES_MAX    128

/* A scope whose code contains the address: a function or a block. */
struct variable_scope {
	Dwarf_Die die;
	/* Name of the inlined function that contains it, or NULL. */
	const char *inlined;
	int is_inlined; /* the scope is an inlined function */
};

struct scope_walk {
	struct debug_reading *reading;
	struct variable_frame frame;
	struct variable_scope scopes[SCOPES_MAX]; /* the function is first */
	unsigned int count;
	int has_function;
	uint64_t start; /* first address of the function */
	uint64_t body;  /* address behind the prologue; if unknown, `start` */
};

/* ---- The scope of the address ---- */

static int find_unit(struct debug_reading *reading)
{
	const uint64_t vaddr = reading->request->vaddr;

	for (size_t i = 0; i < reading->unit_count; i++) {
		Dwarf_Error error = NULL;
		Dwarf_Die die = debug_unit_die(reading, i);

		if (!die)
			continue;
		reading->unit_base = 0;
		if (dwarf_lowpc(die, &reading->unit_base, &error) != DW_DLV_OK)
			reading->unit_base = 0;
		if (debug_die_covers(reading, die, vaddr) > 0) {
			reading->unit = i;
			reading->unit_die = die;
			return 1;
		}
		dwarf_dealloc_die(die);
	}
	reading->unit = reading->unit_count;
	return 0;
}

static int is_cxx(Dwarf_Die unit)
{
	uint64_t language = 0;

	debug_die_number(unit, DW_AT_language, &language);
	switch (language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2b: /* 17 */
	case 0x2c: /* 20 */
		return 1;
	default:
		return 0;
	}
}

/* ---- Scopes ---- */

static int visit_scope(void *context, Dwarf_Die die);

static int enter_scope(struct scope_walk *walk, Dwarf_Die die)
{
	struct variable_scope *scope;
	const Dwarf_Half tag = debug_die_tag(die);
	const char *inlined;

	if (walk->count == SCOPES_MAX)
		return 1;
	inlined = walk->count ? walk->scopes[walk->count - 1].inlined : NULL;
	scope = &walk->scopes[walk->count++];
	scope->die = die;
	scope->is_inlined = tag == DW_TAG_inlined_subroutine;
	scope->inlined = scope->is_inlined ? debug_die_name(walk->reading, die)
					   : inlined;
	debug_die_children(walk->reading, die, visit_scope, walk);
	return 1;
}

static int visit_scope(void *context, Dwarf_Die die)
{
	struct scope_walk *walk = context;

	switch (debug_die_tag(die)) {
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		if (debug_die_covers(walk->reading, die, walk->frame.vaddr) > 0)
			return enter_scope(walk, die);
		return 0;
	default:
		return 0;
	}
}

static int visit_function(void *context, Dwarf_Die die)
{
	struct scope_walk *walk = context;
	Dwarf_Error error = NULL;
	Dwarf_Addr low;

	if (debug_die_tag(die) != DW_TAG_subprogram ||
	    debug_die_covers(walk->reading, die, walk->frame.vaddr) <= 0)
		return 0;
	walk->has_function = 1;
	walk->frame.function = die;
	if (dwarf_lowpc(die, &low, &error) == DW_DLV_OK) {
		walk->start = low;
		walk->frame.is_entry = low == walk->frame.vaddr;
	}
	return enter_scope(walk, die);
}

/* ---- The prologue ---- */

/*
 * Returns the address of the function's second row in the line table, or its
 * start if there is none. Before that row, arguments are being moved from
 * registers to the described locations.
 */
static uint64_t find_body(struct scope_walk *walk)
{
	Dwarf_Line_Context lines;
	Dwarf_Error error = NULL;
	Dwarf_Unsigned version;
	Dwarf_Small tables;
	Dwarf_Line *rows;
	Dwarf_Signed count;
	uint64_t body = UINT64_MAX;

	if (dwarf_srclines_b(walk->reading->unit_die, &version, &tables, &lines,
			     &error) != DW_DLV_OK)
		return walk->start;
	if (dwarf_srclines_from_linecontext(lines, &rows, &count, &error) !=
	    DW_DLV_OK)
		count = 0;
	for (Dwarf_Signed i = 0; i < count; i++) {
		Dwarf_Addr at;

		if (dwarf_lineaddr(rows[i], &at, &error) == DW_DLV_OK &&
		    at > walk->start && at < body)
			body = at;
	}
	dwarf_srclines_dealloc_b(lines);
	return body == UINT64_MAX ? walk->start : body;
}

/* ---- Variables ---- */

struct variable_visit {
	struct scope_walk *walk;
	const struct variable_scope *scope;
	struct variable_arguments arguments;
	/* the arguments are those of the function at the address */
	int counts_arguments;
	Dwarf_Half kind; /* tag of the DIEs that are visited */
};

/*
 * Sets the location that an argument has at the function's first instruction:
 * where the ABI passes it.
 */
static void be_argument(struct debug_reading *reading, struct variable *out,
			enum argument_passing way, uint64_t number)
{
	struct variable_step *step;

	out->first_step = reading->answer.header.step_count;
	out->why = 0;
	step = variable_answer_step(&reading->answer);
	if (way == ARGUMENT_IS_IN_REGISTER) {
		out->place = VARIABLE_IS_A_VALUE;
		out->step_count = 1;
		step->operation = VARIABLE_ARGUMENT;
		step->number = number;
		return;
	}
	out->place = VARIABLE_IS_IN_MEMORY;
	out->step_count = 3;
	step->operation = VARIABLE_CFA;
	step = variable_answer_step(&reading->answer);
	step->operation = VARIABLE_NUMBER;
	step->number = number;
	variable_answer_step(&reading->answer)->operation = VARIABLE_PLUS;
}

/*
 * Corrects the location of an argument. Compilers describe the location after
 * the prologue as if it were valid in the whole function.
 */
static void settle_argument(struct variable_visit *visit, Dwarf_Die die,
			    struct variable *out)
{
	struct scope_walk *walk = visit->walk;
	struct debug_reading *reading = walk->reading;
	uint64_t number;
	const enum argument_passing way =
		variable_arguments_next(reading, &visit->arguments,
					debug_die_type(reading, die), &number);

	if (way == ARGUMENT_IS_IN_REGISTER)
		out->argument = (uint8_t)number;
	if (variable_location_kind(reading, die) != LOCATION_IS_ONE ||
	    out->place != VARIABLE_IS_IN_MEMORY)
		return;
	if (walk->frame.is_entry && way != ARGUMENT_IS_ELSEWHERE) {
		be_argument(reading, out, way, number);
		return;
	}
	if (walk->body == UINT64_MAX)
		walk->body = find_body(walk);
	if (way == ARGUMENT_IS_ON_STACK || walk->frame.vaddr < walk->start ||
	    walk->frame.vaddr >= walk->body)
		return;
	out->place = VARIABLE_IS_NOWHERE;
	out->step_count = 0;
	out->why = variable_answer_text(
		&reading->answer,
		heap_printf("it is not yet at its final location; the "
			    "function's stack frame is ready at %#llx",
			    (unsigned long long)walk->body));
}

/*
 * Adds a variable to the answer, unless it is not wanted. A local that is only
 * declared (extern) is left out, because it refers to a global.
 */
static int add_variable(struct variable_visit *visit, Dwarf_Die die,
			enum variable_kind kind)
{
	struct debug_reading *reading = visit->walk->reading;
	const char *name = debug_die_name(reading, die);
	struct variable out = { .kind = (uint8_t)kind };
	const int counts =
		visit->counts_arguments && kind == VARIABLE_IS_PARAMETER;
	const int is_wanted =
		name && (counts || debug_reading_wants(reading, name));
	Dwarf_Die type;

	if (reading->answer.header.variable_count >= VARIABLES_MAX)
		return 1;
	if (!is_wanted && !counts)
		return 0;
	if (debug_die_flag(die, DW_AT_declaration))
		return 0;
	type = debug_die_type(reading, die);
	variable_location_read(reading, &visit->walk->frame, die, &out);
	if (counts)
		settle_argument(visit, die, &out);
	out.name = variable_answer_text(&reading->answer, name);
	out.type = variable_type_read(reading, type);
	out.type_text = variable_type_text(reading, type);
	if (visit->scope)
		out.function = variable_answer_text(&reading->answer,
						    visit->scope->inlined);
	*variable_answer_variable(&reading->answer) = out;
	return 0;
}

static int visit_local(void *context, Dwarf_Die die)
{
	struct variable_visit *visit = context;
	const Dwarf_Half tag = debug_die_tag(die);

	if (tag != visit->kind)
		return 0;
	return add_variable(visit, die,
			    tag == DW_TAG_formal_parameter
				    ? VARIABLE_IS_PARAMETER
				    : VARIABLE_IS_LOCAL);
}

/*
 * Handles a variable that an instance of a function does not mention: it was
 * optimised away.
 */
static int visit_original(void *context, Dwarf_Die die)
{
	struct variable_visit *visit = context;
	struct debug_reading *reading = visit->walk->reading;
	const struct variable_answer *answer = &reading->answer;
	const char *name = debug_die_text(die, DW_AT_name);

	if (!name)
		return 0;
	for (uint32_t i = 0; i < answer->header.variable_count; i++)
		if (strcmp(answer->texts + answer->list[i].name, name) == 0)
			return 0;
	return visit_local(context, die);
}

static void read_scope(struct scope_walk *walk,
		       const struct variable_scope *scope)
{
	struct debug_reading *reading = walk->reading;
	struct variable_visit visit = { .walk = walk, .scope = scope };
	Dwarf_Die origin;

	if (scope->die == walk->frame.function) {
		visit.counts_arguments = 1;
		variable_arguments_begin(reading,
					 debug_die_type(reading, scope->die),
					 &visit.arguments);
	}
	visit.kind = DW_TAG_variable;
	debug_die_children(reading, scope->die, visit_local, &visit);
	visit.kind = DW_TAG_formal_parameter;
	debug_die_children(reading, scope->die, visit_local, &visit);
	origin =
		debug_die_reference(reading, scope->die, DW_AT_abstract_origin);
	if (!origin)
		return;
	visit.counts_arguments = 0;
	debug_die_children(reading, origin, visit_original, &visit);
	visit.kind = DW_TAG_variable;
	debug_die_children(reading, origin, visit_original, &visit);
}

/* ---- Globals ---- */

static int visit_global(void *context, Dwarf_Die die)
{
	struct variable_visit *visit = context;
	struct debug_reading *reading = visit->walk->reading;

	if (debug_die_tag(die) != DW_TAG_variable ||
	    variable_location_kind(reading, die) == LOCATION_IS_NONE)
		return 0;
	return add_variable(visit, die, VARIABLE_IS_GLOBAL);
}

/*
 * Visits declarations of the unit itself: a global there is the wanted one,
 * even if the compiler has optimised it away.
 */
static int visit_own_global(void *context, Dwarf_Die die)
{
	return debug_die_tag(die) == DW_TAG_variable
		       ? add_variable(context, die, VARIABLE_IS_GLOBAL)
		       : 0;
}

/* ---- The answer ---- */

static void read_function(struct scope_walk *walk)
{
	struct debug_reading *reading = walk->reading;
	struct variables_header *header = &reading->answer.header;
	Dwarf_Die result = debug_die_type(reading, walk->frame.function);

	header->function = variable_answer_text(
		&reading->answer,
		debug_die_name(reading, walk->frame.function));
	header->is_entry = (uint32_t)walk->frame.is_entry;
	header->has_result = result != NULL;
	if (result)
		header->result_type = variable_type_read(reading, result);
	for (unsigned int i = walk->count; i-- > 0;)
		read_scope(walk, &walk->scopes[i]);
}

#define ALTERNATE                                                              \
	"its debug information is partly in an alternate file (dwz), which "   \
	"clew does not read for variables"

static const char *nothing_here(const struct debug_reading *reading)
{
	if (reading->is_split)
		return "its debug information is in a .dwo file, which clew "
		       "does not read for variables";
	if (reading->has_alternate)
		return ALTERNATE;
	return "its debug information does not cover this address";
}

static void refuse(struct debug_reading *reading, const char *why)
{
	reading->answer.header.why = variable_answer_text(
		&reading->answer,
		heap_printf("%s: %s", reading->request->path, why));
}

static void read_all(struct debug_reading *reading)
{
	struct scope_walk *walk = heap_zeroed(1, sizeof(*walk));
	struct variable_visit globals = { .walk = walk };

	walk->reading = reading;
	walk->frame.vaddr = reading->request->vaddr;
	walk->body = UINT64_MAX;
	if (!find_unit(reading)) {
		refuse(reading, nothing_here(reading));
		return;
	}
	reading->unit_is_cxx = is_cxx(reading->unit_die);
	debug_unit_walk(reading, reading->unit_die, visit_function, walk);
	if (walk->has_function)
		read_function(walk);
	else if (!reading->request->name_count || reading->is_split) {
		refuse(reading, nothing_here(reading));
		return;
	}
	if (!reading->request->name_count)
		return;
	debug_unit_walk(reading, reading->unit_die, visit_own_global, &globals);
	debug_names_walk(reading, visit_global, &globals);
}

/*
 * Opens the debug information of a module. Returns 0; 1 if there is none; or
 * -errno.
 */
static int open_debug(struct debug_reading *reading, struct elf *module)
{
	struct sources sources = { .root = "" };
	struct source *source;
	struct elf *other = heap_zeroed(1, sizeof(*other));
	struct elf *debug = module;

	if (!elf_section(module, ".debug_info")) {
		if (sources_find_debug(&sources, module, reading->request->path,
				       other, &source) != 0)
			return 1;
		debug = other;
	}
	if (elf_section(debug, ".gnu_debugaltlink"))
		reading->has_alternate = 1;
	return debug_reading_open(reading, debug);
}

int variable_reader_run(const struct variables_request *request, int fd)
{
	struct debug_reading *reading = heap_zeroed(1, sizeof(*reading));
	struct elf *module = heap_zeroed(1, sizeof(*module));
	int err = elf_open(module, request->path);

	if (err)
		return err;
	reading->request = request;
	variable_answer_begin(&reading->answer);
	err = open_debug(reading, module);
	if (err < 0)
		return err;
	if (err)
		refuse(reading, "it has no debug information");
	else
		read_all(reading);
	if (reading->has_alternate)
		reading->answer.header.note =
			variable_answer_text(&reading->answer, ALTERNATE);
	return variable_answer_write(&reading->answer, fd);
}
