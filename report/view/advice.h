/* SPDX-License-Identifier: MIT */
/*
 * Hints: sentences that a report prints below its footer, the most important first.
 * Each names something to change in the next recording, or the next report to read.
 */
#ifndef CLEW_VIEW_ADVICE_H
#define CLEW_VIEW_ADVICE_H

#include "report/view/session.h"

enum { ADVICE_MAX = 2 }; /* sentences in one report */

/* Above which share of all CPU time clew's own cost is worth a sentence. */
#define ADVICE_COST_SHARE 0.30
/* Below which share of the time code without names is not worth one. */
#define ADVICE_UNNAMED_SHARE 0.05

enum { ADVICE_FEW_SAMPLES = 100 };

struct advice {
	char *sentences[ADVICE_MAX];
	size_t count;
};

void advice_init(struct advice *advice, struct session *session);
void advice_fini(struct advice *advice);

/*
 * The option or setting by which a runtime names the code that it generates, for the
 * module that generated it ("node"), as the end of a sentence; NULL: none is known.
 */
const char *advice_for_generator(const char *module);

#endif
