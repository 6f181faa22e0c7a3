/* SPDX-License-Identifier: MIT */
/* What the sites are called that calls of a process return to. */
#ifndef CLEW_MERGE_SITE_NAMES_H
#define CLEW_MERGE_SITE_NAMES_H

#include "base/strings.h"
#include "report/merge/numbering.h"

struct site_names {
	const struct numbering *numbering;
	struct catalog *catalog;
	struct strings texts;
	struct idmap by_pc; /* -> 1 + number in texts */
};

/* What it is given must outlive it. */
void site_names_init(struct site_names *names,
		     const struct numbering *numbering,
		     struct catalog *catalog);
void site_names_fini(struct site_names *names);

/*
 * Of the call that returns to a pc, not 0: "file.c:12" where debug information says it, else
 * "caller+0x34", with the distance to the pc. Lasts as long as the names.
 */
const char *site_names_find(struct site_names *names, uint64_t pc);

#endif
