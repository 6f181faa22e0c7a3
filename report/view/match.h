/* SPDX-License-Identifier: MIT */
/*
 * Which function of one recording is which of another.
 *
 * Functions of the same module, by build-id, are matched by address. Those of
 * two builds are matched by the names of module and function; a module's
 * version, as in "libz.so.1.2.13", does not count, and nor does the name of the
 * program that was run. What has no name is matched in the same build only.
 */
#ifndef CLEW_VIEW_MATCH_H
#define CLEW_VIEW_MATCH_H

#include "base/idmap.h"
#include "report/model/function_catalog.h"
#include "report/model/tree.h"

struct match {
	struct catalog *from, *to;
	uint32_t *functions; /* of `from`; 0: not looked for yet */
	uint32_t *builds;    /* of modules of `from`: the same, index + 1 */
	uint32_t *homes;     /* ... the same, or the next version */
	struct idmap named;  /* hash of names -> function of `to` */
};

/* Names are looked for among the functions of `tree`, which is of `to`. */
void match_init(struct match *match, struct catalog *from, struct catalog *to,
		const struct tree *tree);
void match_fini(struct match *match);

/* The function of `to`, entered if there is none like it. */
uint32_t match_function(struct match *match, uint32_t function);

#endif
