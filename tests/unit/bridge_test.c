/* SPDX-License-Identifier: MIT */
/*
 * Tests of jvm/natives/bridge.c and bridges.c without a JVM. The test has the
 * wrapper that a JVM would have, and the natives.
 */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "jvm/natives/bridge.h"
#include "jvm/natives/bridges.h"
#include "jvm/natives/java_callers.h"
#include "jvm/natives/java_stack.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/stack/trampolines.h"
#include "preload/stack/walk.h"
#include "tests/unit/numbered.h"
#include "wire/id.h"

#define BASE   id_push(ID_ROOT, id_key(3))
#define CALLER 7

static uint64_t learnt, known_as;
static struct bridge_frame *frame_seen; /* exists only during the call */
static uint64_t outer_seen;
static uint64_t native_id;

/*
 * Replaces the data of jvm/natives/java_stack.c. Tests with a JVM cover its
 * walk.
 */
struct java_code java_code, java_interpreter;
int64_t java_bytecode_words = -8;
static uint64_t stack_hash;

uint64_t java_stack_hash(const struct bridge_frame *frame, uint32_t *end)
{
	(void)frame;
	*end = 0;
	return stack_hash;
}

/*
 * Replaces jvm/natives/java_callers.c, without queries of the JVM. Clobbers
 * vector registers that pass arguments.
 */
uint32_t callers_learn(struct bridge_frame *frame)
{
	learnt++;
	frame_seen = frame;
	outer_seen = frame->outer;
	if (frame->expected) {
		hot.stacks_left = UINT64_MAX;
		return frame->expected + 1;
	}
	__asm__ volatile("xorps %%xmm0, %%xmm0; xorps %%xmm7, %%xmm7" ::
				 : "xmm0", "xmm7");
	if (known_as)
		callers_known[(frame->place ^ frame->place >> CALLERS_LOG2) %
			      CALLERS_COUNT] =
			frame->place >> CALLERS_LOG2 << 32 | known_as;
	return (uint32_t)known_as;
}

typedef double (*native_function)(long, long, long, long, long, long, double,
				  double, double, double, double, double,
				  double, double, long, long, long);

static double native(long a, long b, long c, long d, long e, long f, double g,
		     double h, double i, double j, double k, double l, double m,
		     double n, long o, long p, long q)
{
	native_id = hot.id;
	return (double)(a + 2 * b + 3 * c + 5 * d + 7 * e + 11 * f + 13 * o +
			17 * p + 19 * q) +
	       g / 2 + h / 4 + i / 8 + j / 16 + k / 32 + l / 64 + m / 128 +
	       n / 256;
}

/* The Java signature of native(), without the two arguments that JNI adds. */
#define SIGNATURE "(JI[[ILjava/lang/String;[Lcom/acme/Foo;JBDDDDDDDD)D"

static native_function through;

static native_function enter(struct bridge *bridge)
{
	return bridge ? (native_function)bridges_entry(bridge) : NULL;
}

static native_function make(native_function to, const void *method,
			    const char *signature)
{
	return enter(bridges_make((void *)to, method, signature));
}

static int begin(void **state)
{
	(void)state;
	if (!rt.trampolines)
		trampolines_reserve();
	numbered_up_to(100);
	hot_shadow_low = SHADOW_NOWHERE; /* there is no shadow */
	memset((void *)callers_known, 0, sizeof(callers_known));
	if (!callers_stacks)
		callers_stacks =
			calloc(CALLERS_STACKS, sizeof(*callers_stacks));
	stack_hash = 0;
	hot.stacks_left = UINT64_MAX;
	hot.id = BASE;
	learnt = native_id = 0;
	java_code.start = 0; /* all addresses are code of the JVM */
	java_code.end = UINT64_MAX;
	known_as = CALLER;
	through = make(native, NULL, SIGNATURE);
	return rt.trampolines && through ? 0 : -1;
}

/*
 * Replaces the JVM's wrapper of a native. The wrapper's return address is the
 * call site.
 */
__attribute__((noinline)) static double wrapper(native_function function)
{
	const double result =
		function(1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 7, 8, 7, 8, 9);

	__asm__ volatile("");
	return result;
}

/* Calls a native from one call site, however often. */
__attribute__((noinline)) static double java(native_function function)
{
	const double result = wrapper(function);

	__asm__ volatile("");
	return result;
}

static void a_native_gets_what_it_is_called_with(void **state)
{
	const double expected = java(native);

	(void)state;
	assert_true(java(through) == expected);
	assert_int_equal(learnt, 1);
	through = make(native, NULL, "(JJJJJJJDDDDDDDDSZC[FFD)V"); /* more */
	assert_true(java(through) == expected);
	assert_int_equal(learnt, 1);
}

static void invalid_signatures_get_no_bridge(void **state)
{
	static const char *const bad[] = { "", "I", "(", "(I", "(L)V", "([)V" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (bridges_make((void *)native, NULL, bad[i]))
			fail_msg("%s", bad[i]);
}

/*
 * Before a bridge knows the signature, it passes as many arguments as any
 * native can have.
 */
static void arguments_pass_before_the_signature_is_known(void **state)
{
	const double expected = java(native);
	struct bridge *early = bridges_make_early((void *)native, NULL);

	(void)state;
	if (!early) {
		fail();
		return;
	}
	assert_true(java(enter(early)) == expected);
	assert_false(bridges_set_arguments(early, "what is none"));
	assert_true(java(enter(early)) == expected);
	assert_true(early->stack_words > 200);
	assert_true(bridges_set_arguments(early, SIGNATURE));
	assert_int_equal(early->stack_words, 3);
	assert_true(java(enter(early)) == expected);
}

/*
 * Replaces the code after a stub's sink, which finds the native in the bridge.
 */
__attribute__((naked)) static void relay(void)
{
	__asm__("jmp *16(%r11)");
}

static void a_relay_gets_to_the_native(void **state)
{
	const double expected = java(native);
	struct bridge *bridge = bridges_make((void *)native, NULL, SIGNATURE);

	(void)state;
	bridge->target = (uintptr_t)relay;
	assert_true(java(enter(bridge)) == expected);
	assert_int_equal(native_id, id_push(BASE, id_key(CALLER)));
}

static void silent_bridge_does_not_ask_for_its_caller(void **state)
{
	struct bridge *bridge = bridges_make((void *)native, NULL, SIGNATURE);

	(void)state;
	bridge->is_silent = 1;
	java(enter(bridge));
	assert_int_equal(native_id, BASE);
	assert_int_equal(learnt, 0);
}

static void ten_thousand_bridges_work(void **state)
{
	const double expected = java(native);

	(void)state;
	for (int i = 0; i < 10000; i++) {
		through = make(native, NULL, SIGNATURE);
		assert_true(java(through) == expected);
	}
}

static void native_runs_in_the_context_of_its_caller(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		java(through);
		assert_int_equal(native_id, id_push(BASE, id_key(CALLER)));
		assert_int_equal(hot.id, BASE);
		assert_int_equal(learnt, 1);
		native_id = 0;
	}
}

static void caller_without_a_method_adds_no_context(void **state)
{
	(void)state;
	known_as = CALLERS_NOBODY;
	for (int i = 0; i < 2; i++)
		java(through);
	assert_int_equal(native_id, BASE);
	assert_int_equal(hot.id, BASE);
	assert_int_equal(learnt, 1);
}

static void caller_outside_of_java_code_has_no_frame(void **state)
{
	(void)state;
	java_code.end = 1;
	java(through);
	assert_int_equal(native_id, BASE);
	assert_int_equal(learnt, 0);
}

static void a_known_stack_is_in_the_context(void **state)
{
	(void)state;
	stack_hash = UINT64_C(0x512345678901);
	for (int i = 0; i < 2; i++) {
		*callers_stack_entry(stack_hash, i) =
			stack_hash >> CALLERS_LOG2 << 32 | 20;
		java(through);
		assert_int_equal(native_id, id_push(BASE, id_key(20)));
		assert_int_equal(learnt, 0);
		*callers_stack_entry(stack_hash, i) = 0;
	}
	java(through);
	assert_int_equal(learnt, 1);
}

/* The verification finds the caller that was found before. */
static void one_of_some_is_verified(void **state)
{
	(void)state;
	stack_hash = UINT64_C(0x512345678901);
	*callers_stack_entry(stack_hash, 0) =
		stack_hash >> CALLERS_LOG2 << 32 | 20;
	hot.stacks_left = 1;
	for (int i = 0; i < 3; i++) {
		java(through);
		assert_int_equal(native_id,
				 id_push(BASE, id_key(20 + (i == 1))));
		assert_int_equal(learnt, i > 0);
	}
}

static const void *outer_method;

static double calls_another(long a, long b, long c, long d, long e, long f,
			    double g, double h, double i, double j, double k,
			    double l, double m, double n, long o, long p,
			    long q)
{
	const native_function another = make(native, NULL, SIGNATURE);
	const struct bridge_frame *outer =
		(const struct bridge_frame *)hot.java_top;

	outer_method = outer->bridge->method;
	java(another);
	assert_int_equal(outer_seen, (uintptr_t)outer);
	assert_ptr_equal((void *)hot.java_top, outer);
	return 0;
}

static void a_thread_knows_the_bridge_that_it_is_in(void **state)
{
	(void)state;
	known_as = 0;
	through = make(calls_another, state, SIGNATURE);
	java(through);
	assert_int_equal(hot.java_top, 0);
	assert_int_equal(learnt, 2);
	assert_ptr_equal(outer_method, state);
}

static struct link found;

static double looks(long a, long b, long c, long d, long e, long f, double g,
		    double h, double i, double j, double k, double l, double m,
		    double n, long o, long p, long q)
{
	struct walk walk = walk_from(__builtin_frame_address(0), hot.id);

	walk.scan_left = 1000;
	assert_true(walk_next(&walk, &found));
	assert_int_equal(walk.id, BASE);
	return 0;
}

static void a_walk_finds_the_caller(void **state)
{
	(void)state;
	through = make(looks, NULL, SIGNATURE);
	java(through);
	assert_int_equal(found.function, CALLER);
	assert_ptr_equal(found.at, &frame_seen->slot);
}

static void places_are_told_apart(void **state)
{
	const uint64_t place = UINT64_C(0x7f1234567890);

	(void)state;
	callers_known[(place ^ place >> CALLERS_LOG2) % CALLERS_COUNT] =
		place >> CALLERS_LOG2 << 32 | 5;
	assert_int_equal(callers_find(place), 5);
	for (unsigned int bit = 0; bit < 47; bit++)
		assert_int_equal(callers_find(place ^ UINT64_C(1) << bit), 0);
}

#define CLAIM(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_native_gets_what_it_is_called_with),
		CLAIM(invalid_signatures_get_no_bridge),
		CLAIM(arguments_pass_before_the_signature_is_known),
		CLAIM(a_relay_gets_to_the_native),
		CLAIM(silent_bridge_does_not_ask_for_its_caller),
		CLAIM(ten_thousand_bridges_work),
		CLAIM(native_runs_in_the_context_of_its_caller),
		CLAIM(caller_without_a_method_adds_no_context),
		CLAIM(caller_outside_of_java_code_has_no_frame),
		CLAIM(a_known_stack_is_in_the_context),
		CLAIM(one_of_some_is_verified),
		CLAIM(a_thread_knows_the_bridge_that_it_is_in),
		CLAIM(a_walk_finds_the_caller),
		CLAIM(places_are_told_apart),
	};

	return cmocka_run_group_tests_name("bridge", tests, NULL, NULL);
}
