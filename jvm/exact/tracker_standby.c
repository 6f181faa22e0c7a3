/* SPDX-License-Identifier: MIT */
/*
 * See tracker_standby.h. In Java:
 *
 *	public static volatile int STATE;
 *	static void exit(long kept) {
 *		if (kept != SILENT)
 *			leave(kept);
 *	}
 *
 *	static void thrown(long kept) {
 *		if (kept != SILENT)
 *			leave(kept);
 *		else if (STATE != NEVER)
 *			ClewNatives.passed(LATER);
 *	}
 *
 * Methods with handlers also store the value of STATE at their entry, and call:
 *
 *	static long catching(int number, int state) {
 *		return state == ON ? enter(number) : the thread's id;
 *	}
 *	static void caught(long kept, int number, int state) {
 *		if (kept == SILENT)
 *			ClewNatives.passed(NEVER);
 *		else if (state == ON)
 *			ClewNatives.caught(kept, number);
 *		else
 *			leave(kept);
 *	}
 *
 * - Each call stores an id (kept), or SILENT, which means that it does not
 *   count, whenever counting is switched later. A call with SILENT removes
 *   nothing from the context when it returns.
 * - STATE is volatile: otherwise compiled code would read it only once for a
 *   loop.
 * - A constructor whose super() throws reports no end (classfile/classfile.h),
 *   so the method that catches the exception sets the thread's id to its own.
 *   Methods that do not count have to set it as well. If counting had never
 *   been on when such a method began, its callers do not count either, so all
 *   innermost Java methods of the context have ended, and passed(NEVER) removes
 *   them. If counting had been on before, catching() stores the thread's
 *   present id as `kept`, and the method sets this id when it catches an
 *   exception, and once more, without an effect, at its end.
 * - If the returns of a method share one exit, they jump there only if the call
 *   counts, and the exit calls leave(). thrown() contains the code of leave()
 *   instead of a call: HotSpot's first compiler inlines small methods, and
 *   would inline a smaller thrown() at each handler.
 * - Methods without handlers do not store the state, which would cost time. If
 *   an exception leaves such a method in a call that does not count, code that
 *   was not rewritten may catch the exception. thrown() therefore requests the
 *   active methods from the JVM (java_verify.h), and removes all others from
 *   the context.
 */
#include "jvm/exact/tracker_standby.h"

static void call_own(struct tracker_making *making, const char *name,
		     const char *descriptor)
{
	making_put_with(
		making, INVOKESTATIC,
		making_add_method(making, making->name, name, descriptor));
}

static void make_catching(struct tracker_making *making,
			  enum tracker_layout layout)
{
	struct tracker_ways ways;
	uint32_t is_off;

	making_put_with(making, ILOAD, STATE_OF_ENTRY);
	is_off = making_jump(making, IFLT);
	making_put_with(making, ILOAD, NUMBER);
	call_own(making, "enter", "(I)J");
	making_put(making, LRETURN);
	making_land(making, is_off);
	ways = making_put_block(making, layout);
	making_get(making, BLOCK, BLOCK_AT(id));
	making_put(making, LRETURN);
	making_land(making, ways.unknown);
	making_put_word(making);
	if (layout == TRACKER_IN_HOLDER)
		making_land(making, ways.no_holder);
	/* With number 0, enter() only returns the thread's id. */
	making_put(making, LCONST_0);
	making_put(making, L2I);
	making_put_with(making, INVOKESTATIC, making->natives_enter);
	making_put(making, LRETURN);
}

/* Puts a jump that is taken if the call does not count. */
static uint32_t jump_if_silent(struct tracker_making *making)
{
	making_put_with(making, LLOAD, KEPT);
	making_put(making, LCONST_1); /* CLASSFILE_SILENT */
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

/*
 * Puts code that calls ClewNatives.passed() with the argument `began`, unless
 * counting has never been on, and returns.
 */
static void put_passed(struct tracker_making *making, uint64_t began)
{
	uint32_t was_never_on;

	making_put_with(making, GETSTATIC, making->state_field);
	was_never_on = making_jump(making, IFEQ);
	making_put_long(making, began);
	making_put_with(making, INVOKESTATIC, making->natives_passed);
	making_land(making, was_never_on);
	making_put(making, RETURN);
}

static void make_thrown(struct tracker_making *making,
			enum tracker_layout layout)
{
	const uint32_t is_silent = jump_if_silent(making);

	making_put_leave(making, layout);
	making_land(making, is_silent);
	put_passed(making, PASSED_LATER);
}

static void make_caught(struct tracker_making *making,
			enum tracker_layout layout)
{
	const uint32_t is_silent = jump_if_silent(making);
	uint32_t was_off;

	making_put_with(making, ILOAD, STATE_OF_CATCH);
	was_off = making_jump(making, IFLT);
	making_put_with(making, LLOAD, KEPT);
	making_put_with(making, ILOAD, KEPT + 2);
	making_put_with(making, INVOKESTATIC, making->natives_caught);
	making_put(making, RETURN);
	making_land(making, was_off);
	making_put_with(making, LLOAD, KEPT);
	call_own(making, "leave", "(J)V");
	making_put(making, RETURN);
	making_land(making, is_silent);
	put_passed(making, PASSED_NEVER);
}

void tracker_standby_write(struct tracker_making *making,
			   enum tracker_layout layout)
{
	static const struct {
		const char *name, *descriptor;
		void (*make)(struct tracker_making *making,
			     enum tracker_layout layout);
	} methods[] = {
		{ "catching", "(II)J", make_catching },
		{ "exit", "(J)V", make_exit },
		{ "thrown", "(J)V", make_thrown },
		{ "caught", "(JII)V", make_caught },
	};

	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		making_write_method(making, methods[i].name,
				    methods[i].descriptor, methods[i].make,
				    layout);
}
