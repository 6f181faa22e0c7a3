/* SPDX-License-Identifier: MIT */
/*
 * Advice for native methods on cheaper use of JNI: one sentence for each caller
 * that costs more than needed. Native methods of the Java platform itself,
 * which users cannot change, get no sentence.
 */
#ifndef CLEW_VIEW_JNI_ADVICE_H
#define CLEW_VIEW_JNI_ADVICE_H

#include "report/model/function_catalog.h"
#include "report/model/jni_usage.h"
#include "report/view/selection.h"

/* Lower limits; below these, advice is omitted. */
/*
 * least number of lookups; each name must also be looked up ten times on
 * average
 */
#define JNI_LOOKUPS_LEAST 100
/* least number of copied bytes, or JNI_COPIES_LEAST copies */
#define JNI_COPIED_BYTES_LEAST 1000000
#define JNI_COPIES_LEAST       1000
/* least number of references of one context that were not released */
#define JNI_GLOBALS_LEAST 20

struct jni_advice {
	char **sentences; /* by kind, most expensive first */
	size_t count, capacity;
};

/* Considers the calls in which a selected function takes part. */
void jni_advice_init(struct jni_advice *advice, const struct jni_usage *notes,
		     struct catalog *catalog,
		     const struct selection *selection);
void jni_advice_fini(struct jni_advice *advice);

#endif
