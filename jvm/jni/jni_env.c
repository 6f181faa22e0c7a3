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
	int has_begun; /* the table of an attached JVM is replaced */
	/* addresses of the stubs' entries; 0 for a function without a stub */
	uint64_t entries[JNI_FUNCTIONS_MAX];
	/*
	 * Addresses of the functions that the stubs call; each stub reads its
	 * cell.
	 */
	uint64_t cells[JNI_FUNCTIONS_MAX];
	/* The functions that a session has replaced; 0 for others. */
	uint64_t replaced[JNI_FUNCTIONS_MAX];
} table;

/* Where the jumps lead; 0 before the first session. Used by jni_jumps.S. */
_Atomic uint64_t jni_targets[JNI_FUNCTIONS_MAX];

extern const char jni_jumps[];

static uint64_t jump_at(uint32_t place)
{
	return (uintptr_t)jni_jumps + place * JNI_JUMP_BYTES;
}

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

static int make_stub(uint32_t place, uint8_t *stub)
{
	const struct stub_constants constants = {
		.tls_offset = stub_tls_offset(),
		.counted = STUB_IS_OPEN,
	};
	const uint32_t number = number_of(jni_function_names[place]);

	if (!number)
		return -ENOSPC;
	stub_write_through(&constants, number, &table.cells[place], stub);
	table.entries[place] = (uintptr_t)stub + stub_entry_at();
	return 0;
}

static int make_stubs(const struct window_user *user, struct windows *windows)
{
	const uint64_t bytes = JNI_FUNCTIONS_MAX * stub_bytes();
	uint8_t *stubs;
	int err;

	windows_turn_page(windows);
	err = window_alloc(windows, user, bytes, &stubs);
	for (uint32_t i = 0; i < JNI_FUNCTIONS_MAX && !err; i++)
		if (jni_function_names[i])
			err = make_stub(i, stubs + i * stub_bytes());
	if (!err)
		err = windows_seal(windows);
	if (!err)
		windows_note_loose(windows, (uintptr_t)stubs, bytes);
	return err;
}

/*
 * If the stubs exist already, for an earlier JVM of this process, this does
 * nothing.
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

void jni_env_forget(void)
{
	table.is_prepared = 0;
	fill_zero(table.entries, sizeof(table.entries));
}

/* ---- The table ---- */

/*
 * Returns whether another agent has replaced the function since an earlier
 * session: its function may call the jump, which would then call itself.
 */
static int is_of_another(const void *function, uint32_t place)
{
	const uint64_t former = atomic_load(&jni_targets[place]);

	return former && former != (uintptr_t)function;
}

static void *lead_to_stub(uint32_t place)
{
	if (!rt.is_late)
		return (void *)table.entries[place];
	atomic_store(&jni_targets[place], table.entries[place]);
	return (void *)jump_at(place);
}

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

		if (!functions[i] || !table.entries[i] ||
		    is_of_another(functions[i], i))
			continue;
		table.cells[i] = (uintptr_t)(watcher ? watcher : functions[i]);
		table.replaced[i] = (uintptr_t)functions[i];
		functions[i] = lead_to_stub(i);
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
	table.has_begun = rt.is_late;
	set_status((*jvmti)->SetJNIFunctionTable(jvmti, functions)
			   ? WIRE_JNI_REFUSED
			   : WIRE_JNI_WATCHED);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)functions);
}

/* ---- Detaching ---- */

void jni_env_abandon(void)
{
	for (uint32_t i = 0; i < JNI_FUNCTIONS_MAX && table.has_begun; i++)
		if (table.replaced[i])
			atomic_store(&jni_targets[i], table.replaced[i]);
	table.has_begun = 0;
	jni_notes_end();
}

static void restore(void **functions)
{
	for (uint32_t i = 0; i < JNI_FUNCTIONS_MAX; i++)
		if (table.replaced[i] &&
		    functions[i] == (const void *)jump_at(i))
			functions[i] = (void *)table.replaced[i];
}

void jni_env_end(jvmtiEnv *jvmti)
{
	jniNativeInterface *functions;

	if (table.has_begun &&
	    !(*jvmti)->GetJNIFunctionTable(jvmti, &functions)) {
		restore((void **)functions);
		(*jvmti)->SetJNIFunctionTable(jvmti, functions);
		(*jvmti)->Deallocate(jvmti, (unsigned char *)functions);
	}
	jni_env_abandon();
}
