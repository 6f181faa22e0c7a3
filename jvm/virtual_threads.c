/* SPDX-License-Identifier: MIT */
/*
 * Virtual threads come to a carrier and leave it, of which the machine tells agents by
 * events of its own (extensions).
 */
#include "jvm/virtual_threads.h"

#include "jvm/tracker_natives.h"
#include "preload/sys/text.h"

static void is_mounted(jvmtiEnv *jvmti, ...)
{
	tracker_natives_mounted(jvmti);
}

static void is_unmounted(jvmtiEnv *jvmti, ...)
{
	tracker_natives_unmounted(jvmti);
}

/*
 * That virtual threads are supported, which headers before Java 21 do not name: the bit
 * that follows the last one which they do.
 */
void virtual_threads_want(jvmtiCapabilities *capabilities)
{
	const jvmtiCapabilities last = {
		.can_generate_sampled_object_alloc_events = 1,
	};
	unsigned char *to = (unsigned char *)capabilities;
	const unsigned char *from = (const unsigned char *)&last;

	for (size_t i = 0; i < sizeof(last); i++) {
		if (!from[i])
			continue;
		to[i] |= (unsigned char)(from[i] << 1);
		if (i + 1 < sizeof(last))
			to[i + 1] |= from[i] >> 7;
	}
}

static void give_back_events(jvmtiEnv *jvmti, jint count,
			     jvmtiExtensionEventInfo *events)
{
	for (jint i = 0; i < count; i++) {
		for (jint j = 0; j < events[i].param_count; j++)
			(*jvmti)->Deallocate(
				jvmti,
				(unsigned char *)events[i].params[j].name);
		(*jvmti)->Deallocate(jvmti, (unsigned char *)events[i].params);
		(*jvmti)->Deallocate(jvmti, (unsigned char *)events[i].id);
		(*jvmti)->Deallocate(
			jvmti, (unsigned char *)events[i].short_description);
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)events);
}

static int hear_of(jvmtiEnv *jvmti, jint event, jvmtiExtensionEvent hear)
{
	return !(*jvmti)->SetExtensionEventCallback(jvmti, event, hear) &&
	       !(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
						   (jvmtiEvent)event, NULL);
}

int virtual_threads_hear(jvmtiEnv *jvmti)
{
	static const struct {
		const char *id;
		jvmtiExtensionEvent hear;
	} wanted[] = {
		{ "com.sun.hotspot.events.VirtualThreadMount", is_mounted },
		{ "com.sun.hotspot.events.VirtualThreadUnmount", is_unmounted },
	};
	jvmtiExtensionEventInfo *events;
	jint count, heard = 0;

	if ((*jvmti)->GetExtensionEvents(jvmti, &count, &events))
		return -1;
	for (jint i = 0; i < count; i++)
		for (int j = 0; j < 2; j++)
			heard += same_text(events[i].id, wanted[j].id) &&
				 hear_of(jvmti, events[i].extension_event_index,
					 wanted[j].hear);
	give_back_events(jvmti, count, events);
	return heard == 2 ? 0 : -1;
}
