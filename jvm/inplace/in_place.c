/* SPDX-License-Identifier: MIT */
/* See in_place.h. */
#include "jvm/inplace/in_place.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "image/arena.h"
#include "jvm/exact/java_selection.h"
#include "jvm/exact/java_tracked.h"
#include "jvm/exact/virtual_threads.h"
#include "jvm/inplace/compiled_shape.h"
#include "jvm/inplace/in_place_methods.h"
#include "jvm/jvmti/asked_method.h"
#include "jvm/jvmti/environment.h"
#include "jvm/jvmti/java_context.h"
#include "jvm/jvmti/java_exceptions.h"
#include "jvm/jvmti/line_tables.h"
#include "jvm/jvmti/own_loaders.h"
#include "jvm/jvmti/stopped_jvm.h"
#include "jvm/natives/bridges.h"
#include "jvm/natives/compiled_methods.h"
#include "preload/host/config.h"
#include "preload/hot/runtime.h"
#include "preload/hot/switch.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/lock.h"
#include "preload/sys/sys.h"

#define NAME_BYTES JAVA_SELECTION_NAME_BYTES
/*
 * After clew's thread has stopped all Java threads, it waits REST times as long
 * as the stop took, within these limits.
 */
#define REST          19
#define REST_MOST_NS  UINT64_C(200000000)
#define REST_LEAST_NS UINT64_C(1000000)
#define PATIENCE_MS   10000

static struct {
	JavaVM *vm;
	jvmtiEnv *jvmti;        /* NULL if nothing is counted in place */
	_Atomic int is_there;   /* whether new methods are accepted */
	_Atomic int is_over;    /* requests that clew's thread ends */
	_Atomic int is_working; /* whether clew's thread exists */
	_Atomic int is_virtual; /* whether a virtual thread exists */
	/* Number of requests to clew's thread, which waits for a change. */
	_Atomic uint32_t asked;
	struct lock lock; /* protects the decoder */
	struct decoder decoder;
	struct arena decoders;
} place;

int in_place_is_wanted(void)
{
	return rt.config->java == CONFIG_JAVA_IN_PLACE;
}

/* ---- Compiled methods ---- */

static struct tracked_method tracked(const struct asked_method *asked)
{
	/*
	 * The class's name is "Ljava/lang/String;"; the L and the ; are
	 * omitted.
	 */
	return (struct tracked_method){
		{ asked->class_name + 1,
		  (uint32_t)strlen(asked->class_name) - 2 },
		{ asked->name, (uint32_t)strlen(asked->name) },
		{ asked->signature, (uint32_t)strlen(asked->signature) },
		{ "", 0 }, /* begins_at() sets the source file */
		0,
	};
}

static int is_meant(jvmtiEnv *jvmti, JNIEnv *jni,
		    const struct asked_method *asked)
{
	const struct tracked_method its = tracked(asked);
	char class_name[NAME_BYTES], name[NAME_BYTES];
	jobject loader = NULL;
	int is;

	if ((*jvmti)->GetClassLoader(jvmti, asked->class, &loader))
		return 0;
	java_selection_dotted(class_name, its.class_name.text,
			      its.class_name.bytes);
	java_selection_dotted(name, its.name.text, its.name.bytes);
	is = java_selection_has(class_name, name,
				own_loaders_have(jni, loader));
	if (loader)
		(*jni)->DeleteLocalRef(jni, loader);
	return is;
}

/*
 * Sets the method's first line and source file, which the JVM returns. The
 * result is the file's name, or NULL; the caller frees it by Deallocate() after
 * the last use of `its`.
 */
static char *begins_at(jvmtiEnv *jvmti, jmethodID id,
		       const struct asked_method *asked,
		       struct tracked_method *its)
{
	char *file;

	its->line = line_tables_beginning(jvmti, id, asked->class, &file);
	if (file)
		its->source =
			(struct tracked_name){ file, (uint32_t)strlen(file) };
	return file;
}

/*
 * Finds entry and exits in a copy of the code, because the JVM may change the
 * code meanwhile. The change is noticed before the jumps are written
 * (is_as_read() in in_place_methods.c). Returns 0 or -errno.
 */
static int read_shape(const struct compiled_method *method, uint32_t bytes,
		      struct compiled_shape *shape)
{
	struct arena scratch = { 0 };
	uint8_t *code = arena_alloc(&scratch, bytes + 1);
	int err = code ? 0 : -ENOMEM;
	uint64_t signals;

	if (!err) {
		copy_bytes(code, (const void *)(uintptr_t)method->code, bytes);
		lock_acquire(&place.lock, &signals);
		err = compiled_shape_read(
			&place.decoder, &scratch, code, bytes,
			(uint32_t)(method->verified - method->code), shape);
		lock_release(&place.lock, &signals);
	}
	arena_fini(&scratch);
	return err;
}

static void request_stop(void)
{
	atomic_fetch_add(&place.asked, 1);
	sys_call(SYS_futex, (long)&place.asked, LOCK_FUTEX_WAKE, INT32_MAX, 0,
		 0, 0);
}

static void take(const struct compiled_method *method, uint32_t bytes,
		 const struct tracked_method *its)
{
	struct compiled_shape shape;
	int err = read_shape(method, bytes, &shape);

	if (!err) {
		const uint32_t number = java_tracked_number(its, 0);

		err = number ? in_place_methods_add(method, number, &shape)
			     : -ENOMEM;
	}
	if (!err)
		request_stop();
	else if (err != -ENOENT && !in_place_methods_have(method))
		java_tracked_skip(its, err == -ENOMEM ? WIRE_JAVA_ROOM
						      : WIRE_JAVA_SHAPE);
}

static void see(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID id, uint32_t bytes,
		uint64_t start)
{
	struct compiled_method method;
	struct asked_method asked;

	if (compiled_methods_find(start, &method) || method.is_entered_midway ||
	    method.verified - start >= bytes ||
	    in_place_methods_have(&method)) /* the JVM has reported it before */
		return;
	if (asked_method_ask(jvmti, id, &asked) &&
	    is_meant(jvmti, jni, &asked)) {
		struct tracked_method its = tracked(&asked);
		char *file = begins_at(jvmti, id, &asked, &its);

		take(&method, bytes, &its);
		(*jvmti)->Deallocate(jvmti, (unsigned char *)file);
	}
	asked_method_give_back(jvmti, jni, &asked);
}

static void JNICALL is_compiled(jvmtiEnv *jvmti, jmethodID method, jint bytes,
				const void *start, jint map_count,
				const jvmtiAddrLocationMap *map,
				const void *inlined)
{
	const uint32_t muted = switch_mute(HOT_MUTED_OWN);
	const int saved_errno = errno;
	JNIEnv *jni = NULL;

	if (atomic_load(&place.is_there) &&
	    !(*place.vm)->GetEnv(place.vm, (void **)&jni, JNI_VERSION_1_8))
		see(jvmti, jni, method, (uint32_t)bytes, (uintptr_t)start);
	errno = saved_errno;
	switch_unmute(muted);
}

/* ---- clew's thread, which stops all Java threads ---- */

static void sleep_ns(uint64_t ns)
{
	const struct timespec time = {
		.tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000),
	};

	sys_call(SYS_nanosleep, (long)&time, 0, 0, 0, 0, 0);
}

static uint64_t rest_after(uint64_t stopped_ns)
{
	const uint64_t rest = REST * stopped_ns;

	if (rest < REST_LEAST_NS)
		return REST_LEAST_NS;
	return rest > REST_MOST_NS ? REST_MOST_NS : rest;
}

static void write_waiting(void)
{
	const uint64_t begun = sys_clock_ns(CLOCK_MONOTONIC);

	stopped_jvm_do(place.jvmti, in_place_methods_write);
	sleep_ns(rest_after(sys_clock_ns(CLOCK_MONOTONIC) - begun));
}

/*
 * Ends counting once a virtual thread exists, because its frames move between
 * stacks. Restores all code.
 */
static void give_up(void)
{
	atomic_store(&place.is_there, 0);
	stopped_jvm_do(place.jvmti, in_place_methods_restore);
	atomic_store(&rt.header->java, WIRE_JAVA_VIRTUAL);
}

/*
 * Does the work that is requested, or waits for a request. Reads place.asked
 * first: a request changes the other variables before it changes place.asked,
 * so none is missed.
 */
static void check(void)
{
	const uint32_t asked = atomic_load(&place.asked);

	if (atomic_load(&place.is_over))
		return;
	if (atomic_load(&place.is_virtual) && atomic_load(&place.is_there))
		give_up();
	else if (in_place_methods_wait())
		write_waiting();
	else
		sys_call(SYS_futex, (long)&place.asked, LOCK_FUTEX_WAIT, asked,
			 0, 0, 0);
}

static void JNICALL work(jvmtiEnv *jvmti, JNIEnv *jni, void *context)
{
	switch_mute(HOT_MUTED_OWN);
	while (!atomic_load(&place.is_over))
		check();
	atomic_store(&place.is_working, 0);
}

static int start_working(jvmtiEnv *jvmti, JNIEnv *jni)
{
	const jclass threads = (*jni)->FindClass(jni, "java/lang/Thread");
	const jmethodID make =
		threads ? (*jni)->GetMethodID(jni, threads, "<init>",
					      "(Ljava/lang/String;)V")
			: NULL;
	const jstring name = make ? (*jni)->NewStringUTF(jni, "clew") : NULL;
	const jobject thread =
		name ? (*jni)->NewObject(jni, threads, make, name) : NULL;

	if (has_thrown(jni) || !thread)
		return -1;
	atomic_store(&place.is_working, 1);
	if (!(*jvmti)->RunAgentThread(jvmti, thread, work, NULL,
				      JVMTI_THREAD_NORM_PRIORITY))
		return 0;
	atomic_store(&place.is_working, 0);
	return -1;
}

/* ---- Start ---- */

static void JNICALL is_mounted(jvmtiEnv *jvmti, ...)
{
	if (atomic_exchange(&place.is_virtual, 1))
		return;
	request_stop();
}

static int hear_of_virtual_threads(jvmtiEnv *jvmti)
{
	return virtual_threads_are_there(jvmti)
		       ? virtual_threads_hear_mounts(jvmti, is_mounted)
		       : 0;
}

static void refuse(void)
{
	atomic_store(&rt.header->java, WIRE_JAVA_UNSHAPED);
}

/*
 * Starts counting in a JVM that runs. Returns 0, or -1 if this JVM is not
 * supported or memory is short.
 */
static int begin(JNIEnv *jni)
{
	jvmtiEnv *jvmti = place.jvmti;

	atomic_store(&place.is_over, 0);
	atomic_store(&place.is_virtual, 0);
	if (compiled_methods_learn((uintptr_t)(*place.vm)->GetEnv) ||
	    own_loaders_find(jni) || in_place_methods_begin())
		return -1;
	if (!place.decoder.scan &&
	    decoder_open(&place.decoder, arena_memory, &place.decoders))
		return -1;
	if (hear_of_virtual_threads(jvmti))
		return -1;
	rt.slotless_function = java_context_method;
	bridges_yield();
	atomic_store(&place.is_there, 1);
	(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD);
	stopped_jvm_do(jvmti, in_place_methods_write);
	if (start_working(jvmti, jni))
		return -1;
	atomic_store(&rt.header->java, WIRE_JAVA_IN_PLACE);
	return 0;
}

static void JNICALL is_ready(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	const uint32_t muted = switch_mute(HOT_MUTED_OWN);
	const int saved_errno = errno;

	if (begin(jni)) {
		in_place_end();
		refuse();
	}
	errno = saved_errno;
	switch_unmute(muted);
}

/*
 * Called when the JVM begins to exit: from now on clew must not stop Java
 * threads.
 */
static void JNICALL is_dying(jvmtiEnv *jvmti, JNIEnv *jni)
{
	atomic_store(&place.is_over, 1);
	request_stop();
}

static int make_environment(JavaVM *vm)
{
	static const jvmtiEventCallbacks callbacks = {
		.VMInit = is_ready,
		.VMDeath = is_dying,
		.CompiledMethodLoad = is_compiled,
	};
	static const jvmtiEvent events[] = {
		JVMTI_EVENT_VM_INIT,
		JVMTI_EVENT_VM_DEATH,
		JVMTI_EVENT_COMPILED_METHOD_LOAD,
	};
	jvmtiCapabilities wanted = {
		.can_generate_compiled_method_load_events = 1,
		.can_tag_objects = 1,
	};
	jvmtiEnv *jvmti;

	if (java_selection_begin(rt.config->java_methods))
		return -1;
	jvmti = environment_open(vm);
	if (!jvmti)
		return -1;
	place.vm = vm;
	place.jvmti = jvmti;
	if (virtual_threads_are_there(jvmti))
		virtual_threads_want(&wanted);
	line_tables_begin(jvmti);
	if ((*jvmti)->AddCapabilities(jvmti, &wanted) ||
	    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)))
		return -1;
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
						       events[i], NULL))
			return -1;
	return 0;
}

void in_place_prepare(JavaVM *vm)
{
	if (make_environment(vm))
		refuse();
}

void in_place_begin_late(JavaVM *vm, JNIEnv *jni)
{
	if (!make_environment(vm) && !begin(jni))
		return;
	in_place_end();
	refuse();
}

/* ---- End ---- */

static int wait_for_worker(void)
{
	atomic_store(&place.is_over, 1);
	request_stop();
	for (int i = 0; atomic_load(&place.is_working); i++) {
		if (i == PATIENCE_MS)
			return -EBUSY;
		sleep_ns(1000000);
	}
	return 0;
}

int in_place_end(void)
{
	int err;

	if (!place.jvmti)
		return 0;
	atomic_store(&place.is_there, 0);
	err = wait_for_worker();
	if (!err && stopped_jvm_do(place.jvmti, in_place_methods_restore))
		err = -EBUSY;
	if (err)
		return err;
	in_place_methods_end();
	(*place.jvmti)->DisposeEnvironment(place.jvmti);
	place.jvmti = NULL;
	return 0;
}
