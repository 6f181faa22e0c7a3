/* SPDX-License-Identifier: MIT */
/*
 * Rewrites classes when the JVM loads them. Classes that are already loaded
 * when clew begins are rewritten at once if --java selects them. In a JVM with
 * clew from its start, clew begins in VMInit. Classes of the JDK, of an AOT
 * cache and of other agents may have been loaded before. When clew detaches,
 * all classes are restored.
 */
#include "jvm/exact/java_exact.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "classfile/classfile.h"
#include "image/arena.h"
#include "jvm/exact/java_border.h"
#include "jvm/exact/java_selection.h"
#include "jvm/exact/java_tracked.h"
#include "jvm/exact/java_verify.h"
#include "jvm/exact/tracker.h"
#include "jvm/exact/tracker_natives.h"
#include "jvm/exact/tracker_standby.h"
#include "jvm/exact/virtual_threads.h"
#include "jvm/jvmti/daemon.h"
#include "jvm/jvmti/java_context.h"
#include "jvm/jvmti/loaded_classes.h"
#include "jvm/jvmti/own_loaders.h"
#include "jvm/natives/bridges.h"
#include "preload/host/config.h"
#include "preload/hot/runtime.h"
#include "preload/hot/switch.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/sys.h"
#include "wire/attachment.h"

#define NAME_BYTES JAVA_SELECTION_NAME_BYTES
#define CODE_LIMIT 8000 /* in bytes; HotSpot does not compile larger methods */

static struct {
	/* whether the tracker exists, so that methods may call it */
	int is_there;
	/* the JVM in standby, which runs in process `pid`, or NULL */
	JavaVM *vm;
	int pid;
	/* Set when clew detaches. Classes then get their own code again. */
	_Atomic int is_over;
} exact;

int java_exact_is_wanted(void)
{
	return rt.config->java == CONFIG_JAVA_EXACT || standby_is_wanted();
}

/* ---- Rewriting ---- */

/* A method that the patterns of --java exclude, for the recording's list. */
struct other_method {
	struct other_method *next;
	struct tracked_method method;
};

struct changed_class {
	struct arena arena;
	JNIEnv *jni;
	jobject loader;
	uint32_t muted; /* former state of the thread (switch_mute()) */
	int is_own;     /* whether it is a class of the JDK (own_loaders.h) */
	int is_meant;   /* whether some of its methods are selected */
	/*
	 * has_tracker: whether the class's loader finds the tracker. Known if
	 * is_asked.
	 */
	int is_asked;
	int has_tracker;
	struct other_method *others;
	char class_name[NAME_BYTES];
};

/*
 * An arena that is used for one class at a time and kept, so that the kernel
 * need not allocate memory for each class.
 */
static struct {
	atomic_flag is_taken;
	struct arena arena;
} spare;

/*
 * Lets the arena begin with the memory of the spare one and returns 1, or
 * returns 0 if another thread uses the spare one.
 */
static int begin_memory(struct arena *arena)
{
	if (atomic_flag_test_and_set(&spare.is_taken))
		return 0;
	*arena = spare.arena;
	return 1;
}

static void end_memory(struct arena *arena, int is_spare)
{
	if (!is_spare) {
		arena_fini(arena);
		return;
	}
	arena_clear(arena);
	spare.arena = *arena;
	atomic_flag_clear(&spare.is_taken);
}

static void give_back_memory(void)
{
	struct arena arena = { 0 };
	const int is_spare = begin_memory(&arena);

	arena_fini(&arena);
	end_memory(&arena, is_spare);
}

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
		{ method->source.text, method->source.length },
		method->line,
	};
}

/*
 * Adds a method to changed->others. If memory is short, the recording does not
 * list the method.
 */
static void note_other(struct changed_class *changed,
		       const struct tracked_method *method)
{
	struct other_method *other =
		arena_alloc(&changed->arena, sizeof(*other));

	if (!other)
		return;
	*other = (struct other_method){ changed->others, *method };
	changed->others = other;
}

/*
 * Returns whether the class's loader finds the tracker; if not, each call of a
 * rewritten method would throw an exception. Lets the loader search once for
 * each class. Calls in the Java code of the loader are counted, so counting is
 * not muted meanwhile.
 */
static int finds_tracker(struct changed_class *changed)
{
	if (changed->is_own)
		return 1;
	if (changed->is_asked)
		return changed->has_tracker;
	changed->is_asked = 1;
	switch_unmute(changed->muted);
	changed->has_tracker = tracker_is_found(changed->jni, changed->loader);
	changed->muted = switch_mute(HOT_MUTED_OWN);
	return changed->has_tracker;
}

static int64_t choose(void *context, const struct classfile_method *method)
{
	const struct tracked_method its = tracked(method);
	struct changed_class *changed = context;
	char name[NAME_BYTES];
	uint32_t number;

	java_selection_dotted(name, method->name.text, method->name.length);
	if (!java_selection_has(changed->class_name, name, changed->is_own)) {
		note_other(changed, &its);
		return -1;
	}
	changed->is_meant = 1;
	if (method->code_bytes < rt.config->java_min_size) {
		java_tracked_skip(&its, WIRE_JAVA_SMALL);
		return -1;
	}
	if (!finds_tracker(changed)) {
		java_tracked_skip(&its, WIRE_JAVA_LOADER);
		return -1;
	}
	number = java_tracked_number(&its, standby_is_wanted());
	if (!number)
		java_tracked_skip(&its, WIRE_JAVA_ROOM);
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

	java_tracked_skip(&its, reason_of(why));
}

static void skip_class(const char *name, size_t bytes, enum wire_java_left why)
{
	const struct tracked_method all = {
		.class_name = { name, (uint32_t)bytes },
		.name = { "*", 1 },
		.signature = { "", 0 },
	};

	java_tracked_skip(&all, why);
}

/*
 * Records what the patterns exclude in a class: the single methods, if other
 * methods of the class are selected; otherwise the whole class, unless it is
 * one of the JVM's own.
 */
static void skip_others(const char *name, const struct changed_class *changed)
{
	const struct other_method *other = changed->others;

	if (other && !changed->is_meant && !changed->is_own)
		skip_class(name, strlen(name), WIRE_JAVA_PATTERN);
	for (; other && changed->is_meant; other = other->next)
		java_tracked_skip(&other->method, WIRE_JAVA_PATTERN);
}

/*
 * Records that the tracker or the JVM needs this class unchanged, if a pattern
 * of the user may select the class.
 */
static void skip_needed(const char *name)
{
	char class_name[NAME_BYTES];

	java_selection_dotted(class_name, name, strlen(name));
	if (!atomic_load(&exact.is_over) && !tracker_class_is_clews(name) &&
	    java_selection_names_classes() &&
	    java_selection_may_have(class_name))
		skip_class(name, strlen(name), WIRE_JAVA_NEEDED);
}

/*
 * Stores the class file with calls of the tracker in *result, which stays empty
 * if the class keeps its code. While clew detaches, only the tracker itself
 * gets another class file, so that all other classes get their own code again.
 * Returns 0, or the reason why the class cannot be changed.
 */
static enum classfile_refusal rewrite(const char *name,
				      const unsigned char *data, jint bytes,
				      struct changed_class *changed,
				      struct classfile_result *result)
{
	struct classfile_tracker tracker = {
		.class_name = tracker_name(),
		.enter = { "enter", "(I)J" },
		.exit = { "exit", "(J)V" },
		.caught = { "caught", "(JI)V" },
		.rethrow = { "rethrow",
			     "(Ljava/lang/Throwable;)Ljava/lang/Throwable;" },
		.code_limit = CODE_LIMIT,
	};
	const struct classfile_caller caller = { changed, take, choose,
						 refuse };

	if (atomic_load(&exact.is_over)) {
		tracker_makes(name, &caller, result);
		return CLASSFILE_DONE;
	}
	if (java_selection_is_needed(name)) {
		skip_needed(name);
		return CLASSFILE_DONE;
	}
	if (changed->is_own && !java_selection_names_classes())
		return CLASSFILE_DONE;
	java_selection_dotted(changed->class_name, name, strlen(name));
	/*
	 * methods test the switch of standby before they call
	 * (tracker_standby.c)
	 */
	if (standby_is_wanted()) {
		tracker.gate = STANDBY_FIELD;
		tracker.catching =
			(struct classfile_call){ "catching", "(II)J" };
		tracker.caught = (struct classfile_call){ "caught", "(JII)V" };
		tracker.leave = (struct classfile_call){ "leave", "(J)V" };
		tracker.thrown = (struct classfile_call){ "thrown", "(J)V" };
	}
	return classfile_rewrite(data, (size_t)bytes, &tracker, &caller,
				 result);
}

/*
 * Passes the rewritten class file to the JVM. Returns -1 if the JVM has no
 * memory.
 */
static int hand_over(jvmtiEnv *jvmti, const struct classfile_result *result,
		     jint *new_bytes, unsigned char **new_data)
{
	if ((*jvmti)->Allocate(jvmti, (jlong)result->bytes, new_data))
		return -1;
	copy_bytes(*new_data, result->data, result->bytes);
	*new_bytes = (jint)result->bytes;
	return 0;
}

/* ---- Events ---- */

static void JNICALL is_loaded(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined,
			      jobject loader, const char *name, jobject domain,
			      jint bytes, const unsigned char *data,
			      jint *new_bytes, unsigned char **new_data)
{
	struct changed_class changed = { .jni = jni,
					 .loader = loader,
					 .muted = switch_mute(HOT_MUTED_OWN) };
	struct classfile_result result = { NULL, 0, 0 };
	const int saved_errno = errno;

	changed.is_own = own_loaders_have(jni, loader);
	if (name) {
		const int is_spare = begin_memory(&changed.arena);
		const enum classfile_refusal why =
			rewrite(name, data, bytes, &changed, &result);

		if (why)
			skip_class(name, strlen(name), reason_of(why));
		skip_others(name, &changed);
		if (result.data &&
		    hand_over(jvmti, &result, new_bytes, new_data))
			skip_class(name, strlen(name), WIRE_JAVA_ROOM);
		end_memory(&changed.arena, is_spare);
	}
	errno = saved_errno;
	switch_unmute(changed.muted);
}

static void JNICALL thread_ends(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	jint frames = 0;

	/*
	 * System.exit() ends the calling thread while Java methods are active.
	 */
	if (!(*jvmti)->GetFrameCount(jvmti, thread, &frames) && frames == 0)
		tracker_natives_end_thread();
}

/* ---- Start ---- */

int java_exact_avoids_archive(void)
{
	return java_exact_is_wanted() &&
	       !java_selection_begin(rt.config->java_methods) &&
	       java_selection_names_classes();
}

int java_exact_prepare(jvmtiEnv *jvmti, jvmtiEventCallbacks *callbacks)
{
	jvmtiCapabilities wanted = {
		.can_generate_all_class_hook_events = 1,
		.can_retransform_classes = 1,
		.can_retransform_any_class = 1,
		.can_get_bytecodes = 1,
	};

	if (virtual_threads_are_there(jvmti))
		virtual_threads_want(&wanted);
	if (java_selection_begin(rt.config->java_methods) ||
	    (*jvmti)->AddCapabilities(jvmti, &wanted))
		return -1;
	callbacks->ClassFileLoadHook = is_loaded;
	callbacks->ThreadEnd = thread_ends;
	return 0;
}

/*
 * Called by loaded_classes_change(). Returns whether to change a class that is
 * loaded already.
 */
static int is_meant(JNIEnv *jni, jobject loader, const char *name)
{
	char class_name[NAME_BYTES];

	if (java_selection_is_needed(name)) {
		skip_needed(name);
		return 0;
	}
	java_selection_dotted(class_name, name, strlen(name));
	return java_selection_names_classes()
		       ? java_selection_may_have(class_name)
		       : !own_loaders_have(jni, loader);
}

static void is_refused(const char *name, size_t bytes)
{
	if (!atomic_load(&exact.is_over))
		skip_class(name, bytes, WIRE_JAVA_MACHINE);
}

static const struct loaded_classes_asker asker = { is_meant, is_refused };

static int enable(jvmtiEnv *jvmti, jvmtiEvent event)
{
	return !(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, event,
						   NULL);
}

/*
 * Stores the JVM for java_exact_switch(), and notifies the controller that
 * counting can be switched.
 */
static void stand_by(JNIEnv *jni)
{
	exact.pid = sys_getpid();
	if (!(*jni)->GetJavaVM(jni, &exact.vm) && rt.runtimes)
		atomic_store(rt.runtimes, WIRE_RUNTIMES_FOUND);
}

void java_exact_begin(jvmtiEnv *jvmti, JNIEnv *jni)
{
	rt.slotless_function = java_context_method;
	atomic_store(&exact.is_over, 0);
	if ((virtual_threads_are_there(jvmti) &&
	     (java_border_learn(jvmti, jni) || virtual_threads_hear(jvmti))) ||
	    own_loaders_find(jni) ||
	    tracker_begin(jvmti, jni, standby_is_wanted()) ||
	    !enable(jvmti, JVMTI_EVENT_THREAD_END) ||
	    !enable(jvmti, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK)) {
		atomic_store(&rt.header->java, WIRE_JAVA_INEXACT);
		return;
	}
	exact.is_there = 1;
	java_verify_begin(jvmti);
	if (standby_is_wanted())
		stand_by(jni);
	loaded_classes_change(jvmti, jni, &asker);
}

/* ---- Standby ---- */

/*
 * Calls bridges_yield(), because once Java methods are in contexts by
 * themselves, bridges must not enter them a second time.
 */
int java_exact_switch(int is_on)
{
	JNIEnv *jni;
	int err;

	if (!exact.vm || exact.pid != sys_getpid())
		return -ENOENT;
	jni = daemon_attach(exact.vm);
	if (!jni)
		return -EBUSY;
	if (is_on)
		bridges_yield();
	err = tracker_switch(jni, is_on);
	(*exact.vm)->DetachCurrentThread(exact.vm);
	return err;
}

/* ---- End ---- */

/*
 * Rewritten methods that are still running, and classes that are rewritten at
 * this moment but loaded later, go on calling a tracker, which then counts
 * nothing.
 */
int java_exact_end(jvmtiEnv *jvmti, JNIEnv *jni)
{
	int err;

	if (!exact.is_there)
		return 0;
	java_verify_begin(NULL);
	if (!atomic_exchange(&exact.is_over, 1))
		loaded_classes_change(jvmti, jni, &asker);
	give_back_memory();
	err = tracker_end(jvmti, jni);
	if (!err)
		exact.is_there = 0;
	return err;
}
