/* SPDX-License-Identifier: MIT */
/* See java_compose.h. */
#include "jvm/natives/java_compose.h"

#include <stdatomic.h>

#include "jvm/hotspot/java_numbers.h"
#include "jvm/natives/bridge.h"
#include "jvm/natives/java_callers.h"
#include "jvm/natives/java_scopes.h"
#include "jvm/natives/java_stack.h"
#include "preload/hot/large_table.h"
#include "preload/hot/runtime.h"
#include "preload/sys/spare.h"

#define METHODS_LOG2  16
#define METHODS_COUNT (1 << METHODS_LOG2)

/*
 * One more than the longest stack that is recorded: if a composition has this
 * number of calls, the outermost ones are missing in the recording.
 */
#define CALLS_MAX (JAVA_STACK_TOLD_MAX + 1)

/* A stack that is being composed, innermost call first. */
struct composition {
	uint32_t count;
	/* The numbers of all methods from this index on are known. */
	uint32_t unknown;
	struct java_call calls[CALLS_MAX];
	uint32_t numbers[CALLS_MAX];
	jvmtiFrameInfo asked[CALLS_MAX];
	struct java_frames frames;
	struct java_stack_numbers stack;
};

/*
 * A cache of the methods' numbers by the address of their Method, m. Each entry
 * is m >> 16 in its upper half and the number in its lower half, at the index
 * (m ^ m >> 16) modulo the table's size, or at the complement of that index.
 * Index and entry together determine the address. A free entry is 0. Any thread
 * may read and write the cache.
 */
static _Atomic uint64_t known[METHODS_COUNT] LARGE_TABLE;

/* Memory for one composition, which stays allocated for the next one. */
static void *_Atomic spare;

/* ---- Known methods ---- */

static _Atomic uint64_t *entry_of(uint64_t method, int second)
{
	const uint64_t first = method ^ method >> METHODS_LOG2;

	return &known[(second ? ~first : first) % METHODS_COUNT];
}

static int is_of(uint64_t entry, uint64_t method)
{
	return entry >> 32 == method >> METHODS_LOG2;
}

/* Returns the number of a method, or 0 if it is not in the cache. */
static uint32_t number_of(uint64_t method)
{
	for (int i = 0; i < 2; i++) {
		const uint64_t entry = atomic_load_explicit(
			entry_of(method, i), memory_order_relaxed);

		if (is_of(entry, method))
			return (uint32_t)entry;
	}
	return 0;
}

static void learn(uint64_t method, uint32_t number)
{
	_Atomic uint64_t *entry = entry_of(method, 0);

	if (atomic_load(entry) && !is_of(atomic_load(entry), method))
		entry = entry_of(method, 1);
	atomic_store(entry, method >> METHODS_LOG2 << 32 | number);
}

void java_compose_forget(void)
{
	for (uint32_t i = 0; i < METHODS_COUNT; i++)
		if (atomic_load_explicit(&known[i], memory_order_relaxed))
			atomic_store_explicit(&known[i], 0,
					      memory_order_relaxed);
}

/* ---- Composing ---- */

static int has_natives(const struct composition *one)
{
	for (uint32_t i = 0; i < one->count; i++)
		if (one->calls[i].bytecode == SCOPES_NATIVE)
			return 1;
	return 0;
}

/*
 * Reads the calls of the stack, and the numbers of their methods from the
 * cache. Returns 0 if the stack's hash has changed, if the frames do not
 * determine the calls, or if the stack is cut and contains further natives:
 * then only the JVM can determine at which native the stack ends. The same
 * holds if the walk ended before JAVA_STACK_TOLD_MAX methods.
 */
static int read_frames(struct composition *one,
		       const struct bridge_frame *frame)
{
	if (java_stack_frames(frame, &one->frames) != frame->stack)
		return 0;
	one->count = java_scopes_read(&one->frames, one->calls, CALLS_MAX);
	one->unknown = 0;
	for (uint32_t i = 0; i < one->count; i++) {
		one->numbers[i] = number_of(one->calls[i].method);
		if (!one->numbers[i])
			one->unknown = i + 1;
	}
	return one->count &&
	       !(one->frames.is_short && one->count <= JAVA_STACK_TOLD_MAX) &&
	       !(frame->end == JAVA_STACK_CUT && has_natives(one));
}

/*
 * Compares one call as the JVM reports it with the call that was read from the
 * frame. The bytecodes must agree, and the numbers if the cache had one.
 */
static enum composed check_call(struct composition *one, uint32_t i,
				uint32_t number)
{
	if (one->asked[i].location != one->calls[i].bytecode ||
	    (number && one->numbers[i] && one->numbers[i] != number))
		return COMPOSED_WRONG;
	return number ? COMPOSED_ASKED : COMPOSED_NOT;
}

/*
 * Requests the innermost part of the stack from the JVM, up to the outermost
 * method whose number is not known, and stores the numbers.
 */
static enum composed query_unknown(jvmtiEnv *jvmti, JNIEnv *jni,
				   struct composition *one)
{
	enum composed how = COMPOSED_ASKED;
	jint count;

	if (!one->unknown)
		return COMPOSED_KNOWN;
	if ((*jvmti)->GetStackTrace(jvmti, NULL, 1, (jint)one->unknown,
				    one->asked, &count))
		return COMPOSED_NOT;
	if (count != (jint)one->unknown)
		return COMPOSED_WRONG;
	for (uint32_t i = 0; i < one->unknown && how == COMPOSED_ASKED; i++) {
		const uint32_t number =
			java_numbers_method(jvmti, jni, one->asked[i].method);

		how = check_call(one, i, number);
		if (how == COMPOSED_ASKED) {
			one->numbers[i] = number;
			learn(one->calls[i].method, number);
		}
	}
	return how;
}

/*
 * Returns the index of the bytecode at which a method calls the next inner one,
 * or WIRE_BYTECODE_NONE.
 */
static uint16_t place_of(const struct java_call *call)
{
	return call->bytecode >= 0 && call->bytecode < WIRE_BYTECODE_NONE
		       ? (uint16_t)call->bytecode
		       : WIRE_BYTECODE_NONE;
}

/*
 * Returns the stack's number, or the number of its innermost method if there is
 * no room for the stack.
 */
static uint32_t number_stack(struct composition *one)
{
	struct java_stack_numbers *stack = &one->stack;
	uint32_t i = one->count, number;

	stack->count = 0;
	if (i > JAVA_STACK_TOLD_MAX) {
		i = JAVA_STACK_TOLD_MAX;
		stack->calls[0] = WIRE_BYTECODE_NONE;
		stack->numbers[stack->count++] = WIRE_STACK_CUT;
	}
	while (i-- > 0) {
		stack->calls[stack->count] = place_of(&one->calls[i]);
		stack->numbers[stack->count++] = one->numbers[i];
	}
	number = java_numbers_stack(stack);
	if (number)
		return number;
	atomic_fetch_add(&rt.header->stackless_natives, 1);
	return one->calls[0].bytecode == SCOPES_NATIVE ? CALLERS_NOBODY
						       : one->numbers[0];
}

enum composed java_compose(jvmtiEnv *jvmti, JNIEnv *jni,
			   const struct bridge_frame *frame, uint32_t *number)
{
	struct composition *one = spare_take(&spare, sizeof(*one));
	enum composed how;

	if (!one)
		return COMPOSED_NOT;
	how = read_frames(one, frame) ? query_unknown(jvmti, jni, one)
				      : COMPOSED_NOT;
	if (how == COMPOSED_KNOWN || how == COMPOSED_ASKED)
		*number = number_stack(one);
	spare_give_back(&spare, one, sizeof(*one));
	return how;
}
