/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdatomic.h>

#include "jvm/hotspot/hotspot.h"
#include "jvm/jni/jni_notes.h"
#include "jvm/jni/jni_watch.h"
#include "wire/id.h"

/*
 * A hash table of threads by the address of their JNIEnv, with open addressing.
 * Entries are never removed: if the JVM gives the JNIEnv of an ended thread to
 * a new thread, the new thread continues with the former thread's data.
 */
#define ROOM  (1 << 12)
#define TRIES 64

static struct jni_thread *threads;

int jni_threads_begin(void)
{
	void *made = jni_renew(threads, ROOM * sizeof(*threads));

	if (!made)
		return -ENOMEM;
	threads = made;
	return 0;
}

struct jni_thread *jni_thread_of(JNIEnv *env)
{
	const uint64_t hash = (uintptr_t)env * ID_MULTIPLIER >> 32;

	for (uint64_t i = hash; i < hash + TRIES; i++) {
		struct jni_thread *thread = &threads[i % ROOM];
		JNIEnv *owner = atomic_load_explicit(&thread->env,
						     memory_order_relaxed);

		if (owner == env ||
		    (!owner &&
		     atomic_compare_exchange_strong(&thread->env, &owner, env)))
			return thread;
	}
	return NULL;
}

/* ---- HotSpot's threads ---- */

/*
 * Distance in bytes from a JNIEnv to the word where the JVM stores the stack
 * pointer of the thread's innermost Java frame. 0 if it is not known.
 */
static int64_t to_java_frame;

#define OFFSET(type, field) hotspot_offset(machine_pc, type, field)

/*
 * Returns the JVM's record of a thread (JavaThread *) that contains the JNIEnv
 * at address `env`, or 0.
 */
static uint64_t thread_with(uint64_t machine_pc, uint64_t env)
{
	const uint64_t list = hotspot_static(machine_pc, "ThreadsSMRSupport",
					     "_java_thread_list");
	const uint64_t bytes = hotspot_size(machine_pc, "JavaThread");
	const int64_t length_at = OFFSET("ThreadsList", "_length");
	const int64_t threads_at = OFFSET("ThreadsList", "_threads");
	const uint64_t *all;

	if (!list || !bytes || length_at < 0 || threads_at < 0)
		return 0;
	all = *(const uint64_t *const *)(list + (uint64_t)threads_at);
	for (uint32_t i = 0;
	     i < *(const uint32_t *)(list + (uint64_t)length_at); i++)
		if (env - all[i] < bytes)
			return all[i];
	return 0;
}

void jni_threads_learn(uint64_t machine_pc, JNIEnv *env)
{
	const uint64_t thread = thread_with(machine_pc, (uintptr_t)env);
	const int64_t anchor = OFFSET("JavaThread", "_anchor");
	const int64_t sp = OFFSET("JavaFrameAnchor", "_last_Java_sp");

	if (thread && anchor >= 0 && sp >= 0)
		to_java_frame =
			(int64_t)(thread - (uintptr_t)env) + anchor + sp;
}

uint64_t jni_thread_java_frame(JNIEnv *env)
{
	return to_java_frame
		       ? *(const volatile uint64_t *)((uintptr_t)env +
						      (uint64_t)to_java_frame)
		       : UINT64_MAX;
}
