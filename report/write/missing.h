/* SPDX-License-Identifier: MIT */
/*
 * The data that a recording does not have, as short texts. The footer of a
 * report and the page of `clew html` show the same ones.
 */
#ifndef CLEW_WRITE_MISSING_H
#define CLEW_WRITE_MISSING_H

#include <stddef.h>

#include "report/view/session.h"

enum missing_kind {
	/* the recording is damaged; the text is that of the problem */
	MISSING_PROBLEM,
	MISSING_CALLS,    /* calls that no count includes */
	MISSING_CONTEXTS, /* contexts of calls that are counted */
	MISSING_CODE,  /* functions, modules and unknown code without hooks */
	MISSING_TIME,  /* samples that are missing */
	MISSING_PROBE, /* probes that have no location */
};

/* Except for problems, a noun phrase such as "12 lost calls". */
struct missing_clause {
	enum missing_kind kind;
	char *text;
};

/* Problems come first, then the most important data. */
struct missing {
	struct missing_clause *items;
	size_t count, capacity;
};

/* Returns one word for programs, such as "calls". */
const char *missing_word(enum missing_kind kind);

void missing_find(struct missing *missing, const struct session *session);
void missing_fini(struct missing *missing);

#endif
