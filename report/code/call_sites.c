/* SPDX-License-Identifier: MIT */
/* See call_sites.h. */
#include "report/code/call_sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { VADDR_BITS_OF_SITE = 48 };

static uint64_t key_of(uint32_t module, uint64_t vaddr)
{
	return ((uint64_t)module + 1) << VADDR_BITS_OF_SITE | vaddr;
}

static int is_same_module(const struct catalog_module *a,
			  const struct catalog_module *b)
{
	return strcmp(a->path, b->path) == 0 &&
	       a->build_id.bytes == b->build_id.bytes &&
	       memcmp(a->build_id.data, b->build_id.data, a->build_id.bytes) ==
		       0;
}

/*
 * Returns the numbers in `catalog` of another catalog's modules;
 * CATALOG_NO_MODULE for modules that it does not have.
 */
static uint32_t *number_modules(const struct catalog *catalog,
				const struct catalog *other)
{
	uint32_t *numbers =
		memory_zeroed(other->module_count + 1, sizeof(*numbers));

	for (size_t i = 0; i < other->module_count; i++) {
		numbers[i] = CATALOG_NO_MODULE;
		for (size_t j = 0; j < catalog->module_count; j++)
			if (is_same_module(&catalog->modules[j],
					   &other->modules[i]))
				numbers[i] = (uint32_t)j;
	}
	return numbers;
}

static void add_sites(struct call_sites *sites, const struct session *labelled,
		      const uint32_t *modules)
{
	const struct tree *tree = &labelled->tree;

	for (size_t i = 0; i < tree->count; i++) {
		const struct call_label *label = catalog_label(
			&labelled->catalog, tree->nodes[i].function);
		const struct catalog_site *site;

		if (!label || label->site_index == 0)
			continue;
		site = &labelled->catalog.sites[label->site_index];
		*idmap_at(&sites->calls,
			  key_of(modules[site->module], site->vaddr)) +=
			tree->nodes[i].calls;
	}
}

int call_sites_read(struct call_sites *sites, const struct session *session,
		    const char *path, const struct whose *whose, char **why)
{
	const struct label_wish wish = { .has_sites = 1, .by_address = 1 };
	struct whose by_site = *whose;
	struct session labelled;
	uint32_t *modules;
	int err;

	if (!session->has_call_sites)
		return 0;
	by_site.labels = &wish;
	by_site.without_time = 1;
	err = session_open(&labelled, path, &by_site, why);
	if (err)
		return err;
	modules = number_modules(&session->catalog, &labelled.catalog);
	add_sites(sites, &labelled, modules);
	free(modules);
	session_close(&labelled);
	return 0;
}

void call_sites_fini(struct call_sites *sites)
{
	idmap_fini(&sites->calls);
}

uint64_t call_sites_of(const struct call_sites *sites, uint32_t module,
		       uint64_t vaddr)
{
	const uint64_t *calls =
		idmap_find(&sites->calls, key_of(module, vaddr));

	return calls ? *calls : 0;
}
