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
	struct idmap by_pc; /* maps a pc to 1 + the number in texts */
	/*
	 * whether all sites in modules have names of the form "module+0x1234"
	 */
	int by_address;
};

/*
 * Initialises *names. `numbering` and `catalog` must exist as long as `names`.
 */
void site_names_init(struct site_names *names,
		     const struct numbering *numbering,
		     struct catalog *catalog);
void site_names_fini(struct site_names *names);

/*
 * Returns the name of the call site with the return address `pc`, which is not
 * 0: "file.c:12" with debug information, otherwise "caller+0x34", the calling
 * function and the distance of the pc from its entry. If the function is
 * unknown, "module+0x1234"; outside all modules, "0x1234". The name exists as
 * long as `names`.
 */
const char *site_names_find(struct site_names *names, uint64_t pc);

/* Returns the catalog's site for a pc, or 0 if it is in no module. */
uint32_t site_names_site(const struct site_names *names, uint64_t pc);

#endif
