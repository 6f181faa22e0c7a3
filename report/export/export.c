/* SPDX-License-Identifier: MIT */
/* See export.h. */
#include "report/export/export.h"

#include <stdlib.h>

#include "base/memory.h"
#include "report/model/announced_lines.h"

const char *export_measure_name(const struct export *export)
{
	if (export->metric != METRIC_TIME)
		return "calls";
	return export->session->value ? export->session->value->name : "time";
}

const char *export_time_name(const struct export *export)
{
	return export->session->summary.time == WIRE_TIME_CPU ? "cpu" : "wall";
}

static uint64_t end_of(const struct wire_header *header)
{
	if (header->end_ns > 0)
		return header->end_ns;
	return header->latest.ns > header->first.ns
		       ? header->start_ns + header->latest.ns - header->first.ns
		       : header->start_ns;
}

struct export_times export_times(const struct export *export)
{
	const struct recording *recording = &export->session->recording;
	struct export_times times = { .start_ns = UINT64_MAX };
	uint64_t end = 0;

	for (size_t i = 0; i < recording->part_count; i++) {
		const struct wire_header *header = recording->parts[i].header;

		if (header->start_ns < times.start_ns)
			times.start_ns = header->start_ns;
		if (end_of(header) > end)
			end = end_of(header);
		if (times.period_ns == 0)
			times.period_ns = header->period_ns;
	}
	times.duration_ns = end > times.start_ns ? end - times.start_ns : 0;
	if (export->start_ns) {
		times.start_ns = export->start_ns;
		times.duration_ns = export->duration_ns;
	}
	return times;
}

struct export_build_id export_build_id(const struct catalog_module *module)
{
	struct export_build_id id = { "" };

	for (uint32_t i = 0; i < module->build_id.bytes; i++)
		snprintf(id.text + 2 * (size_t)i, 3, "%02x",
			 module->build_id.data[i]);
	return id;
}

uint32_t *export_moved(const struct export *export)
{
	const struct tree *tree = &export->session->tree;
	uint32_t *moved = memory_zeroed(tree->count, sizeof(*moved));

	for (size_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];

		if (!export->keep)
			moved[i] = (uint32_t)i;
		else if (export->keep[node->function])
			moved[i] = tree_find(export->tree, moved[node->parent],
					     node->function);
		else
			moved[i] = moved[node->parent];
	}
	return moved;
}

char *export_command(const struct export *export)
{
	return memory_printf("%s", export->session->command);
}

char *export_service(const struct export *export)
{
	const char *program = export->session->program;

	if (export->service)
		return memory_printf("%s", export->service);
	return memory_printf("%s", program && *program ? program : "unknown");
}

static size_t announced_frames_in(struct catalog *catalog, uint32_t site,
				  struct a2n_frame frames[CATALOG_FRAMES])
{
	const size_t count =
		announced_frames(catalog, site, frames, CATALOG_FRAMES);

	return count > CATALOG_FRAMES ? 0 : count;
}

static int is_frame_of(struct catalog *catalog, const struct a2n_frame *frame,
		       uint32_t function)
{
	return frame->start == catalog->functions[function].vaddr ||
	       (frame->name && catalog_is_part(catalog, frame->name, function));
}

size_t export_frames(struct catalog *catalog, uint32_t function, uint32_t site,
		     int is_return, struct a2n_frame frames[CATALOG_FRAMES])
{
	const struct catalog_function *entry = &catalog->functions[function];
	size_t count;

	if (site_is_announced(catalog, site))
		return whole_function(catalog,
				      announced_function(catalog, site)) ==
				       whole_function(catalog, function)
			       ? announced_frames_in(catalog, site, frames)
			       : 0;
	if (site == 0 || entry->is_named ||
	    catalog->sites[site].module != entry->module)
		return 0;
	count = catalog_site_frames(catalog, site, is_return, frames,
				    CATALOG_FRAMES);
	if (count > CATALOG_FRAMES || count == 0 ||
	    !is_frame_of(catalog, &frames[count - 1], function))
		return 0;
	return count;
}

void export_spots_init(struct export_spots *spots, const struct tree *tree)
{
	uint32_t *first = memory_zeroed(tree->count + 2, sizeof(*first));

	/*
	 * A counting sort by node. first[n + 1] is the position of the next
	 * spot of node n.
	 */
	spots->spots = memory_zeroed(tree->spot_count, sizeof(*spots->spots));
	for (size_t i = 0; i < tree->spot_count; i++)
		first[tree->spots[i].node + 2]++;
	for (size_t i = 2; i < tree->count + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < tree->spot_count; i++)
		spots->spots[first[tree->spots[i].node + 1]++] = (uint32_t)i;
	spots->first = first;
}

void export_spots_fini(struct export_spots *spots)
{
	free(spots->spots);
	free(spots->first);
}
