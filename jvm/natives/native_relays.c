/* SPDX-License-Identifier: MIT */
/* See native_relays.h. */
#include "jvm/natives/native_relays.h"

#include <string.h>

#include "preload/hot/large_table.h"
#include "preload/hot/runtime.h"
#include "preload/patch/relay.h"
#include "preload/record/recorder.h"
#include "preload/stubs/stub_write.h"
#include "preload/sys/lock.h"
#include "preload/sys/sys.h"

/*
 * Number of relays. A JDK has natives for about half of them, without those for
 * graphics.
 */
#define RELAYS_MAX 2048

/*
 * Once a relay has the number and name of a method, it keeps them until
 * native_relays_forget(), also if the method is bound again.
 */
static struct {
	struct lock lock; /* taken before the lock of the names */
	uint64_t first_entry;
	uint32_t first_number;
	uint32_t count; /* number of relays; 0 if there are none */
	uint32_t used;
	/* the JVM's identifiers of the methods that have the relays */
	const void *methods[RELAYS_MAX];
} relays LARGE_TABLE;

void native_relays_make(const struct module *machine, struct windows *windows)
{
	struct recorder *recorder = rt.recorder;
	uint32_t left = 0, first;
	uint64_t entry;

	if (relays.count)
		return;
	first = function_names_next(&recorder->names, &recorder->part,
				    WIRE_RANGE_JAVA_NATIVE, &left);
	if (!first || left < RELAYS_MAX ||
	    relay_make(windows, machine, first, RELAYS_MAX, &entry))
		return;
	relays.first_entry = entry;
	relays.first_number = first;
	relays.count = RELAYS_MAX;
}

void native_relays_forget(void)
{
	relays.count = relays.used = 0;
}

/*
 * Gives the next relay to a method. Names get consecutive numbers, so the
 * number of the method's name determines its relay. Returns 0 without room.
 */
static int take(const void *id, const struct java_method *method)
{
	const struct name_text texts[] = {
		{ method->class, strlen(method->class) },
		{ method->name, strlen(method->name) },
		{ method->signature, strlen(method->signature) },
	};
	struct recorder *recorder = rt.recorder;

	if (relays.used == relays.count ||
	    function_names_add_method(&recorder->names, &recorder->part,
				      WIRE_RANGE_JAVA_NATIVE, texts,
				      WIRE_JAVA_NAMED) !=
		    relays.first_number + relays.used)
		return 0;
	relays.methods[relays.used++] = id;
	return 1;
}

static int find(const void *id, const struct java_method *method,
		uint32_t *index)
{
	uint64_t signals;
	int is_there;

	lock_acquire(&relays.lock, &signals);
	*index = 0;
	while (*index < relays.used && relays.methods[*index] != id)
		(*index)++;
	is_there = *index < relays.used || take(id, method);
	lock_release(&relays.lock, &signals);
	return is_there;
}

int native_relays_find(uint64_t pc, const void *id,
		       const struct java_method *method,
		       struct native_relay *out)
{
	uint32_t index;

	if (relay_is_needless(pc))
		return 0;
	if (!find(id, method, &index)) {
		atomic_fetch_add(&rt.header->relayless_natives, 1);
		return 0;
	}
	*out = (struct native_relay){
		.entry = relays.first_entry + index * stub_bytes(),
		.number = relays.first_number + index,
	};
	return 1;
}
