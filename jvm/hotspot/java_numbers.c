/* SPDX-License-Identifier: MIT */
/* See java_numbers.h. */
#include "jvm/hotspot/java_numbers.h"

#include <stdatomic.h>
#include <string.h>

#include "jvm/jvmti/line_tables.h"
#include "preload/hot/runtime.h"
#include "preload/record/recorder.h"
#include "preload/sys/lock.h"
#include "preload/sys/sys.h"

#define ROOM_LEAST 1024
/*
 * Each stack needs at least one trampoline, and there are 65,520 trampolines.
 */
#define STACKS_MAX  40000
#define STACKS_ROOM (1 << 17)

/* A method and its number. */
struct method {
	uint32_t number;
	_Atomic(jmethodID) id; /* NULL if the slot is free; stored last */
};

/*
 * A hash table with open addressing, at most three quarters full. A search
 * takes no lock, because a lock would cost two system calls for each method of
 * a stack. A search may therefore still use a former table, and former tables
 * are not freed; each is half as large as the next.
 */
struct method_table {
	uint32_t room; /* a power of two */
	struct method methods[];
};

static struct {
	/* Held while a method is added; taken before the lock of the names. */
	struct lock lock;
	struct method_table *_Atomic table;
	uint32_t used;
} methods;

/* The number of a stack, by the hash of its key (java_numbers_stack()). */
struct numbered_stack {
	uint64_t hash; /* 0 if the slot is free */
	uint32_t number;
};

static struct {
	struct lock lock; /* taken before the lock of the names */
	struct numbered_stack *table;
	uint32_t used;
} stacks;

static struct numbered_stack *stack_slot(uint64_t hash)
{
	uint64_t i = hash;

	while (stacks.table[i % STACKS_ROOM].hash &&
	       stacks.table[i % STACKS_ROOM].hash != hash)
		i++;
	return &stacks.table[i % STACKS_ROOM];
}

static struct method *slot_of(struct method_table *table, jmethodID method)
{
	uint64_t i = (uintptr_t)method * ID_MULTIPLIER >> 32;

	for (;; i++) {
		struct method *slot = &table->methods[i & (table->room - 1)];
		const jmethodID id =
			atomic_load_explicit(&slot->id, memory_order_acquire);

		if (!id || id == method)
			return slot;
	}
}

static void fill(struct method *slot, jmethodID method, uint32_t number)
{
	slot->number = number;
	atomic_store_explicit(&slot->id, method, memory_order_release);
}

/*
 * Returns a table with room for another method, which is the present one or a
 * larger copy; NULL if memory is short. Called with the lock held.
 */
static struct method_table *table_with_room(void)
{
	struct method_table *table = methods.table, *larger;
	const uint32_t room = table ? 2 * table->room : ROOM_LEAST;

	if (table && methods.used < table->room / 4 * 3)
		return table;
	larger = sys_map_private(sizeof(*larger) +
				 room * sizeof(*larger->methods));
	if (sys_failed(larger))
		return NULL;
	larger->room = room;
	for (uint32_t i = 0; table && i < table->room; i++)
		if (table->methods[i].id)
			fill(slot_of(larger, table->methods[i].id),
			     table->methods[i].id, table->methods[i].number);
	atomic_store_explicit(&methods.table, larger, memory_order_release);
	return larger;
}

static uint32_t number_of(jmethodID method)
{
	struct method_table *table =
		atomic_load_explicit(&methods.table, memory_order_acquire);
	const struct method *slot = table ? slot_of(table, method) : NULL;

	/*
	 * Another thread may have given the free slot to another method
	 * meanwhile, so its identifier is compared.
	 */
	return slot && atomic_load_explicit(&slot->id, memory_order_acquire) ==
				       method
		       ? slot->number
		       : 0;
}

/*
 * Adds a method with its name, and returns its number; 0 without room. *is_new
 * becomes 1 if this call has added the method, otherwise 0.
 */
static uint32_t add(jmethodID method, const struct name_text texts[3],
		    int *is_new)
{
	struct recorder *recorder = rt.recorder;
	struct method_table *table;
	uint32_t number = 0;
	uint64_t signals;

	*is_new = 0;
	lock_acquire(&methods.lock, &signals);
	table = table_with_room();
	if (table) {
		struct method *slot = slot_of(table, method);

		number = slot->id ? slot->number
				  : function_names_add_method(
					    &recorder->names, &recorder->part,
					    WIRE_RANGE_JAVA, texts,
					    WIRE_JAVA_NAMED);
		if (number && !slot->id) {
			fill(slot, method, number);
			methods.used++;
			*is_new = 1;
		}
	}
	lock_release(&methods.lock, &signals);
	return number;
}

static uint32_t name(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method)
{
	char *called = NULL, *signature = NULL, *class_name = NULL;
	jclass class = NULL;
	uint32_t number = 0;
	int is_new = 0;

	if (!(*jvmti)->GetMethodName(jvmti, method, &called, &signature,
				     NULL) &&
	    !(*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) &&
	    !(*jvmti)->GetClassSignature(jvmti, class, &class_name, NULL)) {
		const struct name_text texts[] = {
			{ class_name, strlen(class_name) },
			{ called, strlen(called) },
			{ signature, strlen(signature) },
		};

		number = add(method, texts, &is_new);
		if (is_new)
			line_tables_record(jvmti, method, class, class_name,
					   number);
	}
	if (class)
		(*jni)->DeleteLocalRef(jni, class);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)called);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)class_name);
	return number;
}

uint32_t java_numbers_method(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method)
{
	const uint32_t number = number_of(method);

	return number ? number : name(jvmti, jni, method);
}

static uint64_t mix(uint64_t hash, uint32_t more)
{
	return (hash ^ more) * UINT64_C(0x100000001b3);
}

/*
 * Returns the hash (FNV-1a) of the methods' numbers and of the innermost
 * method's calling bytecode.
 */
static uint64_t hash_of(const struct java_stack_numbers *stack)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (uint32_t i = 0; i < stack->count; i++)
		hash = mix(hash, stack->numbers[i]);
	hash = mix(hash, stack->calls[stack->count - 1]);
	return hash ? hash : 1;
}

static uint32_t name_stack(const struct java_stack_numbers *stack)
{
	struct recorder *recorder = rt.recorder;

	return function_names_add_stack(&recorder->names, &recorder->part,
					stack->numbers, stack->calls,
					stack->count);
}

static int has_table(void)
{
	struct numbered_stack *table;

	if (stacks.table)
		return 1;
	table = sys_map_private(STACKS_ROOM * sizeof(*table));
	if (!sys_failed(table))
		stacks.table = table;
	return stacks.table != NULL;
}

uint32_t java_numbers_stack(const struct java_stack_numbers *stack)
{
	const uint64_t hash = hash_of(stack);
	uint32_t number = 0;
	uint64_t signals;

	lock_acquire(&stacks.lock, &signals);
	if (has_table())
		number = stack_slot(hash)->number;
	if (stacks.table && !number && stacks.used < STACKS_MAX) {
		number = name_stack(stack);
		if (number) {
			*stack_slot(hash) =
				(struct numbered_stack){ hash, number };
			stacks.used++;
		}
	}
	lock_release(&stacks.lock, &signals);
	return number;
}

void java_numbers_forget(void)
{
	struct method_table *table = methods.table;

	for (uint32_t i = 0; table && i < table->room; i++)
		table->methods[i].id = NULL;
	for (uint32_t i = 0; stacks.table && i < STACKS_ROOM; i++)
		if (stacks.table[i].hash)
			stacks.table[i] = (struct numbered_stack){ 0 };
	methods.used = stacks.used = 0;
}
