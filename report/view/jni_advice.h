/* SPDX-License-Identifier: MIT */
/*
 * What natives had better do otherwise, of what JNI was noted to be used for: a
 * sentence for each caller that costs more than it need. Not for natives of the
 * Java platform itself, which nobody here can change.
 */
#ifndef CLEW_VIEW_JNI_ADVICE_H
#define CLEW_VIEW_JNI_ADVICE_H

#include "report/model/function_catalog.h"
#include "report/model/jni_usage.h"
#include "report/view/selection.h"

/* What is not worth a word. */
#define JNI_LOOKUPS_LEAST      100     /* of ten times as many as names */
#define JNI_COPIED_BYTES_LEAST 1000000 /* or so many copies: */
#define JNI_COPIES_LEAST       1000
#define JNI_GLOBALS_LEAST      20 /* that are left of one context */

struct jni_advice {
	char **sentences; /* most important first: what costs most, by kind */
	size_t count, capacity;
};

/* Of the calls in which a selected function has a part. */
void jni_advice_init(struct jni_advice *advice, const struct jni_usage *notes,
		     struct catalog *catalog,
		     const struct selection *selection);
void jni_advice_fini(struct jni_advice *advice);

#endif
