/* SPDX-License-Identifier: MIT */
/* See annotation.h. */
#include "report/code/annotation.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "report/code/made_calls.h"
#include "report/model/announced_lines.h"

enum { UNKNOWN_CODE_BYTES = 64 };

/* Time and number of the samples at one address. */
struct pc_cost {
	uint64_t vaddr, ns, samples;
};

/* Samples of the function by address, sorted. */
struct pc_costs {
	struct pc_cost *items;
	size_t count, capacity;
	struct idmap by_vaddr; /* maps 1 + a vaddr to 1 + the item's index */
};

/* The lines of the frames at a site, each once, innermost first. */
struct site_lines {
	uint32_t *items; /* indices of lines */
	size_t count, capacity;
	/*
	 * maps 1 + (site << 1 | is_return) to 1 + the position of the lines'
	 * count
	 */
	struct idmap at;
};

/* State while an annotation is made. */
struct annotating {
	struct annotation *annotation;
	struct session *session;
	const struct call_sites *sites;
	struct pc_costs pcs;
	struct idmap lines; /* maps the hash of a line to 1 + its index */
	struct site_lines site_lines;
	struct made_calls calls;
	/*
	 * maps 1 + a vaddr outside of the function to 1 + the first row with a
	 * direct jump or call to it
	 */
	struct idmap targets;
	/* the ranges of the module's symbols, sorted */
	struct vaddr_range *symbols;
	size_t symbol_count, symbol_capacity;
	int has_symbols; /* whether the symbols were read */
};

/* ---- Lines ---- */

static int is_line(const struct annotated_line *line, const char *file,
		   uint32_t number, const char *inlined)
{
	return line->line == number && strcmp(line->file, file) == 0 &&
	       (line->inlined == inlined ||
		(line->inlined && inlined &&
		 strcmp(line->inlined, inlined) == 0));
}

/* Returns the index of the line of a frame, or NO_ITEM if it is unknown. */
static uint32_t line_at(struct annotating *work, const struct a2n_frame *frame,
			int is_inlined)
{
	struct annotation *annotation = work->annotation;
	const char *inlined = is_inlined ? frame->name : NULL;
	uint64_t hash = hash_add(HASH_START, &frame->line, sizeof(frame->line));
	uint64_t *slot;

	if (!frame->file || frame->line == 0)
		return NO_ITEM;
	hash = hash_add(hash, frame->file, strlen(frame->file));
	if (inlined)
		hash = hash_add(hash, inlined, strlen(inlined));
	hash = hash_key(hash);
	slot = idmap_at(&work->lines, hash);
	while (*slot && !is_line(&annotation->lines[*slot - 1], frame->file,
				 frame->line, inlined))
		slot = idmap_at(&work->lines, hash += 2);
	if (*slot)
		return (uint32_t)*slot - 1;
	annotation->lines = memory_grow(
		annotation->lines, annotation->line_count,
		&annotation->line_capacity, sizeof(*annotation->lines));
	annotation->lines[annotation->line_count++] = (struct annotated_line){
		.file = frame->file,
		.line = frame->line,
		.inlined = inlined,
	};
	*slot = annotation->line_count;
	return (uint32_t)*slot - 1;
}

static void cost_add(struct code_cost *to, const struct code_cost *more)
{
	to->ns += more->ns;
	to->samples += more->samples;
	to->calls += more->calls;
}

static int contains(const uint32_t *lines, size_t count, uint32_t line)
{
	for (size_t i = 0; i < count; i++)
		if (lines[i] == line)
			return 1;
	return 0;
}

/*
 * Adds a cost to the lines of frames, innermost first. A function that was
 * inlined into itself has the same line several times; the cost counts once.
 * Returns the innermost line's index, or NO_ITEM if it is unknown.
 */
static uint32_t add_to_lines(struct annotating *work,
			     const struct a2n_frame *frames, size_t count,
			     const struct code_cost *cost)
{
	uint32_t lines[CATALOG_FRAMES];
	struct annotated_line *line;

	if (count > CATALOG_FRAMES)
		count = CATALOG_FRAMES;
	for (size_t i = 0; i < count; i++) {
		lines[i] = line_at(work, &frames[i], i + 1 < count);
		if (lines[i] == NO_ITEM || contains(lines, i, lines[i]))
			continue;
		line = &work->annotation->lines[lines[i]];
		if (i == 0)
			cost_add(&line->self, cost);
		cost_add(&line->own, cost);
	}
	return count > 0 ? lines[0] : NO_ITEM;
}

/* ---- Samples ---- */

static void add_pc(struct pc_costs *pcs, uint64_t vaddr,
		   const struct tree_spot *spot)
{
	uint64_t *slot = idmap_at(&pcs->by_vaddr, vaddr + 1);

	if (*slot == 0) {
		pcs->items = memory_grow(pcs->items, pcs->count, &pcs->capacity,
					 sizeof(*pcs->items));
		pcs->items[pcs->count++] = (struct pc_cost){ .vaddr = vaddr };
		*slot = pcs->count;
	}
	pcs->items[*slot - 1].ns += spot->ns;
	pcs->items[*slot - 1].samples += spot->samples;
}

static int is_before(const void *a, const void *b)
{
	const struct pc_cost *one = a, *other = b;

	return (one->vaddr > other->vaddr) - (one->vaddr < other->vaddr);
}

/* Returns whether a sample's address is in the function's module. */
static int is_own_site(const struct annotating *work,
		       const struct tree_spot *spot)
{
	const struct catalog *catalog = &work->session->catalog;

	return site_is_announced(catalog, spot->site) ||
	       catalog->sites[spot->site].module == work->annotation->module;
}

static void add_spot(struct annotating *work, const struct tree_spot *spot)
{
	struct catalog *catalog = &work->session->catalog;
	const struct code_cost cost = { spot->ns, spot->samples, 0 };
	const struct catalog_site *site = &catalog->sites[spot->site];
	struct a2n_frame frames[CATALOG_FRAMES];
	size_t count;

	if (!is_own_site(work, spot))
		return;
	work->annotation->unplaced_ns -= spot->ns;
	count = catalog_site_frames(catalog, spot->site, 0, frames,
				    CATALOG_FRAMES);
	add_to_lines(work, frames, count, &cost);
	if (!site_is_announced(catalog, spot->site))
		add_pc(&work->pcs, site->vaddr, spot);
}

uint32_t annotation_function_of(const struct catalog *catalog,
				const struct tree *tree, uint32_t node)
{
	while (node != TREE_ROOT &&
	       catalog->functions[tree->nodes[node].function].kind ==
		       KIND_INLINED)
		node = tree->nodes[node].parent;
	return whole_function(catalog, tree->nodes[node].function);
}

static int is_of_function(const struct annotating *work, uint32_t node)
{
	return work->calls.is_own[node];
}

static void add_samples(struct annotating *work)
{
	struct annotation *annotation = work->annotation;
	const struct tree *tree = &work->session->tree;

	for (size_t i = 0; i < tree->count; i++) {
		const struct measure self = tree_self(tree, i);

		if (is_of_function(work, (uint32_t)i))
			measure_add(&annotation->self, &self);
	}
	annotation->unplaced_ns = annotation->self.ns;
	for (size_t i = 0; i < tree->spot_count; i++) {
		const struct tree_spot *spot = &tree->spots[i];

		if (is_of_function(work, spot->node))
			add_spot(work, spot);
	}
	if (work->pcs.count > 0)
		qsort(work->pcs.items, work->pcs.count,
		      sizeof(*work->pcs.items), is_before);
}

/* ---- Ranges of code ---- */

static void visit_symbol(void *context, const struct a2n_range *range,
			 const struct a2n_frame *frames, size_t count)
{
	struct annotating *work = context;

	(void)frames;
	(void)count;
	work->symbols =
		memory_grow(work->symbols, work->symbol_count,
			    &work->symbol_capacity, sizeof(*work->symbols));
	work->symbols[work->symbol_count++] =
		(struct vaddr_range){ range->start, range->end };
}

/* Returns the range of the symbol that contains a vaddr; empty if unknown. */
static struct vaddr_range symbol_around(struct annotating *work, uint64_t vaddr)
{
	struct catalog *catalog = &work->session->catalog;
	const struct a2n_module *module = catalog_symbols(
		catalog, &catalog->modules[work->annotation->module]);
	size_t low = 0, high;

	if (!work->has_symbols && module)
		a2n_module_symbols(module, visit_symbol, work);
	work->has_symbols = 1;
	high = work->symbol_count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct vaddr_range *symbol = &work->symbols[middle];

		if (vaddr < symbol->start)
			high = middle;
		else if (vaddr >= symbol->end)
			low = middle + 1;
		else
			return *symbol;
	}
	return (struct vaddr_range){ 0 };
}

static void add_range(struct annotation *annotation, uint64_t start,
		      uint64_t end)
{
	annotation->ranges = memory_grow(
		annotation->ranges, annotation->range_count,
		&annotation->range_capacity, sizeof(*annotation->ranges));
	annotation->ranges[annotation->range_count++] =
		(struct vaddr_range){ start, end };
}

static int is_range_before(const void *a, const void *b)
{
	const struct vaddr_range *one = a, *other = b;

	return (one->start > other->start) - (one->start < other->start);
}

/* Sorts the ranges and unites those that overlap or touch. */
static void settle_ranges(struct annotation *annotation)
{
	struct vaddr_range *ranges = annotation->ranges;
	size_t kept = 0;

	if (annotation->range_count == 0)
		return;
	qsort(ranges, annotation->range_count, sizeof(*ranges),
	      is_range_before);
	for (size_t i = 1; i < annotation->range_count; i++) {
		if (ranges[i].start > ranges[kept].end)
			ranges[++kept] = ranges[i];
		else if (ranges[i].end > ranges[kept].end)
			ranges[kept].end = ranges[i].end;
	}
	annotation->range_count = kept + 1;
}

static int is_in_range(const struct annotation *annotation, size_t index,
		       uint64_t vaddr)
{
	return index < annotation->range_count &&
	       vaddr >= annotation->ranges[index].start &&
	       vaddr < annotation->ranges[index].end;
}

/* Adds the function's own range: the recorded one, or that of its symbol. */
static void add_own_range(struct annotating *work)
{
	const struct catalog_function *function =
		&work->session->catalog.functions[work->annotation->function];
	struct vaddr_range range = { function->vaddr,
				     function->vaddr + function->size_bytes };

	if (function->is_named)
		return;
	if (function->size_bytes == 0)
		range = symbol_around(work, function->vaddr);
	if (range.start < range.end)
		add_range(work->annotation, range.start, range.end);
}

/*
 * Adds the ranges of samples outside of the function's own range, for example
 * of its cold part. Code without a symbol is shown from the sample on.
 */
static void find_ranges(struct annotating *work)
{
	struct annotation *annotation = work->annotation;

	add_own_range(work);
	for (size_t i = 0; i < work->pcs.count; i++) {
		const uint64_t vaddr = work->pcs.items[i].vaddr;
		struct vaddr_range range;

		/*
		 * The samples are sorted, so a sample in a range that was
		 * already added is in one of these two.
		 */
		if (is_in_range(annotation, 0, vaddr) ||
		    is_in_range(annotation, annotation->range_count - 1, vaddr))
			continue;
		range = symbol_around(work, vaddr);
		if (range.start == range.end)
			range = (struct vaddr_range){
				vaddr, vaddr + UNKNOWN_CODE_BYTES
			};
		add_range(annotation, range.start, range.end);
	}
	settle_ranges(annotation);
}

/* ---- Instructions ---- */

/*
 * Returns the cost of the samples inside an instruction. *at is the index of
 * the next sample, and advances.
 */
static struct code_cost cost_of(const struct pc_costs *pcs, size_t *at,
				const struct instruction *one)
{
	struct code_cost cost = { 0 };

	while (*at < pcs->count && pcs->items[*at].vaddr < one->vaddr)
		++*at;
	while (*at < pcs->count &&
	       pcs->items[*at].vaddr < one->vaddr + one->bytes) {
		cost.ns += pcs->items[*at].ns;
		cost.samples += pcs->items[*at].samples;
		++*at;
	}
	return cost;
}

/* Returns whether a direct jump or call leads out of the function. */
static int leads_out(const struct annotation *annotation,
		     const struct instruction *one)
{
	if ((one->kind != INSTRUCTION_JUMP && one->kind != INSTRUCTION_CALL) ||
	    one->target == NO_TARGET)
		return 0;
	for (size_t i = 0; i < annotation->range_count; i++)
		if (is_in_range(annotation, i, one->target))
			return 0;
	return 1;
}

static void fill_rows(struct annotating *work)
{
	struct annotation *annotation = work->annotation;
	struct catalog *catalog = &work->session->catalog;
	const struct instructions *code = &annotation->code;
	struct a2n_frame frames[CATALOG_FRAMES];
	size_t at = 0;

	annotation->rows =
		memory_zeroed(code->count + 1, sizeof(*annotation->rows));
	for (size_t i = 0; i < code->count; i++) {
		const struct instruction *one = &code->items[i];
		struct annotated_row *row = &annotation->rows[i];
		struct code_cost made = { 0 };
		const size_t count =
			catalog_frames_at(catalog, annotation->module,
					  one->vaddr, frames, CATALOG_FRAMES);

		row->cost = cost_of(&work->pcs, &at, one);
		row->total_ns = row->cost.ns;
		if (one->kind == INSTRUCTION_CALL)
			made.calls =
				call_sites_of(work->sites, annotation->module,
					      one->vaddr + one->bytes);
		row->cost.calls = made.calls;
		row->line = add_to_lines(work, frames, count, &made);
		if (leads_out(annotation, one)) {
			uint64_t *target =
				idmap_at(&work->targets, one->target + 1);

			*target = *target ? *target : i + 1;
		}
	}
}

/* ---- Calls and total time ---- */

static void put_line(struct site_lines *known, uint32_t line)
{
	known->items = memory_grow(known->items, known->count, &known->capacity,
				   sizeof(*known->items));
	known->items[known->count++] = line;
}

/*
 * Returns the position in `site_lines` of the lines at a site: their number,
 * and then the lines.
 */
static size_t lines_at(struct annotating *work, uint32_t site, int is_return)
{
	struct site_lines *known = &work->site_lines;
	const uint64_t key = ((uint64_t)site << 1 | (is_return != 0)) + 1;
	struct a2n_frame frames[CATALOG_FRAMES];
	uint64_t *at = idmap_at(&known->at, key);
	const size_t first = known->count;
	size_t count;

	if (*at)
		return *at - 1;
	*at = first + 1;
	put_line(known, 0);
	count = catalog_site_frames(&work->session->catalog, site, is_return,
				    frames, CATALOG_FRAMES);
	if (count > CATALOG_FRAMES)
		count = CATALOG_FRAMES;
	for (size_t i = 0; i < count; i++) {
		const uint32_t line = line_at(work, &frames[i], i + 1 < count);

		if (line == NO_ITEM || contains(known->items + first + 1,
						known->items[first], line))
			continue;
		put_line(known, line);
		known->items[first]++;
	}
	return first;
}

/*
 * Returns whether a line has the time of an outer call already. `outer` is 1 +
 * the index of a call, or 0.
 */
static int has_outer(struct annotating *work, uint32_t outer, uint32_t line)
{
	const struct made_call *call;
	size_t at;

	for (; outer; outer = call->other_outer) {
		call = &work->calls.items[outer - 1];
		if (!call->site)
			continue;
		at = lines_at(work, call->site, call->is_return_site);
		if (contains(work->site_lines.items + at + 1,
			     work->site_lines.items[at], line))
			return 1;
	}
	return 0;
}

/* Adds total time to the lines at a site, except to those of outer calls. */
static void add_total(struct annotating *work, uint32_t site, int is_return,
		      uint32_t outer, uint64_t ns)
{
	const size_t at = lines_at(work, site, is_return);

	for (uint32_t i = 0; ns > 0 && i < work->site_lines.items[at]; i++) {
		const uint32_t line = work->site_lines.items[at + 1 + i];

		if (!has_outer(work, outer, line))
			work->annotation->lines[line].total_ns += ns;
	}
}

/* Returns the row of the instruction that calls from a site, or NULL. */
static struct annotated_row *row_at(const struct annotation *annotation,
				    uint64_t vaddr, int is_return)
{
	const struct instruction *items = annotation->code.items;
	size_t low = 0, high = annotation->code.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (items[middle].vaddr + items[middle].bytes <=
		    vaddr - (is_return != 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low < annotation->code.count &&
			       items[low].vaddr <= vaddr - (is_return != 0)
		       ? &annotation->rows[low]
		       : NULL;
}

/* Returns whether an outer call was made at the same instruction. */
static int has_outer_at(const struct made_calls *calls,
			const struct made_call *call)
{
	for (uint32_t outer = call->outer; outer;
	     outer = calls->items[outer - 1].other_outer)
		if (calls->items[outer - 1].site == call->site)
			return 1;
	return 0;
}

static void add_call(struct annotating *work, const struct made_call *call)
{
	struct annotation *annotation = work->annotation;
	struct catalog *catalog = &work->session->catalog;
	const struct tree *tree = &work->session->tree;
	const struct tree_node *callee = &tree->nodes[call->node];
	const uint64_t ns = tree_below_of(tree, call->node, METRIC_TIME);
	const struct code_cost made = { .calls = callee->calls };
	struct annotated_row *row;
	size_t at;

	if (!call->site) {
		/*
		 * The time of clew itself belongs to no call of the function.
		 */
		if (!call->outer &&
		    catalog_kind(catalog, callee->function) != KIND_CLEW)
			annotation->unplaced_calls_ns += ns;
		return;
	}
	annotation->has_callees |= ns > 0;
	add_total(work, call->site, call->is_return_site, call->outer, ns);
	at = lines_at(work, call->site, call->is_return_site);
	for (uint32_t i = 0;
	     !annotation->has_call_sites && i < work->site_lines.items[at];
	     i++) {
		struct annotated_line *line =
			&annotation->lines[work->site_lines.items[at + 1 + i]];

		if (i == 0)
			cost_add(&line->self, &made);
		cost_add(&line->own, &made);
	}
	if (site_is_announced(catalog, call->site))
		return;
	row = row_at(annotation, catalog->sites[call->site].vaddr,
		     call->is_return_site);
	if (!row)
		return;
	if (!has_outer_at(&work->calls, call))
		row->total_ns += ns;
	if (!annotation->has_call_sites)
		row->cost.calls += made.calls;
}

/*
 * Returns other_outer of a call whose outer calls have theirs. Deep recursion
 * makes a chain of outer calls that have no site, or all the same one.
 */
static uint32_t other_outer_of(const struct made_calls *calls,
			       const struct made_call *call)
{
	const struct made_call *outer;
	uint32_t other = call->outer;

	for (; other; other = outer->other_outer) {
		outer = &calls->items[other - 1];
		if (outer->site &&
		    (outer->site != call->site ||
		     outer->is_return_site != call->is_return_site))
			break;
	}
	return other;
}

/*
 * Sets the site of a call. If the call has no recorded site in the function, it
 * is a tail call, or an unrecorded function made it. Its site is then a jump
 * or direct call to the callee in the function's code, if there is one.
 */
static void find_site(struct annotating *work, struct made_call *call)
{
	struct session *session = work->session;
	const struct annotation *annotation = work->annotation;
	const struct tree_node *callee = &session->tree.nodes[call->node];
	const struct catalog_function *entry =
		&session->catalog.functions[callee->function];
	const uint64_t *row;

	call->site = made_call_site(session, annotation->function, call->node);
	call->is_return_site = callee->is_return_site;
	if (call->site || entry->is_named ||
	    entry->module != annotation->module)
		return;
	row = idmap_find(&work->targets, entry->vaddr + 1);
	if (!row)
		return;
	call->site = catalog_site_at(&session->catalog, annotation->module,
				     annotation->code.items[*row - 1].vaddr);
	call->is_return_site = 0;
}

static void add_calls(struct annotating *work)
{
	struct annotation *annotation = work->annotation;
	const struct tree *tree = &work->session->tree;

	for (size_t i = 0; i < work->calls.count; i++) {
		struct made_call *call = &work->calls.items[i];

		find_site(work, call);
		call->other_outer = other_outer_of(&work->calls, call);
	}
	for (size_t i = 0; i < work->calls.count; i++)
		add_call(work, &work->calls.items[i]);
	for (size_t i = 0; i < tree->spot_count; i++) {
		const struct tree_spot *spot = &tree->spots[i];

		if (is_of_function(work, spot->node) && is_own_site(work, spot))
			add_total(work, spot->site, 0,
				  work->calls.nearest[spot->node], spot->ns);
	}
	annotation->total_ns = work->calls.total_ns;
}

/* Orders the function's own lines first, then those of each inlined one. */
static int is_line_before(const void *a, const void *b)
{
	const struct annotated_line *one = a, *other = b;
	int order = !!one->inlined - !!other->inlined;

	if (!order && one->inlined)
		order = strcmp(one->inlined, other->inlined);
	if (!order)
		order = strcmp(one->file, other->file);
	return order ? order
		     : (one->line > other->line) - (one->line < other->line);
}

static void sort_lines(struct annotating *work)
{
	struct annotation *annotation = work->annotation;
	const size_t count = annotation->line_count;
	uint32_t *moved = memory_zeroed(count + 1, sizeof(*moved));
	struct annotated_line *lines = annotation->lines;

	if (count == 0) {
		free(moved);
		return;
	}
	/* The former index is stored in a line while it is sorted. */
	for (size_t i = 0; i < count; i++)
		lines[i].index = (uint32_t)i;
	qsort(lines, count, sizeof(*lines), is_line_before);
	for (size_t i = 0; i < count; i++)
		moved[lines[i].index] = (uint32_t)i;
	for (size_t i = 0; i < annotation->code.count; i++)
		if (annotation->rows[i].line != NO_ITEM)
			annotation->rows[i].line =
				moved[annotation->rows[i].line];
	free(moved);
}

static char *why_no_code(const struct session *session, uint32_t function)
{
	const struct catalog_function *entry =
		&session->catalog.functions[function];

	if (entry->module != CATALOG_NO_MODULE)
		return NULL;
	return memory_printf(entry->kind == KIND_JAVA ||
					     entry->kind == KIND_GENERATED
				     ? "the code is generated at run time and "
				       "its bytes were not recorded"
				     : "this is no code of the program");
}

void annotation_init(struct annotation *annotation, struct session *session,
		     uint32_t function, const struct call_sites *sites)
{
	struct catalog *catalog = &session->catalog;
	struct annotating work = { .annotation = annotation,
				   .session = session,
				   .sites = sites };
	const struct catalog_module *module;

	*annotation = (struct annotation){
		.function = function,
		.module = catalog->functions[function].module,
		.why = why_no_code(session, function),
		.has_call_sites = session->has_call_sites,
	};
	made_calls_find(&work.calls, session, function);
	add_samples(&work);
	if (!annotation->why) {
		module = &catalog->modules[annotation->module];
		find_ranges(&work);
		instructions_read(module->path, &module->build_id,
				  annotation->ranges, annotation->range_count,
				  &annotation->code, &annotation->why);
		fill_rows(&work);
	}
	add_calls(&work);
	sort_lines(&work);
	made_calls_fini(&work.calls);
	free(work.site_lines.items);
	idmap_fini(&work.site_lines.at);
	idmap_fini(&work.targets);
	free(work.pcs.items);
	free(work.symbols);
	idmap_fini(&work.pcs.by_vaddr);
	idmap_fini(&work.lines);
}

void annotation_fini(struct annotation *annotation)
{
	instructions_fini(&annotation->code);
	free(annotation->ranges);
	free(annotation->why);
	free(annotation->rows);
	free(annotation->lines);
}

struct share_interval annotation_share(const struct annotation *annotation,
				       const struct code_cost *cost)
{
	const struct measure *self = &annotation->self;

	return confidence_part(
		sampled_alike((double)cost->ns, (double)cost->samples),
		sampled_alike((double)self->ns, (double)self->samples));
}
