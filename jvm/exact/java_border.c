/* SPDX-License-Identifier: MIT */
/* See java_border.h. */
#include "jvm/exact/java_border.h"

#include "jvm/hotspot/hotspot.h"
#include "jvm/jvmti/java_exceptions.h"
#include "jvm/natives/bridge.h"
#include "preload/hot/shadow.h"
#include "preload/hot/thread.h"
#include "preload/hot/trampoline.h"
#include "preload/stack/walk.h"

/*
 * Distance in bytes from a JNIEnv to the word where the JVM stores the stack
 * pointer of the thread's innermost Java frame.
 */
static int64_t last_sp_at;

/*
 * Returns the JVM's record of the calling thread (JavaThread *), which the
 * Thread object contains; 0 if it is unknown.
 */
static uint64_t machine_thread(jvmtiEnv *jvmti, JNIEnv *jni)
{
	jthread thread = NULL;
	jclass class;
	jfieldID field;
	uint64_t at = 0;

	if ((*jvmti)->GetCurrentThread(jvmti, &thread) || !thread)
		return 0;
	class = (*jni)->FindClass(jni, "java/lang/Thread");
	field = class ? (*jni)->GetFieldID(jni, class, "eetop", "J") : NULL;
	if (field)
		at = (uint64_t)(*jni)->GetLongField(jni, thread, field);
	(*jni)->DeleteLocalRef(jni, class);
	(*jni)->DeleteLocalRef(jni, thread);
	return has_thrown(jni) ? 0 : at;
}

int java_border_learn(jvmtiEnv *jvmti, JNIEnv *jni)
{
	const uint64_t pc = (uintptr_t)(*jni)->GetVersion;
	const int64_t anchor = hotspot_offset(pc, "JavaThread", "_anchor");
	const int64_t sp =
		hotspot_offset(pc, "JavaFrameAnchor", "_last_Java_sp");
	const uint64_t thread = machine_thread(jvmti, jni);

	if (anchor < 0 || sp < 0 || !thread)
		return -1;
	last_sp_at = (int64_t)(thread - (uintptr_t)jni) + anchor + sp;
	return 0;
}

/*
 * Once the caller's id in a function's slot was exchanged, a walk does not get
 * from this function to its caller until the function returns. Therefore
 * hot.aside->border stores the slot and the function's id for further
 * exchanges. Returns the address of the caller's id in this slot if the
 * function has the id `id` and the slot lies from `from` up to `until`.
 * Otherwise returns NULL.
 */
static uint64_t *exchanged_before(uint64_t from, uint64_t until, uint64_t id)
{
	const struct hot_aside *aside = hot.aside;
	struct shadow_slot *slot;

	if (!aside || aside->border.id != id || aside->border.slot < from ||
	    aside->border.slot >= until)
		return NULL;
	slot = shadow_of(aside->border.slot);
	return slot ? &slot->caller_id : NULL;
}

/*
 * Searches the hooked functions that are active between the calling function
 * and the innermost Java frame. Returns the address of the id that the stub of
 * the outermost of them restores. Without such a function, returns the address
 * of the thread's own id.
 */
static uint64_t *find_in_slots(uint64_t at, uint64_t java_sp)
{
	struct walk walk = walk_from((const void *)at, hot.id);
	struct hot_border outermost = { 0 };
	uint64_t *found = &hot.id, *before;
	struct link link;

	walk_trust_own_stack(&walk, (const void *)at);
	walk.has_begun = 1; /* the thread executes no stub now */
	walk.scan_left = (uint32_t)((java_sp - at) / 8);
	while (!walk_is_slotless(walk.id) && walk_next(&walk, &link) &&
	       link.at < java_sp && !trampoline_has(link.shadow)) {
		found = &link.shadow->caller_id;
		/*
		 * link.id belongs to the function that is active at the slot.
		 */
		if (!link.has_jumped)
			outermost = (struct hot_border){ link.at, link.id };
	}
	before = exchanged_before(outermost.slot, java_sp, walk.id);
	if (before)
		return before;
	if (outermost.slot && hot.aside)
		hot.aside->border = outermost;
	return found;
}

/*
 * Returns the address where the id is stored that the thread will have when
 * native code returns to Java. `here` is an address in the calling function's
 * frame, java_sp is the stack pointer of the innermost Java frame.
 */
static uint64_t *find(uint64_t here, uint64_t java_sp)
{
	struct bridge_frame *bridge = (void *)(uintptr_t)hot.java_top;

	if (here >= java_sp)
		return &hot.id;
	if (bridge && (uintptr_t)bridge < java_sp)
		return &bridge->caller_id;
	return find_in_slots(here, java_sp);
}

uint64_t java_border_exchange(JNIEnv *jni, uint64_t now)
{
	const uint64_t java_sp =
		*(const uint64_t *)((uintptr_t)jni + (uint64_t)last_sp_at);
	volatile uint64_t *id =
		find((uintptr_t)__builtin_frame_address(0), java_sp);
	const uint64_t was = *id;

	*id = now;
	return was;
}
