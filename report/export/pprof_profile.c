/* SPDX-License-Identifier: MIT */
/* See pprof_profile.h. */
#include "report/export/pprof_profile.h"

#include <stdlib.h>

#include "base/memory.h"
#include "report/model/tree_walk.h"

enum { BATCH = 256, VALUES_MAX = 3 };

struct batch {
	Pprof__Sample samples[BATCH];
	Pprof__Sample *pointers[BATCH];
	Pprof__Label labels[BATCH];
	Pprof__Label *label_pointers[BATCH];
	int64_t values[BATCH][VALUES_MAX];
	size_t count;
	uint64_t *places; /* the places of all stacks, one after another */
	size_t place_count, place_capacity;
	size_t starts[BATCH];
};

/*
 * The location from which a context calls the next one. `place` is 0 until a
 * sample needs it.
 */
struct pprof_caller {
	uint32_t function, site;
	uint64_t place;
};

struct pprof_stacks {
	struct pprof *pprof;
	const struct tree *tree;
	struct export_spots spots;
	struct batch *batch;
	/*
	 * element d is the location from which the frame of depth d calls that
	 * of depth d + 1
	 */
	struct pprof_caller *callers;
	size_t caller_capacity;
	uint32_t top;  /* depth of the outermost frame: 2 below a group */
	int64_t group; /* number of the string with the group's name, or 0 */
	int64_t group_key;
	uint64_t cut_place;
	int has_time, has_samples;
};

/* ---- Samples ---- */

static void flush_batch(struct pprof_stacks *stacks)
{
	struct batch *batch = stacks->batch;
	Pprof__Profile piece = PPROF__PROFILE__INIT;

	for (size_t i = 0; i < batch->count; i++)
		batch->samples[i].location_id =
			batch->places + batch->starts[i];
	piece.n_sample = batch->count;
	piece.sample = batch->pointers;
	pprof_write(stacks->pprof, &piece);
	batch->count = 0;
	batch->place_count = 0;
}

static void add_place(struct batch *batch, uint64_t place)
{
	batch->places =
		memory_grow(batch->places, batch->place_count,
			    &batch->place_capacity, sizeof(*batch->places));
	batch->places[batch->place_count++] = place;
}

static uint64_t cut_place(struct pprof_stacks *stacks)
{
	if (stacks->cut_place == 0)
		stacks->cut_place =
			pprof_named_place(stacks->pprof, EXPORT_CUT_NAME);
	return stacks->cut_place;
}

static uint64_t caller_place(struct pprof_stacks *stacks, uint32_t depth)
{
	struct pprof_caller *caller = &stacks->callers[depth];

	if (caller->place == 0)
		caller->place = pprof_place(stacks->pprof, caller->function,
					    caller->site, 1);
	return caller->place;
}

/* Adds the leaf first, and then the call site in each caller. */
static void add_stack(struct pprof_stacks *stacks, uint32_t depth,
		      uint64_t leaf)
{
	struct batch *batch = stacks->batch;
	uint32_t inner = depth, outer = stacks->top;

	if (depth < stacks->top)
		return; /* a group has no frame */
	if (depth - stacks->top + 1 > EXPORT_STACK_MAX) {
		inner = depth - EXPORT_STACK_INNER + 1;
		outer = stacks->top + EXPORT_STACK_OUTER;
		stacks->pprof->export->cut_stacks++;
	}
	add_place(batch, leaf);
	for (uint32_t at = depth - 1; at >= stacks->top; at--) {
		if (inner < depth && at == inner - 1) {
			add_place(batch, cut_place(stacks));
			at = outer;
			continue;
		}
		add_place(batch, caller_place(stacks, at));
	}
}

static void add_label(struct pprof_stacks *stacks, Pprof__Sample *sample,
		      size_t at)
{
	Pprof__Label *label = &stacks->batch->labels[at];

	*label = (Pprof__Label)PPROF__LABEL__INIT;
	label->key = stacks->group_key;
	label->str = stacks->group;
	stacks->batch->label_pointers[at] = label;
	sample->n_label = 1;
	sample->label = &stacks->batch->label_pointers[at];
}

/* Adds what was measured at a site of a node's function; 0: at no site. */
static void add_sample(struct pprof_stacks *stacks, uint32_t index,
		       uint32_t site, const struct measure *measure)
{
	const struct tree_node *node = &stacks->tree->nodes[index];
	struct batch *batch = stacks->batch;
	size_t at = batch->count;
	Pprof__Sample *sample = &batch->samples[at];
	size_t values = 0;

	if (measure->calls == 0 && measure->ns == 0)
		return;
	*sample = (Pprof__Sample)PPROF__SAMPLE__INIT;
	batch->pointers[at] = sample;
	batch->starts[at] = batch->place_count;
	add_stack(stacks, node->depth,
		  pprof_place(stacks->pprof, node->function, site, 0));
	sample->n_location_id = batch->place_count - batch->starts[at];
	batch->values[at][values++] = (int64_t)measure->calls;
	if (stacks->has_samples)
		batch->values[at][values++] = (int64_t)measure->samples;
	if (stacks->has_time)
		batch->values[at][values++] = (int64_t)measure->ns;
	sample->n_value = values;
	sample->value = batch->values[at];
	if (stacks->group)
		add_label(stacks, sample, at);
	if (++batch->count == BATCH)
		flush_batch(stacks);
}

/*
 * Adds time at the samples' locations; calls and the remaining time at the
 * function itself.
 */
static void add_node(struct pprof_stacks *stacks, uint32_t index)
{
	const uint32_t *first = stacks->spots.first;
	struct measure rest = tree_self(stacks->tree, index);

	for (uint32_t i = first[index]; i < first[index + 1]; i++) {
		const struct tree_spot *spot =
			&stacks->tree->spots[stacks->spots.spots[i]];

		add_sample(stacks, index, spot->site,
			   &(struct measure){ .ns = spot->ns,
					      .samples = spot->samples });
		rest.ns -= spot->ns;
		rest.samples -= spot->samples;
	}
	add_sample(stacks, index, 0, &rest);
}

/*
 * Begins a stack at a node below the root. A group becomes a label, and frames
 * begin below it.
 */
static void begin_top(struct pprof_stacks *stacks, uint32_t function)
{
	struct pprof *pprof = stacks->pprof;

	stacks->top = 1;
	stacks->group = 0;
	if (catalog_kind(pprof->catalog, function) != KIND_GROUP)
		return;
	stacks->top = 2;
	stacks->group = strings_number(
		&pprof->strings, catalog_marked_name(pprof->catalog, function));
}

static void enter_node(struct pprof_stacks *stacks, uint32_t index)
{
	const struct tree_node *node = &stacks->tree->nodes[index];

	stacks->callers =
		memory_grow(stacks->callers, node->depth,
			    &stacks->caller_capacity, sizeof(*stacks->callers));
	if (node->depth == 1)
		begin_top(stacks, node->function);
	else if (node->depth > stacks->top)
		stacks->callers[node->depth - 1] = (struct pprof_caller){
			.function = stacks->tree->nodes[node->parent].function,
			.site = node->is_return_site ? node->site : 0,
		};
	add_node(stacks, index);
}

static void write_samples(struct pprof *pprof)
{
	struct export *export = pprof->export;
	struct pprof_stacks stacks = {
		.pprof = pprof,
		.tree = export->tree,
		.batch = memory_zeroed(1, sizeof(struct batch)),
		.group_key = strings_number(
			&pprof->strings,
			export->group == GROUP_PROCESS ? "process" : "thread"),
		.has_time = export_has_time(export),
		.has_samples = export_has_samples(export),
	};
	struct tree_walk walk;
	enum tree_step step;

	export_spots_init(&stacks.spots, export->tree);
	tree_walk_init(&walk, export->tree, export->metric);
	while ((step = tree_walk_next(&walk)) != TREE_END) {
		export_tell(export, walk.entered);
		if (step == TREE_ENTER)
			enter_node(&stacks, walk.node);
	}
	flush_batch(&stacks);
	tree_walk_fini(&walk);
	export_spots_fini(&stacks.spots);
	free(stacks.batch->places);
	free(stacks.batch);
	free(stacks.callers);
}

/* ---- The rest of the profile ---- */

static Pprof__ValueType value_type(struct pprof *pprof, const char *type,
				   const char *unit)
{
	Pprof__ValueType value = PPROF__VALUE_TYPE__INIT;

	value.type = strings_number(&pprof->strings, type);
	value.unit = strings_number(&pprof->strings, unit);
	return value;
}

/* Returns the type of time or of an agent's value. */
static Pprof__ValueType main_type(struct pprof *pprof)
{
	static const char *const units[WIRE_UNIT_COUNT] = {
		[WIRE_UNIT_NUMBER] = "count",
		[WIRE_UNIT_BYTES] = "bytes",
		[WIRE_UNIT_NS] = "nanoseconds",
	};
	const struct value_sum *value = pprof->export->session->value;

	if (!value)
		return value_type(pprof, export_time_name(pprof->export),
				  "nanoseconds");
	return value_type(
		pprof, value->name,
		units[value->unit < WIRE_UNIT_COUNT ? value->unit
						    : WIRE_UNIT_NUMBER]);
}

static void write_head(struct pprof *pprof)
{
	struct export *export = pprof->export;
	Pprof__ValueType calls = value_type(pprof, "calls", "count");
	Pprof__ValueType period = calls;
	Pprof__ValueType samples = value_type(pprof, "samples", "count");
	Pprof__ValueType ns = main_type(pprof);
	Pprof__ValueType *types[VALUES_MAX];
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	struct export_times times = export_times(export);
	char *command = export->hides_command ? export_service(export)
					      : export_command(export);
	char *comment = memory_printf("clew " CLEW_VERSION ": %s", command);
	int64_t comments[] = { strings_number(&pprof->strings, comment) };

	types[piece.n_sample_type++] = &calls;
	if (export_has_samples(export))
		types[piece.n_sample_type++] = &samples;
	if (export_has_time(export))
		types[piece.n_sample_type++] = &ns;
	piece.sample_type = types;
	piece.default_sample_type =
		export->metric == METRIC_TIME ? ns.type : calls.type;
	piece.time_nanos = (int64_t)times.start_ns;
	piece.duration_nanos = (int64_t)times.duration_ns;
	/* Without samples, each call counts. */
	piece.period_type = &period;
	piece.period = 1;
	if (times.period_ns > 0 && !export->session->value) {
		period = ns;
		piece.period = (int64_t)times.period_ns;
	}
	piece.n_comment = 1;
	piece.comment = comments;
	pprof_write(pprof, &piece);
	free(comment);
	free(command);
}

/*
 * Writes the mapping of the first module: readers take the first
 * mapping for that of the program.
 */
static void write_main_mapping(struct pprof *pprof)
{
	const struct catalog *catalog = pprof->catalog;
	const uint32_t first =
		catalog->module_count ? catalog->modules[0].first_function : 0;

	if (catalog->module_count == 0)
		return;
	pprof_mapping(pprof, 0,
		      first < catalog->function_count &&
				      catalog->functions[first].module ==
					      CATALOG_PROGRAM
			      ? catalog->functions[first].vaddr
			      : 0);
}

void pprof_write_profile(struct pprof *pprof)
{
	Pprof__Profile strings = PPROF__PROFILE__INIT;

	/* the format requires it as number 0 */
	strings_number(&pprof->strings, "");
	write_head(pprof);
	write_main_mapping(pprof);
	write_samples(pprof);
	strings.n_string_table = pprof->strings.count;
	strings.string_table = pprof->strings.items;
	pprof_write(pprof, &strings);
}

void pprof_fini(struct pprof *pprof)
{
	strings_fini(&pprof->strings);
	idmap_fini(&pprof->functions);
	idmap_fini(&pprof->mappings);
	idmap_fini(&pprof->places[0]);
	idmap_fini(&pprof->places[1]);
}
