/* SPDX-License-Identifier: MIT */
/*
 * Hints: sentences that a report prints below its footer, the most important
 * first. Each names a change for the next recording, a report to read next, or
 * a tool for functions that clew does not show.
 */
#ifndef CLEW_VIEW_ADVICE_H
#define CLEW_VIEW_ADVICE_H

#include "report/view/session.h"

enum { ADVICE_MAX = 2 }; /* maximum number of sentences in one report */

/* The share of all CPU time above which clew's own cost is mentioned. */
#define ADVICE_COST_SHARE 0.30
/*
 * The share of the time or calls below which code without names is not
 * mentioned.
 */
#define ADVICE_UNNAMED_SHARE 0.05

enum { ADVICE_FEW_SAMPLES = 100 };

struct advice {
	char *sentences[ADVICE_MAX];
	size_t count;
};

void advice_init(struct advice *advice, struct session *session);
void advice_fini(struct advice *advice);

/*
 * Returns the option or setting by which a runtime names its generated code,
 * for the module that generated it ("node"), as the end of a sentence. NULL if
 * unknown.
 */
const char *advice_for_generator(const char *module);

#endif
