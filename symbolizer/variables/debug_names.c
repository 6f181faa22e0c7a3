/* SPDX-License-Identifier: MIT */
/* See debug_names.h. */
#include "symbolizer/variables/debug_names.h"

struct name_walk {
	struct debug_reading *reading;
	debug_die_visit visit;
	void *context;
	int depth; /* nesting of namespaces */
};

static int visit_one(void *context, Dwarf_Die die)
{
	struct name_walk *walk = context;
	int done = walk->visit(walk->context, die);

	if (done || walk->depth == DEBUG_DEPTH_MAX ||
	    debug_die_tag(die) != DW_TAG_namespace)
		return done;
	walk->depth++;
	done = debug_die_children(walk->reading, die, visit_one, walk);
	walk->depth--;
	return done;
}

Dwarf_Die debug_unit_die(struct debug_reading *reading, size_t unit)
{
	Dwarf_Error error = NULL;
	Dwarf_Die die;

	return dwarf_offdie_b(reading->debug, reading->units[unit].die, 1, &die,
			      &error) == DW_DLV_OK
		       ? die
		       : NULL;
}

int debug_unit_walk(struct debug_reading *reading, Dwarf_Die unit,
		    debug_die_visit visit, void *context)
{
	struct name_walk walk = { .reading = reading,
				  .visit = visit,
				  .context = context };

	return debug_die_children(reading, unit, visit_one, &walk);
}

int debug_names_walk(struct debug_reading *reading, debug_die_visit visit,
		     void *context)
{
	int done = 0;

	if (reading->unit_die)
		done = debug_unit_walk(reading, reading->unit_die, visit,
				       context);
	for (size_t i = 0; i < reading->unit_count && !done; i++) {
		Dwarf_Die unit =
			i == reading->unit ? NULL : debug_unit_die(reading, i);

		if (!unit)
			continue;
		done = debug_unit_walk(reading, unit, visit, context);
		dwarf_dealloc_die(unit);
	}
	return done;
}
