/* SPDX-License-Identifier: MIT */
/*
 * What is worth knowing of the calls that natives make of JNI's functions
 * (clew record --jni-env), over all processes.
 */
#ifndef CLEW_MODEL_JNI_USAGE_H
#define CLEW_MODEL_JNI_USAGE_H

#include <stddef.h>
#include <stdint.h>

#include "wire/recording.h"

/* Who called what, as functions of the catalog; FUNCTION_NONE: nobody is known. */
struct jni_call {
	uint32_t function; /* JNI's */
	uint32_t caller;   /* that called it */
	uint32_t native;   /* the innermost native method among its callers */
	uint32_t java;     /* the Java method that called that */
};

struct jni_note {
	struct jni_call call;
	enum wire_jni_what what;
	char *name;                   /* LOOKUP: what was asked for; or NULL */
	uint64_t count, amount, most; /* as enum wire_jni_what says */
};

struct jni_usage {
	struct jni_note
		*items; /* those of one call and kind in a row, in the end */
	size_t count, capacity;
};

/* The name is copied. */
void jni_usage_add(struct jni_usage *notes, const struct jni_note *note);

/* Sums what is alike, and sorts. */
void jni_usage_finish(struct jni_usage *notes);

void jni_usage_fini(struct jni_usage *notes);

/* By function, caller, native and Java method. */
int jni_call_compare(const struct jni_call *a, const struct jni_call *b);

/* "lookup", "copy"... */
const char *jni_what_text(enum wire_jni_what what);

#endif
