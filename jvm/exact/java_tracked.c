/* SPDX-License-Identifier: MIT */
/* See java_tracked.h. */
#include "jvm/exact/java_tracked.h"

#include <string.h>

#include "preload/hot/runtime.h"
#include "preload/record/recorder.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/lock.h"
#include "preload/sys/sys.h"

#define ROOM_LEAST 4096

/*
 * A method with a number. `hash` is computed from the method's names and from
 * whether the method counts. If `hash` is 0, the slot is free.
 */
struct tracked {
	uint64_t hash;
	uint32_t number;
	uint32_t is_constructor;
};

static struct {
	/* Held before the lock of recorder->names is taken, never after. */
	struct lock lock;
	struct tracked *table;
	/* number of slots, a power of two; 0 if there is no table */
	uint32_t room;
	uint32_t used;
} tracked;

/* ---- Names ---- */

static uint64_t mix(uint64_t hash, const struct tracked_name *name)
{
	for (uint32_t i = 0; i < name->bytes; i++)
		hash = (hash ^ (uint8_t)name->text[i]) *
		       UINT64_C(0x100000001b3);
	/* 0xff, which no name contains, separates the names. */
	return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

static int counts_calls(enum wire_java_left why)
{
	return why == WIRE_JAVA_COUNTS || why == WIRE_JAVA_STANDS_BY;
}

/*
 * Returns the hash (FNV-1a) of a method's names and of is_left, which is 1 for
 * methods that are not changed.
 */
static uint64_t hash_of(const struct tracked_method *method, int is_left)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) + (uint64_t)is_left;

	hash = mix(hash, &method->class_name);
	hash = mix(hash, &method->name);
	hash = mix(hash, &method->signature);
	return hash ? hash : 1;
}

/* Writes the class as a type signature, cut if it exceeds the room. */
static size_t put_class(char *to, size_t room, const struct tracked_name *name)
{
	const size_t bytes = name->bytes < room - 2 ? name->bytes : room - 2;

	to[0] = 'L';
	copy_bytes(to + 1, name->text, bytes);
	to[bytes + 1] = ';';
	return bytes + 2;
}

/*
 * Records a method's name, and whether the method counts, or why it does not.
 * Returns the number of the name, or 0 without room.
 */
static uint32_t record(const struct tracked_method *method,
		       enum wire_java_left why)
{
	char class_name[WIRE_NAME_BYTES_MAX];
	const struct name_text texts[] = {
		{ class_name, put_class(class_name, sizeof(class_name),
					&method->class_name) },
		{ method->name.text, method->name.bytes },
		{ method->signature.text, method->signature.bytes },
	};
	struct recorder *recorder = rt.recorder;

	return function_names_add_method(
		&recorder->names, &recorder->part,
		counts_calls(why) ? WIRE_RANGE_JAVA : WIRE_RANGE_JAVA_LEFT,
		texts, why);
}

/* Returns the length of the package's folder: "com/acme/" of "com/acme/Foo". */
static uint32_t folder_bytes(const struct tracked_name *class_name)
{
	uint32_t bytes = class_name->bytes;

	while (bytes > 0 && class_name->text[bytes - 1] != '/')
		bytes--;
	return bytes;
}

/* Records the line where the method begins, the only one that is known. */
static void record_source(const struct tracked_method *method, uint32_t number)
{
	const struct wire_line line = { .bytecode = 0,
					.line = (uint16_t)method->line };
	const struct name_text path[] = {
		{ method->class_name.text, folder_bytes(&method->class_name) },
		{ method->source.text, method->source.bytes },
	};
	struct recorder *recorder = rt.recorder;

	function_names_add_source(&recorder->names, &recorder->part, number,
				  path, &line, 1);
}

/* ---- The table, with the lock held ---- */

static struct tracked *slot_of(struct tracked *table, uint32_t room,
			       uint64_t hash)
{
	uint64_t i = hash;

	while (table[i % room].hash && table[i % room].hash != hash)
		i++;
	return &table[i % room];
}

static int make_room(void)
{
	const uint32_t room = tracked.room ? 2 * tracked.room : ROOM_LEAST;
	struct tracked *larger;

	if (tracked.used < tracked.room / 4 * 3)
		return 1;
	larger = sys_map_private(room * sizeof(*larger));
	if (sys_failed(larger))
		return 0;
	for (uint32_t i = 0; i < tracked.room; i++)
		if (tracked.table[i].hash)
			*slot_of(larger, room, tracked.table[i].hash) =
				tracked.table[i];
	if (tracked.table)
		sys_munmap(tracked.table,
			   tracked.room * sizeof(*tracked.table));
	tracked.table = larger;
	tracked.room = room;
	return 1;
}

static uint32_t is_constructor(const struct tracked_method *method)
{
	static const char name[] = "<init>";

	return method->name.bytes == sizeof(name) - 1 &&
	       !memcmp(method->name.text, name, sizeof(name) - 1);
}

static uint32_t find_or_add(const struct tracked_method *method,
			    enum wire_java_left why)
{
	const uint64_t hash = hash_of(method, !counts_calls(why));
	uint32_t number = 0;
	uint64_t signals;

	lock_acquire(&tracked.lock, &signals);
	if (make_room()) {
		struct tracked *slot =
			slot_of(tracked.table, tracked.room, hash);

		if (!slot->hash) {
			*slot = (struct tracked){ hash, record(method, why),
						  is_constructor(method) };
			tracked.used++;
			if (slot->number && counts_calls(why) && method->line &&
			    method->source.bytes)
				record_source(method, slot->number);
		}
		number = slot->number;
	}
	lock_release(&tracked.lock, &signals);
	return number;
}

uint32_t java_tracked_number(const struct tracked_method *method, int stands_by)
{
	return find_or_add(method,
			   stands_by ? WIRE_JAVA_STANDS_BY : WIRE_JAVA_COUNTS);
}

uint32_t java_tracked_find(const struct tracked_method *method)
{
	uint32_t number = 0;
	uint64_t signals;

	lock_acquire(&tracked.lock, &signals);
	if (tracked.room)
		number =
			slot_of(tracked.table, tracked.room, hash_of(method, 0))
				->number;
	lock_release(&tracked.lock, &signals);
	return number;
}

static struct tracked of_number(uint32_t number)
{
	struct tracked found = { 0 };
	uint64_t signals;

	lock_acquire(&tracked.lock, &signals);
	for (uint32_t i = 0; i < tracked.room && !found.number; i++)
		if (tracked.table[i].number == number)
			found = tracked.table[i];
	lock_release(&tracked.lock, &signals);
	return found;
}

int java_tracked_is_constructor(uint32_t number)
{
	return of_number(number).is_constructor;
}

void java_tracked_skip(const struct tracked_method *method,
		       enum wire_java_left why)
{
	find_or_add(method, why);
}

void java_tracked_forget(void)
{
	uint64_t signals;

	lock_acquire(&tracked.lock, &signals);
	if (tracked.table)
		sys_munmap(tracked.table,
			   tracked.room * sizeof(*tracked.table));
	tracked.table = NULL;
	tracked.room = tracked.used = 0;
	lock_release(&tracked.lock, &signals);
}
