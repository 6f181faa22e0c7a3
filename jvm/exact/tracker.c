/* SPDX-License-Identifier: MIT */
/*
 * A method that is active when its class is restored continues with its
 * rewritten code. The method calls the tracker when it returns or throws,
 * perhaps minutes later and during another recording, in which the id that the
 * method has stored means nothing. Therefore each recording has a tracker with
 * another name. The tracker's class of a finished recording is changed, like
 * any class, into one that first checks which recording is active.
 */
#include "jvm/exact/tracker.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "image/arena.h"
#include "jvm/exact/tracker_class.h"
#include "jvm/exact/tracker_natives.h"
#include "jvm/exact/tracker_standby.h"
#include "jvm/jvmti/from_java.h"
#include "jvm/jvmti/java_exceptions.h"
#include "preload/hot/runtime.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"

/* The first version of Java whose class Thread has a field "holder". */
#define HOLDER_SINCE 19
/* The version of JVMTI that Java 8 has. */
#define NUMBER_OF_8 1
#define NAME_BYTES  64
/*
 * If a thread is in the tracker, the tracker is among this many of the thread's
 * innermost methods.
 */
#define INNERMOST   4
#define PATIENCE_MS 10000

static struct {
	char name[NAME_BYTES];
	enum tracker_layout layout;
	uint32_t count; /* number of trackers in the JVM */
	int stands_by;
	_Atomic int is_over;
	jclass class, natives; /* global references */
	jclass classes;        /* global reference to java.lang.Class */
	jmethodID for_name;    /* Class.forName() */
} tracker;

const char *tracker_name(void)
{
	return tracker.name;
}

/* ---- The classes ---- */

static jclass define(JNIEnv *jni, const char *name,
		     const struct classfile_result *made)
{
	jclass class = (*jni)->DefineClass(
		jni, name, NULL, (const jbyte *)made->data, (jsize)made->bytes);
	jclass kept;

	if (has_thrown(jni) || !class)
		return NULL;
	kept = (*jni)->NewGlobalRef(jni, class);
	(*jni)->DeleteLocalRef(jni, class);
	return kept;
}

static void bind(JNIEnv *jni, void *context)
{
	*(int *)context = tracker_natives_register(jni, tracker.natives);
}

/*
 * Makes the JVM find the natives by their names, if the JVM has loaded
 * libclew.so as an agent. In a JVM to which clew has attached, the names are
 * not searched there, so the natives are registered.
 */
static int bind_natives(JNIEnv *jni)
{
	int err = -1;
	JavaVM *vm;

	if (!rt.is_late)
		return tracker_natives_find(jni, tracker.natives);
	if ((*jni)->GetJavaVM(jni, &vm) || from_java_call(vm, jni, bind, &err))
		return -1;
	return err;
}

/*
 * Defines the class with the tracker's natives, once for a JVM, and binds the
 * natives.
 */
static int define_natives(JNIEnv *jni, const struct classfile_caller *caller)
{
	struct classfile_result made;

	if (tracker.natives)
		return 0;
	if (!tracker_class_make_natives(caller, &made))
		return -1;
	tracker.natives = define(jni, TRACKER_NATIVES, &made);
	return tracker.natives ? bind_natives(jni) : -1;
}

static int make(const struct classfile_caller *caller, int is_over,
		struct classfile_result *made)
{
	const struct tracker_kind kind = { tracker.name, tracker.layout,
					   tracker.stands_by, is_over };

	return tracker_class_make(caller, &kind, made);
}

static void name_next(void)
{
	struct text text = text_in(tracker.name, sizeof(tracker.name));

	text_string(&text, TRACKER_CLASS);
	if (tracker.count++)
		text_number(&text, tracker.count);
}

/*
 * Defines the tracker's class under a new name. The request for a method's
 * identifier makes the JVM initialise the class.
 */
static int define_tracker(JNIEnv *jni, const struct classfile_caller *caller)
{
	struct classfile_result made;

	name_next();
	if (!make(caller, 0, &made))
		return -1;
	tracker.class = define(jni, tracker.name, &made);
	if (!tracker.class)
		return -1;
	(*jni)->GetStaticMethodID(jni, tracker.class, "enter", "(I)J");
	return has_thrown(jni) ? -1 : 0;
}

/* Finds Class.forName(), once for a JVM. */
static int find_for_name(JNIEnv *jni)
{
	jclass classes;

	if (tracker.for_name)
		return 0;
	classes = (*jni)->FindClass(jni, "java/lang/Class");
	if (has_thrown(jni) || !classes)
		return -1;
	tracker.classes = (*jni)->NewGlobalRef(jni, classes);
	(*jni)->DeleteLocalRef(jni, classes);
	tracker.for_name =
		(*jni)->GetStaticMethodID(jni, tracker.classes, "forName",
					  "(Ljava/lang/String;ZLjava/lang/"
					  "ClassLoader;)Ljava/lang/Class;");
	return has_thrown(jni) || !tracker.for_name ? -1 : 0;
}

static enum tracker_layout find_layout(jvmtiEnv *jvmti)
{
	jint number = 0;

	(*jvmti)->GetVersionNumber(jvmti, &number);
	number &= JVMTI_VERSION_MASK_MAJOR;
	number >>= JVMTI_VERSION_SHIFT_MAJOR;
	return number >= HOLDER_SINCE  ? TRACKER_IN_HOLDER
	       : number == NUMBER_OF_8 ? TRACKER_IN_THREAD_8
				       : TRACKER_IN_THREAD;
}

int tracker_begin(jvmtiEnv *jvmti, JNIEnv *jni, int stands_by)
{
	struct arena arena = { 0 };
	const struct classfile_caller caller = { &arena, arena_memory, NULL,
						 NULL };
	int err;

	tracker.layout = find_layout(jvmti);
	tracker.stands_by = stands_by;
	atomic_store(&tracker.is_over, 0);
	err = define_natives(jni, &caller);
	if (!err)
		err = define_tracker(jni, &caller);
	if (!err)
		err = find_for_name(jni);
	arena_fini(&arena);
	return err;
}

int tracker_is_found(JNIEnv *jni, jobject loader)
{
	char dotted[NAME_BYTES];
	jstring name;
	jobject found = NULL;
	int is;

	for (size_t i = 0; i < NAME_BYTES; i++)
		dotted[i] = tracker.name[i] == '/' ? '.' : tracker.name[i];
	name = (*jni)->NewStringUTF(jni, dotted);
	if (name)
		found = (*jni)->CallStaticObjectMethod(jni, tracker.classes,
						       tracker.for_name, name,
						       JNI_FALSE, loader);
	is = !has_thrown(jni) &&
	     (*jni)->IsSameObject(jni, found, tracker.class);
	(*jni)->DeleteLocalRef(jni, found);
	(*jni)->DeleteLocalRef(jni, name);
	return is;
}

int tracker_switch(JNIEnv *jni, int is_on)
{
	const jfieldID state = (*jni)->GetStaticFieldID(jni, tracker.class,
							STANDBY_FIELD, "I");

	if (has_thrown(jni) || !state)
		return -ENOENT;
	(*jni)->SetStaticIntField(jni, tracker.class, state,
				  is_on ? STANDBY_ON : STANDBY_OFF);
	return 0;
}

/* ---- End ---- */

int tracker_makes(const char *class_name, const struct classfile_caller *caller,
		  struct classfile_result *result)
{
	return atomic_load(&tracker.is_over) &&
	       same_text(class_name, tracker.name) && make(caller, 1, result);
}

static int is_ours(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method)
{
	jclass class = NULL;
	int is;

	if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class))
		return 0;
	is = (*jni)->IsSameObject(jni, class, tracker.class) ||
	     (*jni)->IsSameObject(jni, class, tracker.natives);
	(*jni)->DeleteLocalRef(jni, class);
	return is;
}

static int any_is_inside(jvmtiEnv *jvmti, JNIEnv *jni)
{
	jvmtiStackInfo *stacks;
	jint count;
	int is = 0;

	if ((*jvmti)->GetAllStackTraces(jvmti, INNERMOST, &stacks, &count))
		return 0;
	for (jint i = 0; i < count; i++) {
		for (jint k = 0; k < stacks[i].frame_count && !is; k++)
			is = is_ours(jvmti, jni,
				     stacks[i].frame_buffer[k].method);
		(*jni)->DeleteLocalRef(jni, stacks[i].thread);
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)stacks);
	return is;
}

int tracker_end(jvmtiEnv *jvmti, JNIEnv *jni)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	int err = 0;

	if (!tracker.class)
		return 0;
	atomic_store(&tracker.is_over, 1);
	if ((*jvmti)->RetransformClasses(jvmti, 1, &tracker.class))
		return -EBUSY;
	for (int i = 0; !err && any_is_inside(jvmti, jni); i++) {
		sys_call(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
		err = i == PATIENCE_MS ? -EBUSY : 0;
	}
	if (err)
		return err;
	(*jni)->DeleteGlobalRef(jni, tracker.class);
	tracker.class = NULL;
	return 0;
}
