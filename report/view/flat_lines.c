/* SPDX-License-Identifier: MIT */
/* See flat_lines.h. */
#include "report/view/flat_lines.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"

#define NO_LINE UINT32_MAX

/* Returns the function that stands for the line of a site, or NO_LINE. */
static uint32_t label_of(struct catalog *catalog, uint32_t site,
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

/* Looks up each site once, however many contexts have it. */
static uint32_t *label_sites(const struct tree *tree, struct catalog *catalog)
{
	uint32_t *labels = memory_zeroed(catalog->site_count, sizeof(*labels));

	for (size_t i = 0; i < tree->spot_count; i++) {
		const struct tree_spot *spot = &tree->spots[i];

		if (labels[spot->site] == 0)
			labels[spot->site] =
				label_of(catalog, spot->site,
					 tree->nodes[spot->node].function);
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
		rest[spot->node].ns -= more.ns;
		rest[spot->node].samples -= more.samples;
	}
}

void flat_init_lines(struct flat *flat, const struct tree *tree,
		     struct catalog *catalog)
{
	uint32_t *labels = label_sites(tree, catalog);
	size_t count = catalog->function_count, kept = 0;
	struct flat_row *rows = memory_zeroed(count, sizeof(*rows));
	struct measure *rest = memory_zeroed(tree->count, sizeof(*rest));

	for (size_t i = 0; i < tree->count; i++) {
		rest[i] = tree_self(tree, i);
		rest[i].calls = rest[i].tails = 0;
	}
	add_spots(rows, tree, labels, rest);
	for (size_t i = 0; i < tree->count; i++)
		if (rest[i].ns > 0) /* samples without a pc */
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
