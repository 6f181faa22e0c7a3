/* SPDX-License-Identifier: MIT */
/*
 * Notable facts about calls of JNI functions by native methods (clew record
 * --jni-env), over all processes.
 */
#ifndef CLEW_MODEL_JNI_USAGE_H
#define CLEW_MODEL_JNI_USAGE_H

#include <stddef.h>
#include <stdint.h>

#include "wire/recording.h"

/*
 * The functions of a call, as indices in the catalog. FUNCTION_NONE if a
 * function is unknown.
 */
struct jni_call {
	uint32_t function; /* the JNI function */
	uint32_t caller;   /* the function that called it */
	uint32_t native;   /* the innermost native method among its callers */
	uint32_t java;     /* the Java method that called `native` */
};

struct jni_note {
	struct jni_call call;
	enum wire_jni_event what;
	/* for lookups, the name that was looked up; otherwise NULL */
	char *name;
	/* numbers, whose meaning enum wire_jni_event describes */
	uint64_t count, amount, most;
};

struct jni_usage {
	/*
	 * After jni_usage_finish(), items of one call and kind are contiguous.
	 */
	struct jni_note *items;
	size_t count, capacity;
};

/* Adds a copy of a note. */
void jni_usage_add(struct jni_usage *notes, const struct jni_note *note);

/* Merges equal items and sorts them. */
void jni_usage_finish(struct jni_usage *notes);

void jni_usage_fini(struct jni_usage *notes);

/* Compares by function, caller, native and Java method. */
int jni_call_compare(const struct jni_call *a, const struct jni_call *b);

/* Returns the word for a kind of event: "lookup", "copy" and so on. */
const char *jni_event_text(enum wire_jni_event what);

#endif
