/* SPDX-License-Identifier: MIT */
/* See flat_lines.h. */
#include "report/view/flat_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define NO_LINE UINT32_MAX

/*
 * Returns the function of the catalog that stands for the line or the address
 * of a site, or NO_LINE. `function` is that of the site's node.
 */
typedef uint32_t label_site(struct catalog *catalog, uint32_t site,
			    uint32_t function);

static uint32_t line_of(struct catalog *catalog, uint32_t site,
			uint32_t function)
{
	struct a2n_frame frames[CATALOG_FRAMES];
	size_t count =
		catalog_site_frames(catalog, site, 0, frames, CATALOG_FRAMES);
	uint32_t label;
	char *name;

	if (count == 0 || !frames[0].file || frames[0].line == 0)
		return NO_LINE;
	name = memory_printf("%s:%" PRIu32 " in %s", frames[0].file,
			     frames[0].line,
			     frames[0].name ? frames[0].name
					    : catalog_name(catalog, function));
	label = catalog_named(catalog, KIND_GROUP, catalog->sites[site].module,
			      name);
	free(name);
	return label;
}

/*
 * Returns the address in its function: "f+0x12", or the function's own address
 * if it has no name. The caller frees it. NULL if the function is unknown.
 */
static char *place_in_function(struct catalog *catalog, uint64_t vaddr,
			       const struct a2n_frame *outermost,
			       uint32_t function)
{
	const struct catalog_function *entry = &catalog->functions[function];
	const char *own;
	char *name, *place;

	if (!outermost || !outermost->name || outermost->start > vaddr) {
		own = catalog_name(catalog, function);
		return entry->is_named ? NULL : memory_string(own, strlen(own));
	}
	name = a2n_short_name(outermost->name, A2N_SHORTEST);
	if (!name)
		memory_exhausted();
	/* The part has its own start, and short names lack its suffix. */
	place = memory_printf("%s%s+0x%" PRIx64, name,
			      strstr(outermost->name, ".cold") ? ".cold" : "",
			      vaddr - outermost->start);
	free(name);
	return place;
}

static uint32_t address_of(struct catalog *catalog, uint32_t site,
			   uint32_t function)
{
	const struct catalog_site at = catalog->sites[site];
	struct a2n_frame frames[CATALOG_FRAMES];
	size_t count;
	char *place, *name, *line = NULL;
	uint32_t label;

	if (at.announced_count > 0)
		return NO_LINE;
	count = catalog_site_frames(catalog, site, 0, frames, CATALOG_FRAMES);
	if (count > CATALOG_FRAMES)
		count = 0;
	place = place_in_function(catalog, at.vaddr,
				  count ? &frames[count - 1] : NULL, function);
	if (count > 0 && frames[0].file && frames[0].line)
		line = memory_printf(", %s:%" PRIu32, frames[0].file,
				     frames[0].line);
	name = memory_printf("%s+0x%" PRIx64 "%s%s%s",
			     catalog->modules[at.module].name, at.vaddr,
			     place ? " in " : "", place ? place : "",
			     line ? line : "");
	label = catalog_named(catalog, KIND_GROUP, at.module, name);
	free(line);
	free(name);
	free(place);
	return label;
}

/*
 * Looks up each site once, however many contexts have it. A sample may lie in a
 * function that was not recorded as running: nodes of real functions come
 * first.
 */
static uint32_t *label_sites(const struct tree *tree, struct catalog *catalog,
			     label_site *label)
{
	uint32_t *labels = memory_zeroed(catalog->site_count, sizeof(*labels));

	for (int is_named = 0; is_named < 2; is_named++)
		for (size_t i = 0; i < tree->spot_count; i++) {
			const struct tree_spot *spot = &tree->spots[i];
			const uint32_t function =
				tree->nodes[spot->node].function;

			if (labels[spot->site] == 0 &&
			    catalog->functions[function].is_named == is_named)
				labels[spot->site] =
					label(catalog, spot->site, function);
		}
	return labels;
}

static void add_to_row(struct flat_row *row, const struct measure *more)
{
	measure_add(&row->self, more);
	measure_add(&row->total, more);
	row->contexts++;
}

/*
 * Adds the spots' time to rows and subtracts it from `rest`, the nodes' own
 * time.
 */
static void add_spots(struct flat_row *rows, const struct tree *tree,
		      const uint32_t *labels, struct measure *rest)
{
	for (size_t i = 0; i < tree->spot_count; i++) {
		const struct tree_spot *spot = &tree->spots[i];
		const struct measure more = { .ns = spot->ns,
					      .samples = spot->samples };
		uint32_t label = labels[spot->site];

		if (label == NO_LINE)
			label = tree->nodes[spot->node].function;
		add_to_row(&rows[label], &more);
		if (labels[spot->site] != NO_LINE)
			rows[label].site = spot->site;
		rest[spot->node].ns -= more.ns;
		rest[spot->node].samples -= more.samples;
	}
}

static void init(struct flat *flat, const struct tree *tree,
		 struct catalog *catalog, label_site *label)
{
	uint32_t *labels = label_sites(tree, catalog, label);
	size_t count = catalog->function_count, kept = 0;
	struct flat_row *rows = memory_zeroed(count, sizeof(*rows));
	struct measure *rest = memory_zeroed(tree->count, sizeof(*rest));

	for (size_t i = 0; i < tree->count; i++) {
		rest[i] = tree_self(tree, i);
		rest[i].calls = rest[i].tails = 0;
	}
	add_spots(rows, tree, labels, rest);
	for (size_t i = 0; i < tree->count; i++)
		/* samples without a site: unknown, or of folded functions */
		if (rest[i].ns > 0)
			add_to_row(&rows[tree->nodes[i].function], &rest[i]);
	for (size_t i = 0; i < count; i++) {
		if (rows[i].self.ns == 0)
			continue;
		rows[kept] = rows[i];
		rows[kept++].function = (uint32_t)i;
	}
	free(labels);
	free(rest);
	*flat = (struct flat){ .rows = rows, .count = kept };
}

void flat_init_lines(struct flat *flat, const struct tree *tree,
		     struct catalog *catalog)
{
	init(flat, tree, catalog, line_of);
	for (size_t i = 0; i < flat->count; i++)
		flat->rows[i].site = 0; /* a line has several sites */
}

void flat_init_addresses(struct flat *flat, const struct tree *tree,
			 struct catalog *catalog)
{
	init(flat, tree, catalog, address_of);
}
