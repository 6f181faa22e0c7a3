/* SPDX-License-Identifier: MIT */
/*
 * Watchers: functions that are called instead of JNI functions with interesting
 * arguments. A watcher calls the JVM's function and makes notes (jni_notes.h).
 *
 *	jni_lookups.c		lookups by name
 *	jni_copies.c		copies of arrays and strings, critical sections
 *	jni_references.c	local and global references
 *
 * Natives call watchers on their own threads, behind the function's stub, so
 * hot.id is the context of the call.
 */
#ifndef CLEW_JVM_JNI_JNI_WATCH_H
#define CLEW_JVM_JNI_JNI_WATCH_H

#include <jni.h>
#include <stdint.h>

#include "jvm/jni/jni_functions.h"
#include "jvm/natives/bridge.h"

/* Watchers by place; NULL: none. */
typedef void *jni_watchers[JNI_FUNCTIONS_MAX];

/* The JVM's own functions. */
extern struct JNINativeInterface_ jni_real;

/* Enter the watchers of each file. */
void jni_lookups_watch(jni_watchers watchers);
void jni_copies_watch(jni_watchers watchers);
void jni_references_watch(jni_watchers watchers);

/* Counts a new local reference, unless it is NULL. Returns the reference. */
jobject jni_references_count(JNIEnv *env, jobject made);

#define JNI_WATCH_PUSHED 16

/*
 * Data of a thread, found by its environment; only the thread itself uses it.
 */
struct jni_thread {
	_Atomic(JNIEnv *) env;
	/*
	 * Number of active critical sections; the next members describe the
	 * outermost:
	 */
	uint32_t sections;
	uint32_t pushed_count;
	uint64_t since;             /* its time stamp */
	uint64_t section_id;        /* context in which it began; 0: unknown */
	struct bridge_locals below; /* for natives that Java has not called */
	/* Former references of natives that have called PushLocalFrame(). */
	struct {
		const struct bridge_locals *whose;
		struct bridge_locals before;
	} pushed[JNI_WATCH_PUSHED];
};

/* Allocates the data. Returns 0 or -errno. */
int jni_threads_begin(void);

/*
 * Learns where a thread's last Java frame is stored; otherwise local references
 * are not counted. machine_pc is the address of any function of the JVM, env
 * belongs to the calling thread.
 */
void jni_threads_learn(uint64_t machine_pc, JNIEnv *env);

/* Returns NULL if there are too many threads. */
struct jni_thread *jni_thread_of(JNIEnv *env);

/*
 * Returns the stack pointer of the last Java frame below the calling thread's
 * native; 0 if there is none, -1 if it is unknown.
 */
uint64_t jni_thread_java_frame(JNIEnv *env);

#endif
