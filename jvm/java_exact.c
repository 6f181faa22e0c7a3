/* SPDX-License-Identifier: MIT */
/*
 * What the machine has loaded before VMInit are classes of its own. If some of them are
 * asked for, they are changed then (RetransformClasses), in batches, or singly if one
 * of a batch is refused. All others are rewritten when they are loaded.
 */
#include "jvm/java_exact.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "classfile/classfile.h"
#include "image/arena.h"
#include "jvm/java_selection.h"
#include "jvm/java_tracked.h"
#include "jvm/java_verify.h"
#include "jvm/tracker_class.h"
#include "jvm/tracker_natives.h"
#include "preload/host/config.h"
#include "preload/hot/runtime.h"
#include "preload/hot/switch.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/text.h"

#define BATCH         50
#define NAME_BYTES    1024
#define CODE_LIMIT    8000 /* HotSpot compiles no method of more */
#define HOLDER_SINCE  19   /* the version of Java whose Thread has a holder */
#define VIRTUAL_SINCE 21

static struct {
	jobject platform_loader; /* of classes that are the machine's own; global */
} exact;

int java_exact_is_wanted(void)
{
	return rt.config->java == CONFIG_JAVA_EXACT;
}

/* ---- Which classes, by their names ---- */

/* What the tracker itself needs, or the machine handles in ways of its own. */
static int is_needed(const char *name)
{
	static const char *const needed[] = {
		"java/lang/Object", "java/lang/Thread",
		"java/lang/Class",  TRACKER_CLASS,
		TRACKER_NATIVES,    "java/lang/VirtualThread",
	};
	static const char *const packages[] = {
		"java/lang/invoke/", "java/lang/ref/",
		"jdk/internal/",     "sun/",
		"java/lang/Thread$", "java/lang/Class$",
	};

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (same_text(name, needed[i]))
			return 1;
	for (size_t i = 0; i < sizeof(packages) / sizeof(*packages); i++)
		if (!strncmp(name, packages[i], strlen(packages[i])))
			return 1;
	return 0;
}

/* "java/lang/String" with dots. */
static void dotted(char *out, const char *name, size_t bytes)
{
	if (bytes > NAME_BYTES - 1)
		bytes = NAME_BYTES - 1;
	for (size_t i = 0; i < bytes; i++)
		out[i] = name[i] == '/' ? '.' : name[i];
	out[bytes] = '\0';
}

/* ---- Rewriting ---- */

struct changed_class {
	struct arena arena;
	int is_own; /* the class is the machine's */
	char class_name[NAME_BYTES];
};

static void *take(void *context, size_t bytes)
{
	struct changed_class *changed = context;

	return arena_alloc(&changed->arena, bytes);
}

static struct tracked_method tracked(const struct classfile_method *method)
{
	return (struct tracked_method){
		{ method->class_name.text, method->class_name.length },
		{ method->name.text, method->name.length },
		{ method->descriptor.text, method->descriptor.length },
	};
}

static int64_t choose(void *context, const struct classfile_method *method)
{
	const struct tracked_method its = tracked(method);
	struct changed_class *changed = context;
	char name[NAME_BYTES];
	uint32_t number;

	dotted(name, method->name.text, method->name.length);
	if (!java_selection_has(changed->class_name, name, changed->is_own))
		return -1;
	if (method->code_bytes < rt.config->java_min_size) {
		java_tracked_leave(&its, WIRE_JAVA_SMALL);
		return -1;
	}
	number = java_tracked_number(&its);
	if (!number)
		java_tracked_leave(&its, WIRE_JAVA_ROOM);
	return number ? (int64_t)number : -1;
}

static enum wire_java_left reason_of(enum classfile_refusal why)
{
	switch (why) {
	case CLASSFILE_SUBROUTINES:
		return WIRE_JAVA_SUBROUTINES;
	case CLASSFILE_TOO_LARGE:
		return WIRE_JAVA_LARGE;
	case CLASSFILE_FAR_JUMP:
		return WIRE_JAVA_JUMP;
	case CLASSFILE_CONSTRUCTOR:
		return WIRE_JAVA_CONSTRUCTOR;
	case CLASSFILE_POOL_FULL:
		return WIRE_JAVA_CONSTANTS;
	case CLASSFILE_NO_MEMORY:
		return WIRE_JAVA_ROOM;
	default:
		return WIRE_JAVA_CODE;
	}
}

static void refuse(void *context, const struct classfile_method *method,
		   enum classfile_refusal why)
{
	const struct tracked_method its = tracked(method);

	java_tracked_leave(&its, reason_of(why));
}

static void leave_class(const char *name, size_t bytes, enum wire_java_left why)
{
	const struct tracked_method all = {
		{ name, (uint32_t)bytes },
		{ "*", 1 },
		{ "", 0 },
	};

	java_tracked_leave(&all, why);
}

static void rewrite(jvmtiEnv *jvmti, struct changed_class *changed,
		    const char *name, const unsigned char *data, jint bytes,
		    jint *new_bytes, unsigned char **new_data)
{
	static const struct classfile_tracker tracker = {
		.class_name = TRACKER_CLASS,
		.enter = { "enter", "(I)J" },
		.exit = { "exit", "(J)V" },
		.caught = { "caught", "(JI)V" },
		.code_limit = CODE_LIMIT,
	};
	const struct classfile_caller caller = { changed, take, choose,
						 refuse };
	struct classfile_result result = { NULL, 0, 0 };
	const enum classfile_refusal why = classfile_rewrite(
		data, (size_t)bytes, &tracker, &caller, &result);

	if (why)
		leave_class(name, strlen(name), reason_of(why));
	if (!result.data)
		return;
	if ((*jvmti)->Allocate(jvmti, (jlong)result.bytes, new_data)) {
		leave_class(name, strlen(name), WIRE_JAVA_ROOM);
		return;
	}
	copy_bytes(*new_data, result.data, result.bytes);
	*new_bytes = (jint)result.bytes;
}

/* ---- Events ---- */

static int is_own(JNIEnv *jni, jobject loader)
{
	return !loader ||
	       (*jni)->IsSameObject(jni, loader, exact.platform_loader);
}

static void JNICALL is_loaded(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined,
			      jobject loader, const char *name, jobject domain,
			      jint bytes, const unsigned char *data,
			      jint *new_bytes, unsigned char **new_data)
{
	const uint32_t muted = switch_mute(HOT_MUTED_OWN);
	struct changed_class changed = { .is_own = is_own(jni, loader) };
	const int saved_errno = errno;

	if (name && !is_needed(name) &&
	    (!changed.is_own || java_selection_names_classes())) {
		dotted(changed.class_name, name, strlen(name));
		rewrite(jvmti, &changed, name, data, bytes, new_bytes,
			new_data);
		arena_fini(&changed.arena);
	}
	errno = saved_errno;
	switch_unmute(muted);
}

static void JNICALL thread_ends(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	jint frames = 0;

	/* System.exit() ends the thread that calls it, in the midst of Java. */
	if (!(*jvmti)->GetFrameCount(jvmti, thread, &frames) && frames == 0)
		tracker_natives_end_thread();
}

static void is_mounted(jvmtiEnv *jvmti, ...)
{
	tracker_natives_mounted(jvmti);
}

static void is_unmounted(jvmtiEnv *jvmti, ...)
{
	tracker_natives_unmounted(jvmti);
}

/* ---- The beginning ---- */

/*
 * That virtual threads are supported, which headers before Java 21 do not name: the bit
 * that follows the last one which they do.
 */
static void want_virtual_threads(jvmtiCapabilities *capabilities)
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

/* Of Java: the tool interface has the same. */
static int version(jvmtiEnv *jvmti)
{
	jint number = 0;

	(*jvmti)->GetVersionNumber(jvmti, &number);
	return (number & JVMTI_VERSION_MASK_MAJOR) >> JVMTI_VERSION_SHIFT_MAJOR;
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

/*
 * 0, or -1: virtual threads would count in each other's contexts. When all other
 * callbacks are set: that takes these off.
 */
static int hear_of_virtual_threads(jvmtiEnv *jvmti)
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

char *java_exact_option(void)
{
	static char option[] = "-Xshare:off";

	if (!java_exact_is_wanted() ||
	    java_selection_begin(rt.config->java_methods) ||
	    !java_selection_names_classes())
		return NULL;
	return option;
}

int java_exact_prepare(jvmtiEnv *jvmti, jvmtiEventCallbacks *callbacks)
{
	jvmtiCapabilities wanted = {
		.can_generate_all_class_hook_events = 1,
		.can_retransform_classes = 1,
		.can_retransform_any_class = 1,
	};

	if (version(jvmti) >= VIRTUAL_SINCE)
		want_virtual_threads(&wanted);
	if (java_selection_begin(rt.config->java_methods) ||
	    (*jvmti)->AddCapabilities(jvmti, &wanted))
		return -1;
	callbacks->ClassFileLoadHook = is_loaded;
	callbacks->ThreadEnd = thread_ends;
	return 0;
}

static jclass define(JNIEnv *jni, const char *name,
		     const struct classfile_result *made)
{
	return (*jni)->DefineClass(jni, name, NULL, (const jbyte *)made->data,
				   (jsize)made->bytes);
}

/* In java.base, and initialised: 0 or -1. */
static int define_tracker(jvmtiEnv *jvmti, JNIEnv *jni)
{
	const enum tracker_layout layout = version(jvmti) >= HOLDER_SINCE
						   ? TRACKER_IN_HOLDER
						   : TRACKER_IN_THREAD;
	struct changed_class changed = { .is_own = 1 };
	const struct classfile_caller caller = { &changed, take, NULL, NULL };
	struct classfile_result tracker, natives;
	jclass tracker_class = NULL, natives_class = NULL;

	if (tracker_class_make(&caller, layout, &tracker, &natives)) {
		natives_class = define(jni, TRACKER_NATIVES, &natives);
		if (natives_class && !tracker_natives_bind(jni, natives_class))
			tracker_class = define(jni, TRACKER_CLASS, &tracker);
	}
	arena_fini(&changed.arena);
	/* to ask for a method initialises its class */
	if (tracker_class &&
	    (*jni)->GetStaticMethodID(jni, tracker_class, "enter", "(I)J"))
		return 0;
	(*jni)->ExceptionClear(jni);
	return -1;
}

static int find_platform_loader(JNIEnv *jni)
{
	jclass loaders = (*jni)->FindClass(jni, "java/lang/ClassLoader");
	jmethodID get =
		loaders ? (*jni)->GetStaticMethodID(jni, loaders,
						    "getPlatformClassLoader",
						    "()Ljava/lang/ClassLoader;")
			: NULL;
	jobject loader =
		get ? (*jni)->CallStaticObjectMethod(jni, loaders, get) : NULL;

	if (loader)
		exact.platform_loader = (*jni)->NewGlobalRef(jni, loader);
	(*jni)->ExceptionClear(jni);
	return exact.platform_loader ? 0 : -1;
}

/* ---- Classes that are loaded already ---- */

static int is_meant(jvmtiEnv *jvmti, jclass class, char **signature)
{
	jboolean is_modifiable = JNI_FALSE;
	char name[NAME_BYTES];
	size_t bytes;

	if ((*jvmti)->IsModifiableClass(jvmti, class, &is_modifiable) ||
	    !is_modifiable ||
	    (*jvmti)->GetClassSignature(jvmti, class, signature, NULL))
		return 0;
	bytes = strlen(*signature);
	if (**signature != 'L' || bytes < 3)
		return 0;
	(*signature)[bytes - 1] = '\0';
	dotted(name, *signature + 1, bytes - 2);
	return !is_needed(*signature + 1) && java_selection_may_have(name);
}

static void change_singly(jvmtiEnv *jvmti, const jclass *classes, jint count)
{
	for (jint i = 0; i < count; i++) {
		char *signature = NULL;

		if ((*jvmti)->RetransformClasses(jvmti, 1, classes + i) &&
		    !(*jvmti)->GetClassSignature(jvmti, classes[i], &signature,
						 NULL))
			leave_class(signature + 1, strlen(signature) - 2,
				    WIRE_JAVA_MACHINE);
		(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
	}
}

static void change(jvmtiEnv *jvmti, const jclass *classes, jint count)
{
	if (count > 0 && (*jvmti)->RetransformClasses(jvmti, count, classes))
		change_singly(jvmti, classes, count);
}

static void change_loaded(jvmtiEnv *jvmti, JNIEnv *jni)
{
	jclass *found, batch[BATCH];
	jint found_count, count = 0;

	if ((*jvmti)->GetLoadedClasses(jvmti, &found_count, &found))
		return;
	java_verify_change();
	for (jint i = 0; i < found_count; i++) {
		char *signature = NULL;

		if (is_meant(jvmti, found[i], &signature))
			batch[count++] = found[i];
		(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
		if (count < BATCH)
			continue;
		change(jvmti, batch, count);
		count = 0;
	}
	change(jvmti, batch, count);
	for (jint i = 0; i < found_count; i++)
		(*jni)->DeleteLocalRef(jni, found[i]);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)found);
}

static int enable(jvmtiEnv *jvmti, jvmtiEvent event)
{
	return !(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, event,
						   NULL);
}

void java_exact_begin(jvmtiEnv *jvmti, JNIEnv *jni)
{
	rt.counts_java = 1;
	if ((version(jvmti) >= VIRTUAL_SINCE &&
	     hear_of_virtual_threads(jvmti)) ||
	    find_platform_loader(jni) || define_tracker(jvmti, jni) ||
	    !enable(jvmti, JVMTI_EVENT_THREAD_END) ||
	    !enable(jvmti, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK)) {
		atomic_store(&rt.header->java, WIRE_JAVA_INEXACT);
		return;
	}
	java_verify_begin(jvmti);
	if (java_selection_names_classes())
		change_loaded(jvmti, jni);
}
