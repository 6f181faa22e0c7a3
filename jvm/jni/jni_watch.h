/* SPDX-License-Identifier: MIT */
/*
 * What stands in front of those of JNI's functions that are worth a look at their
 * arguments: it calls the machine's and makes notes (jni_notes.h).
 *
 *	jni_lookups.c		what is asked for by name
 *	jni_copies.c		arrays and strings that are copied, critical sections
 *	jni_references.c	local and global references
 *
 * Called by natives, on their threads, behind the function's stub: hot.id is the
 * context of the call.
 */
#ifndef CLEW_JVM_JNI_JNI_WATCH_H
#define CLEW_JVM_JNI_JNI_WATCH_H

#include <jni.h>
#include <stdint.h>

#include "jvm/jni/jni_functions.h"
#include "jvm/natives/bridge.h"

/* By place; NULL: nothing stands in front of that one. */
typedef void *jni_watchers[JNI_FUNCTIONS_MAX];

/* The machine's own functions. */
extern struct JNINativeInterface_ jni_real;

/* Enter what the units have. */
void jni_lookups_watch(jni_watchers watchers);
void jni_copies_watch(jni_watchers watchers);
void jni_references_watch(jni_watchers watchers);

/* A local reference was made, or none if it is NULL. Returns it. */
jobject jni_references_count(JNIEnv *env, jobject made);

#define JNI_WATCH_PUSHED 16

/* What is known of a thread, by its environment; its own business alone. */
struct jni_thread {
	_Atomic(JNIEnv *) env;
	/* Critical sections that it is in, and of the outermost: */
	uint32_t sections;
	uint32_t pushed_count;
	uint64_t since;             /* time stamp */
	uint64_t section_id;        /* where it was entered; 0: unknown */
	struct bridge_locals below; /* of natives that Java has not called */
	/* PushLocalFrame(): what the native had before. */
	struct {
		const struct bridge_locals *whose;
		struct bridge_locals before;
	} pushed[JNI_WATCH_PUSHED];
};

/* 0 or -errno. */
int jni_threads_begin(void);

/*
 * Learn from the machine where a thread has its last Java frame; without, nothing is
 * said of local references. machine_pc: of any function of the machine's; env: of
 * the calling thread.
 */
void jni_threads_learn(uint64_t machine_pc, JNIEnv *env);

/* NULL: there are too many. */
struct jni_thread *jni_thread_of(JNIEnv *env);

/*
 * The stack pointer of the last Java frame below the calling thread's native; 0: it
 * has none. -1: the machine does not say.
 */
uint64_t jni_thread_java_frame(JNIEnv *env);

#endif
