/* SPDX-License-Identifier: MIT */
/* See jni_env.h. */
#include "jvm/jni/jni_env.h"

#include <errno.h>
#include <string.h>

#include "jvm/jni/jni_globals.h"
#include "jvm/jni/jni_notes.h"
#include "jvm/jni/jni_watch.h"
#include "preload/hot/runtime.h"
#include "preload/record/recorder.h"
#include "preload/stubs/stub_write.h"
#include "preload/sys/copy_bytes.h"

static struct {
	int is_prepared;
	/* addresses of the stubs' entries; 0 for a function without a stub */
	uint64_t entries[JNI_FUNCTIONS_MAX];
	/*
	 * Addresses of the functions that the stubs call; each stub reads its
	 * cell.
	 */
	uint64_t cells[JNI_FUNCTIONS_MAX];
} table;

static void set_status(enum wire_jni how)
{
	atomic_store(&rt.header->jni, how);
}

/* ---- Stubs ---- */

static uint32_t number_of(const char *name)
{
	return function_names_add(&rt.recorder->names, &rt.recorder->part,
				  WIRE_RANGE_JNI, name, strlen(name));
}

static int make_stub(const struct window_user *user, struct windows *windows,
		     uint32_t place)
{
	const struct stub_constants constants = {
		.tls_offset = stub_tls_offset(),
		.counted = STUB_IS_OPEN,
	};
	const uint32_t number = number_of(jni_function_names[place]);
	uint8_t *stub;
	int err = number ? window_alloc(windows, user, stub_bytes(), &stub)
			 : -ENOSPC;

	if (err)
		return err;
	stub_write_through(&constants, number, &table.cells[place], stub);
	table.entries[place] = (uintptr_t)stub + stub_entry_at();
	return 0;
}

static int make_stubs(const struct window_user *user, struct windows *windows)
{
	for (uint32_t i = 0; i < JNI_FUNCTIONS_MAX; i++) {
		int err =
			jni_function_names[i] ? make_stub(user, windows, i) : 0;

		if (err)
			return err;
	}
	return windows_seal(windows);
}

/*
 * The stubs are never freed. If they exist already, for an earlier JVM, this
 * does nothing.
 */
void jni_env_prepare(const struct module *machine, struct windows *windows)
{
	const struct window_user user = module_user(machine);

	if (table.is_prepared)
		return;
	if (make_stubs(&user, windows) || jni_notes_begin() ||
	    jni_threads_begin() || jni_globals_begin()) {
		set_status(WIRE_JNI_ROOM);
		return;
	}
	table.is_prepared = 1;
}

/* ---- The table ---- */

/*
 * Replaces the functions in a copy of the JVM's table by the entries of stubs.
 * The table of this version of the JVM has `count` places.
 */
static void exchange(void **functions, uint32_t count)
{
	static jni_watchers watchers;

	copy_bytes(&jni_real, functions,
		   count * sizeof(void *) < sizeof(jni_real)
			   ? count * sizeof(void *)
			   : sizeof(jni_real));
	jni_lookups_watch(watchers);
	jni_copies_watch(watchers);
	jni_references_watch(watchers);
	for (uint32_t i = 0; i < count; i++) {
		void *watcher = watchers[i];

		if (!functions[i] || !table.entries[i])
			continue;
		table.cells[i] = (uintptr_t)(watcher ? watcher : functions[i]);
		functions[i] = (void *)table.entries[i];
	}
}

void jni_env_begin(jvmtiEnv *jvmti, JNIEnv *jni)
{
	jniNativeInterface *functions;

	if (!table.is_prepared)
		return;
	if ((*jvmti)->GetJNIFunctionTable(jvmti, &functions)) {
		set_status(WIRE_JNI_REFUSED);
		return;
	}
	jni_threads_learn((uintptr_t)functions->GetVersion, jni);
	exchange((void **)functions,
		 jni_function_count((*jni)->GetVersion(jni)));
	set_status((*jvmti)->SetJNIFunctionTable(jvmti, functions)
			   ? WIRE_JNI_REFUSED
			   : WIRE_JNI_WATCHED);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)functions);
}
