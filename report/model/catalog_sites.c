/* SPDX-License-Identifier: MIT */
/* Frames at the sites of a catalog: see function_catalog.h. */
#include "report/model/announced_lines.h"

size_t catalog_site_frames(struct catalog *catalog, uint32_t site,
			   int is_return, struct a2n_frame *frames, size_t room)
{
	const struct catalog_site *at = &catalog->sites[site];

	if (at->announced_count > 0)
		return announced_frames(catalog, site, frames, room);
	if (site == 0 || at->vaddr == 0)
		return 0;
	return catalog_frames_at(catalog, at->module,
				 at->vaddr - (is_return != 0), frames, room);
}
