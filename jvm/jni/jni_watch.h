/* SPDX-License-Identifier: MIT */
/*
 * Watchers: functions that are called instead of certain JNI functions. A
 * watcher calls the JVM's function and makes notes about its arguments and
 * results (jni_notes.h).
 *
 *	jni_lookups.c		lookups by name
 *	jni_copies.c		copies of arrays and strings, critical sections
 *	jni_references.c	local and global references
 *
 * The stub of a JNI function calls the watcher, on the thread of the native
 * that has called the JNI function. hot.id is then the context of this call.
 */
#ifndef CLEW_JVM_JNI_JNI_WATCH_H
#define CLEW_JVM_JNI_JNI_WATCH_H

#include <jni.h>
#include <stdint.h>

#include "jvm/jni/jni_functions.h"
#include "jvm/natives/bridge.h"

/*
 * The watchers by their place in the table, NULL for functions without a
 * watcher.
 */
typedef void *jni_watchers[JNI_FUNCTIONS_MAX];

/* The JVM's own functions. */
extern struct JNINativeInterface_ jni_real;

/* Store the watchers of each file in the array. */
void jni_lookups_watch(jni_watchers watchers);
void jni_copies_watch(jni_watchers watchers);
void jni_references_watch(jni_watchers watchers);

/* Counts a new local reference, unless it is NULL. Returns the reference. */
jobject jni_references_count(JNIEnv *env, jobject made);

#define JNI_WATCH_PUSHED 16

/*
 * Data of a thread, found by its JNIEnv; only the thread itself uses the data.
 */
struct jni_thread {
	_Atomic(JNIEnv *) env;
	/*
	 * Number of nested critical sections that are active; `since` and
	 * section_id describe the outermost one.
	 */
	uint32_t sections;
	uint32_t pushed_count;
	/* Time stamp counter when the outermost section began. */
	uint64_t since;
	/*
	 * The context in which the outermost section began, or 0 if it is
	 * unknown.
	 */
	uint64_t section_id;
	struct bridge_locals below; /* used by code that Java has not called */
	/*
	 * A stack: records of natives, as they were before the native called
	 * PushLocalFrame().
	 */
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

/*
 * Returns the data of the calling thread, whose JNIEnv is `env`, or NULL if
 * there are too many threads.
 */
struct jni_thread *jni_thread_of(JNIEnv *env);

/*
 * Returns the stack pointer of the Java frame that has called the calling
 * thread's present native; 0 if there is none, UINT64_MAX if it is unknown.
 */
uint64_t jni_thread_java_frame(JNIEnv *env);

#endif
