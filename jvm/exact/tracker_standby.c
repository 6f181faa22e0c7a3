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
 * - The stored id of a call says whether the call counts, as long as it
 *   runs. A call that does not count never removes anything from the
 *   context, whenever counting is switched and however the call ends.
 * - The field is volatile: otherwise compilers would read it only once for a
 *   loop.
 * - A constructor whose super() throws reports no end
 *   (classfile/classfile.h), so the method that catches the exception sets
 *   the id. Calls that do not count have to do that as well. If counting has
 *   never been on, no outer call counts, so all innermost Java methods of
 *   the context have ended. Later, methods with handlers store the id that
 *   they have found, as though they counted, and set that. Storing it again
 *   at their end does no harm.
 * - Returns that share an exit reach it only if the call counts, and call
 *   leave(). thrown() contains the same code inline, because the first
 *   compiler would inline a smaller method into each handler.
 * - Methods without handlers are spared this cost. If such an exception
 *   passes through them, code that was not rewritten may catch it. thrown()
 *   then asks the JVM which methods are active (java_verify.h), and ends all
 *   others.
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
	making_put(making, LCONST_0); /* number 0: only returns the id */
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

/* Handles an exception in a call that does not count. */
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
