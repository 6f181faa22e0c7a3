/* SPDX-License-Identifier: MIT */
/* See patch_find.h. */
#include "preload/lookup/patch_find.h"

struct patch_site *patch_from(const struct patch *patch, uint64_t pc)
{
	uint32_t low = 0, high = patch->site_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (patch->sites[middle].text.pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return &patch->sites[low];
}

const struct patch_site *patch_find(const struct patch *patch, uint64_t pc)
{
	const struct patch_site *site;

	pc -= patch->base;
	site = patch_from(patch, pc);
	return site < patch->sites + patch->site_count && site->text.pc == pc
		       ? site
		       : NULL;
}

int patch_covers(const struct patch *patch, uint64_t pc)
{
	const struct patch_site *site;

	pc -= patch->base;
	site = patch_from(patch, pc);
	return site > patch->sites &&
	       pc - site[-1].text.pc < site[-1].text.bytes;
}
