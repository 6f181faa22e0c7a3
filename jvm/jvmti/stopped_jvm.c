/* SPDX-License-Identifier: MIT */
/* See stopped_jvm.h. */
#include "jvm/jvmti/stopped_jvm.h"

#include "preload/hot/switch.h"

struct stopped_work {
	void (*does)(void);
	int is_done;
};

/* Called by the JVM for the first root. The result stops the walk. */
static jint JNICALL is_stopped(jvmtiHeapReferenceKind kind,
			       const jvmtiHeapReferenceInfo *info,
			       jlong class_tag, jlong referrer_class_tag,
			       jlong size, jlong *tag, jlong *referrer_tag,
			       jint length, void *context)
{
	const uint32_t muted = switch_mute(HOT_MUTED_OWN);
	struct stopped_work *work = context;

	if (!work->is_done)
		work->does();
	work->is_done = 1;
	switch_unmute(muted);
	return JVMTI_VISIT_ABORT;
}

/*
 * The walk begins at the roots and not at an object: after a walk from an
 * object, JDK 17 searches its whole heap for marks of this walk, which takes
 * long.
 */
int stopped_jvm_do(jvmtiEnv *jvmti, void (*does)(void))
{
	const jvmtiHeapCallbacks callbacks = {
		.heap_reference_callback = is_stopped,
	};
	struct stopped_work work = { does, 0 };

	(*jvmti)->FollowReferences(jvmti, 0, NULL, NULL, &callbacks, &work);
	return work.is_done ? 0 : -1;
}
