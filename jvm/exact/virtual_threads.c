/* SPDX-License-Identifier: MIT */
/* See virtual_threads.h. */
/*
 * JVMTI has no standard events for virtual threads that are mounted on a
 * carrier or unmounted. HotSpot sends extension events for them.
 */
#include "jvm/exact/virtual_threads.h"

#include <stdarg.h>

#include "jvm/exact/tracker_natives.h"
#include "preload/hot/switch.h"
#include "preload/sys/text.h"

#define SINCE 21 /* the first version of Java with virtual threads */

/* The version of the tool interface (JVMTI) equals that of Java. */
int virtual_threads_are_there(jvmtiEnv *jvmti)
{
	jint number = 0;

	(*jvmti)->GetVersionNumber(jvmti, &number);
	number &= JVMTI_VERSION_MASK_MAJOR;
	return number >> JVMTI_VERSION_SHIFT_MAJOR >= SINCE;
}

/* Reads the arguments of an event: JNIEnv *, then the virtual thread. */
static JNIEnv *next_jni(va_list arguments)
{
	return va_arg(arguments, JNIEnv *);
}

static void is_mounted(jvmtiEnv *jvmti, ...)
{
	const uint32_t muted = switch_mute(HOT_MUTED_OWN);
	va_list arguments;

	va_start(arguments, jvmti);
	tracker_natives_mounted(jvmti, next_jni(arguments));
	va_end(arguments);
	switch_unmute(muted);
}

static void is_unmounted(jvmtiEnv *jvmti, ...)
{
	const uint32_t muted = switch_mute(HOT_MUTED_OWN);
	va_list arguments;

	va_start(arguments, jvmti);
	tracker_natives_unmounted(jvmti, next_jni(arguments));
	va_end(arguments);
	switch_unmute(muted);
}

/*
 * Sets the capability for virtual threads. Headers before Java 21 do not
 * declare it; it is the bit after the last capability that they declare.
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

struct thread_event {
	const char *id;
	jvmtiExtensionEvent hear;
};

/*
 * Requests extension events by their names. Returns 0, or -1 if the JVM does
 * not have all of them.
 */
static int hear_all(jvmtiEnv *jvmti, const struct thread_event *wanted,
		    int count_wanted)
{
	jvmtiExtensionEventInfo *events;
	jint count;
	int heard = 0;

	if ((*jvmti)->GetExtensionEvents(jvmti, &count, &events))
		return -1;
	for (jint i = 0; i < count; i++)
		for (int j = 0; j < count_wanted; j++)
			heard += same_text(events[i].id, wanted[j].id) &&
				 hear_of(jvmti, events[i].extension_event_index,
					 wanted[j].hear);
	give_back_events(jvmti, count, events);
	return heard == count_wanted ? 0 : -1;
}

#define MOUNT   "com.sun.hotspot.events.VirtualThreadMount"
#define UNMOUNT "com.sun.hotspot.events.VirtualThreadUnmount"

int virtual_threads_hear(jvmtiEnv *jvmti)
{
	static const struct thread_event wanted[] = {
		{ MOUNT, is_mounted },
		{ UNMOUNT, is_unmounted },
	};

	return hear_all(jvmti, wanted, 2);
}

int virtual_threads_hear_mounts(jvmtiEnv *jvmti, jvmtiExtensionEvent hear)
{
	const struct thread_event wanted = { MOUNT, hear };

	return hear_all(jvmti, &wanted, 1);
}
