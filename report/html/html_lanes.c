/* SPDX-License-Identifier: MIT */
/* Lanes of the timeline: their threads, and their notes. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/html/html_page.h"
#include "report/merge/roots.h"

static uint64_t lane_key(const struct html_page *page,
			 const struct part_copy *part, uint32_t tid)
{
	const uint64_t index =
		(uint64_t)(part - page->session->recording.parts);

	return (index << 32 | tid) + 1;
}

struct html_lane *html_lane_add(struct html_page *page,
				const struct part_copy *part, uint32_t tid,
				const char *name)
{
	struct html_timeline *timeline = &page->timeline;
	struct html_lane *lane;

	timeline->lanes = memory_grow(timeline->lanes, timeline->lane_count,
				      &timeline->lane_capacity, sizeof(*lane));
	lane = &timeline->lanes[timeline->lane_count++];
	*lane = (struct html_lane){
		.part = part, .tid = tid, .process = -1, .thread = -1
	};
	snprintf(lane->name, sizeof(lane->name), "%s", name);
	*idmap_at(&timeline->lane_of, lane_key(page, part, tid)) =
		timeline->lane_count;
	return lane;
}

struct html_lane *html_lane_of(struct html_page *page,
			       const struct part_copy *part, uint32_t tid,
			       const char *name)
{
	const uint64_t *found =
		idmap_find(&page->timeline.lane_of, lane_key(page, part, tid));

	return found ? &page->timeline.lanes[*found - 1]
		     : html_lane_add(page, part, tid, name);
}

void html_lane_note(struct html_lane *lane, const struct html_note *note)
{
	lane->notes = memory_grow(lane->notes, lane->note_count,
				  &lane->note_capacity, sizeof(*lane->notes));
	lane->notes[lane->note_count++] = *note;
}

/* ---- Groups ---- */

static int group_of(const struct html_page *page, uint32_t function,
		    int is_process)
{
	for (size_t i = 0; i < page->group_count; i++)
		if (page->groups[i].function == function &&
		    page->groups[i].is_process == is_process)
			return (int)i;
	return -1;
}

/*
 * Returns 1 + the root of a thread in the tree of groups, or 0 if it is
 * unknown.
 */
static uint64_t root_of_thread(struct roots *roots, uint32_t tid)
{
	for (size_t i = 0; i < roots->threads.count; i++)
		if (roots->threads.items[i].tid == tid)
			return roots_of(roots, roots->threads.items[i].tally);
	return 0;
}

/* Uses the same selection as the merge for the groups. */
static void find_groups_of(struct html_page *page, const struct part_copy *part,
			   enum grouping grouping)
{
	const int is_process = grouping == GROUP_PROCESS;
	struct whose whose = *page->view->whose;
	struct merged merged = { 0 };
	struct roots roots;
	struct tree tree;

	whose.grouping = grouping;
	tree_init(&tree);
	roots_init(&roots, part, &whose, page->catalog, &tree);
	roots_select(&roots, &merged);
	for (size_t i = 0; i < page->timeline.lane_count; i++) {
		struct html_lane *lane = &page->timeline.lanes[i];
		const uint64_t root =
			lane->part == part ? root_of_thread(&roots, lane->tid)
					   : 0;
		int *group = is_process ? &lane->process : &lane->thread;

		if (root)
			*group = group_of(page, tree.nodes[root - 1].function,
					  is_process);
	}
	roots_fini(&roots);
	tree_fini(&tree);
}

static void find_groups_in_part(void *context, const struct part_copy *part)
{
	struct html_page *page = context;

	find_groups_of(page, part, GROUP_PROCESS);
	find_groups_of(page, part, GROUP_THREAD);
}

void html_lanes_find_groups(struct html_page *page)
{
	if (page->group_count == 0 || page->timeline.lane_count == 0)
		return;
	recording_each(&page->session->recording, find_groups_in_part, page);
}
