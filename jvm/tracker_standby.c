/* SPDX-License-Identifier: MIT */
/*
 * In Java:
 *
 *	static int STATE;
 *	static long enter(int number) {
 *		return STATE == NEVER ? KEPT_NEVER : wake(number);
 *	}
 *	static long wake(int number) {
 *		return STATE == ON ? count(number) : KEPT_OFF;
 *	}
 *	static void exit(long kept) {
 *		if (kept >>> 1 != 1)
 *			leave(kept);
 *	}
 *
 * and for methods with handlers, which keep what state() has returned, too,
 *
 *	static long catching(int number, int state) {
 *		if (state == NEVER)
 *			return KEPT_NEVER;
 *		return state == ON ? count(number) : the thread's id;
 *	}
 *	static void caught(long kept, int number, int state) {
 *		if (kept >>> 1 == 1)
 *			ClewNatives.passed(kept);
 *		else if (state == ON)
 *			ClewNatives.caught(kept, number);
 *		else
 *			leave(kept);
 *	}
 *
 * - What a method keeps says whether its call counts, for as long as it runs: so one that ran
 *   before never takes from the context what it has not put there, whoever
 *   switches meanwhile, and however it ends.
 * - The field is volatile, or else compilers would read it once for a loop.
 * - They make the few bytes of enter() and exit() part of their callers. Until it is on for
 *   the first time they leave wake() out, so that what is kept is a constant, and
 *   nothing is left of exit().
 * - A constructor that throws out of super() tells of no end (classfile/classfile.h): whoever
 *   catches that sets the id. Calls that do not count have to do so, too. While it has never
 *   been on nothing of Java's is further out, so that all of it which is innermost in the
 *   context has ended. Later methods with handlers keep the id that they have found,
 *   as though they counted, and set that; it does no harm that they store it at their end.
 * - Others need not be asked to pay for that. Where such an exception goes through them it may
 *   be caught by what was not rewritten: they ask the machine which methods are running
 *   (java_verify.h), and have ended all that are not.
 */
#include "jvm/tracker_standby.h"

static void call_own(struct tracker_making *making, const char *name,
		     const char *descriptor)
{
	making_put_with(
		making, INVOKESTATIC,
		making_add_method(making, making->name, name, descriptor));
}

static void put_state(struct tracker_making *making)
{
	making_put_with(making, GETSTATIC, making->state_field);
}

static void make_state(struct tracker_making *making,
		       enum tracker_layout layout)
{
	put_state(making);
	making_put(making, IRETURN);
}

/* Returns if it has never been on, which is on the stack. */
static void put_first_test(struct tracker_making *making)
{
	const uint32_t was_on = making_jump(making, IFNE);

	making_put_long(making, KEPT_NEVER);
	making_put(making, LRETURN);
	making_land(making, was_on);
}

/* Returns what is counted if it is on, which is on the stack. */
static void put_count(struct tracker_making *making)
{
	uint32_t is_off;

	making_put(making, ICONST_1);
	is_off = making_jump(making, IF_ICMPNE);
	making_put_with(making, ILOAD, NUMBER);
	call_own(making, "count", "(I)J");
	making_put(making, LRETURN);
	making_land(making, is_off);
}

static void make_enter(struct tracker_making *making,
		       enum tracker_layout layout)
{
	put_state(making);
	put_first_test(making);
	making_put_with(making, ILOAD, NUMBER);
	call_own(making, "wake", "(I)J");
	making_put(making, LRETURN);
}

static void make_wake(struct tracker_making *making, enum tracker_layout layout)
{
	put_state(making);
	put_count(making);
	making_put_long(making, KEPT_OFF);
	making_put(making, LRETURN);
}

static void make_catching(struct tracker_making *making,
			  enum tracker_layout layout)
{
	making_put_with(making, ILOAD, STATE_OF_ENTRY);
	put_first_test(making);
	making_put_with(making, ILOAD, NUMBER);
	making_put_with(making, ILOAD, STATE_OF_ENTRY);
	call_own(making, "wakeCatching", "(II)J");
	making_put(making, LRETURN);
}

static void make_wake_catching(struct tracker_making *making,
			       enum tracker_layout layout)
{
	struct tracker_ways ways;

	making_put_with(making, ILOAD, STATE_OF_ENTRY);
	put_count(making);
	ways = making_put_block(making, layout);
	making_get(making, BLOCK, BLOCK_AT(id));
	making_put(making, LRETURN);
	making_land(making, ways.unknown);
	making_put_word(making);
	if (layout == TRACKER_IN_HOLDER)
		making_land(making, ways.no_holder);
	making_put(making, LCONST_0); /* nobody is called: the id is returned */
	making_put(making, L2I);
	making_put_with(making, INVOKESTATIC, making->natives_enter);
	making_put(making, LRETURN);
}

/* Jumps if the call does not count. */
static uint32_t jump_if_silent(struct tracker_making *making)
{
	making_put_with(making, LLOAD, KEPT);
	making_put(making, ICONST_1);
	making_put(making, LUSHR);
	making_put(making, LCONST_1);
	making_put(making, LCMP);
	return making_jump(making, IFEQ);
}

static void make_exit(struct tracker_making *making, enum tracker_layout layout)
{
	const uint32_t is_silent = jump_if_silent(making);

	making_put_with(making, LLOAD, KEPT);
	call_own(making, "leave", "(J)V");
	making_land(making, is_silent);
	making_put(making, RETURN);
}

/* An exception is where a call was that does not count. */
static void put_passed(struct tracker_making *making)
{
	uint32_t was_never_on;

	making_put_with(making, GETSTATIC, making->state_field);
	was_never_on = making_jump(making, IFEQ);
	making_put_with(making, LLOAD, KEPT);
	making_put_with(making, INVOKESTATIC, making->natives_passed);
	making_land(making, was_never_on);
	making_put(making, RETURN);
}

static void make_thrown(struct tracker_making *making,
			enum tracker_layout layout)
{
	const uint32_t is_silent = jump_if_silent(making);

	making_put_with(making, LLOAD, KEPT);
	call_own(making, "leave", "(J)V");
	making_put(making, RETURN);
	making_land(making, is_silent);
	put_passed(making);
}

static void make_caught(struct tracker_making *making,
			enum tracker_layout layout)
{
	const uint32_t is_silent = jump_if_silent(making);
	uint32_t was_off;

	making_put_with(making, ILOAD, STATE_OF_CATCH);
	making_put(making, ICONST_1);
	was_off = making_jump(making, IF_ICMPNE);
	making_put_with(making, LLOAD, KEPT);
	making_put_with(making, ILOAD, KEPT + 2);
	making_put_with(making, INVOKESTATIC, making->natives_caught);
	making_put(making, RETURN);
	making_land(making, was_off);
	making_put_with(making, LLOAD, KEPT);
	call_own(making, "leave", "(J)V");
	making_put(making, RETURN);
	making_land(making, is_silent);
	put_passed(making);
}

void tracker_standby_write(struct tracker_making *making,
			   enum tracker_layout layout)
{
	static const struct {
		const char *name, *descriptor;
		void (*make)(struct tracker_making *making,
			     enum tracker_layout layout);
		int is_inlined;
	} methods[] = {
		{ "enter", "(I)J", make_enter, 1 },
		{ "wake", "(I)J", make_wake, 1 },
		{ "state", "()I", make_state, 1 },
		{ "catching", "(II)J", make_catching, 1 },
		{ "wakeCatching", "(II)J", make_wake_catching, 0 },
		{ "exit", "(J)V", make_exit, 1 },
		{ "thrown", "(J)V", make_thrown, 0 },
		{ "caught", "(JII)V", make_caught, 0 },
	};

	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		making_write_method(making, methods[i].name,
				    methods[i].descriptor, methods[i].make,
				    layout, methods[i].is_inlined);
}
