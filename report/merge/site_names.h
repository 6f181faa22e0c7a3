/* SPDX-License-Identifier: MIT */
/* Names of the call sites of a process. */
#ifndef CLEW_MERGE_SITE_NAMES_H
#define CLEW_MERGE_SITE_NAMES_H

#include "base/strings.h"
#include "report/merge/numbering.h"

struct site_names {
	const struct numbering *numbering;
	struct catalog *catalog;
	struct strings texts;
	struct idmap by_pc; /* pc -> 1 + number in texts */
	int by_address;     /* use "module+0x1234" for all names */
};

/* The arguments must outlive `names`. */
void site_names_init(struct site_names *names,
		     const struct numbering *numbering,
		     struct catalog *catalog);
void site_names_fini(struct site_names *names);

/*
 * Returns the name of the call that returns to `pc`, which is not 0:
 * "file.c:12" with debug information, else "caller+0x34" with the distance to
 * the pc. The name lives as long as `names`.
 */
const char *site_names_find(struct site_names *names, uint64_t pc);

/* Returns the catalog's site for a pc, or 0 if it is in no module. */
uint32_t site_names_site(const struct site_names *names, uint64_t pc);

#endif
