/* SPDX-License-Identifier: MIT */
/*
 * The class files of the tracker and of its natives, in version 49, which needs
 * no stack map frames. In Java:
 *
 *	static long enter(int number) {
 *		Thread thread = Thread.currentThread();
 *		long word = U.getLong(thread, WORD);
 *		if (word >= 0)
 *			return begin(thread, number);
 *		long block = ~word;
 *		long caller = U.getLong(null, block + ID);
 *		long id = (rotateLeft(caller, 29) + number * KEY) * MULTIPLIER;
 *		long entry = U.getLongVolatile(null, block + MASK) & id;
 *		entry += U.getLong(null, block + TABLE);
 *		if (U.getLong(null, entry) != id)
 *			return ClewNatives.enter(number);
 *		U.putLong(null, block + COUNTING, entry);
 *		long field = U.getLong(null, entry + 8);
 *		if (field >>> 48 == 0) {
 *			U.putLong(null, block + COUNTING, 0);
 *			return ClewNatives.enter(number);
 *		}
 *		U.putLong(null, entry + 8, field + STEP);
 *		U.putLong(null, block + ID, id);
 *		U.putLong(null, block + COUNTING, 0);
 *		return caller;
 *	}
 *
 *	static Throwable rethrow(Throwable thrown) {
 *		throw thrown;
 *	}
 *
 * - The word of a thread's object is negative only if clew has stored it,
 *   because the size of a stack is not negative. In newer JVMs `thread` is
 *   the holder of the carrier of a virtual thread
 *   (Thread.currentCarrierThread()), or of the thread itself. A virtual
 *   thread cannot change its carrier while it is in this code.
 * - The native ClewNatives.enter() handles calls whose context is not at its
 *   home in the count table. This code calls the native before it has changed
 *   anything.
 * - The mask is read before the table (count.c): no access moves in front of
 *   a volatile read.
 * - Compiled code needs several instructions to add to a count, and in the
 *   interpreter each of them is a call of the JVM. If the thread's table grows
 *   meanwhile, the count stays in the entry COUNTING (record/tables.c).
 * - If no stack is left, the interpreter throws an exception at a call, and
 *   each read and write here is a call. At the first of these calls, the
 *   operand stack contains two more numbers than at any later one, so that the
 *   first call needs the most stack. A stack overflow can therefore only happen
 *   at the first call, when nothing has been changed.
 */
#include "jvm/exact/tracker_class.h"

#include <stddef.h>
#include <string.h>

#include "jvm/exact/tracker_making.h"
#include "jvm/exact/tracker_standby.h"
#include "preload/hot/runtime.h"
#include "preload/sys/text.h"
#include "wire/counts.h"
#include "wire/id.h"

static void stop_counting(struct tracker_making *making)
{
	making_put_address(making, BLOCK, BLOCK_AT(java_counting));
	making_put(making, LCONST_0);
	making_set(making);
}

static void put_id(struct tracker_making *making)
{
	making_get(making, BLOCK, BLOCK_AT(id));
	making_put_with(making, LSTORE, CALLER);
	making_put_with(making, LLOAD, CALLER);
	making_put_with(making, BIPUSH, ID_ROTATION);
	making_put(making, LSHL);
	making_put_with(making, LLOAD, CALLER);
	making_put_with(making, BIPUSH, 64 - ID_ROTATION);
	making_put(making, LUSHR);
	making_put(making, LOR);
	making_put_with(making, ILOAD, NUMBER);
	making_put_with(
		making, LDC_W,
		pool_add_integer(&making->pool, (int32_t)ID_KEY_MULTIPLIER));
	making_put(making, IMUL);
	making_put(making, I2L);
	making_put(making, LADD);
	making_put_long(making, ID_MULTIPLIER);
	making_put(making, LMUL);
	making_put_with(making, LSTORE, ID);
}

static void put_entry(struct tracker_making *making)
{
	making_put_address(making, BLOCK, BLOCK_AT(mask));
	making_put_with(making, INVOKEVIRTUAL, making->get_long_volatile);
	making_put_with(making, LLOAD, ID);
	making_put(making, LAND);
	making_get(making, BLOCK, BLOCK_AT(table));
	making_put(making, LADD);
	making_put_with(making, LSTORE, ENTRY);
}

#define FIELD_AT offsetof(struct wire_count, field)

static void make_enter(struct tracker_making *making,
		       enum tracker_layout layout)
{
	struct tracker_ways ways = making_put_block(making, layout);
	uint32_t is_elsewhere, is_due;

	put_id(making);
	put_entry(making);
	making_get(making, ENTRY, offsetof(struct wire_count, id));
	making_put_with(making, LLOAD, ID);
	making_put(making, LCMP);
	is_elsewhere = making_jump(making, IFNE);
	making_put_address(making, BLOCK, BLOCK_AT(java_counting));
	making_put_with(making, LLOAD, ENTRY);
	making_set(making);
	making_get(making, ENTRY, FIELD_AT);
	making_put_with(making, LSTORE, FIELD);
	making_put_with(making, LLOAD, FIELD);
	making_put_with(making, BIPUSH, WIRE_VERIFY_SHIFT);
	making_put(making, LUSHR);
	making_put(making, LCONST_0);
	making_put(making, LCMP);
	is_due = making_jump(making, IFEQ);
	making_put_address(making, ENTRY, FIELD_AT);
	making_put_with(making, LLOAD, FIELD);
	making_put_long(making, WIRE_CALL_STEP);
	making_put(making, LADD);
	making_set(making);
	making_put_address(making, BLOCK, BLOCK_AT(id));
	making_put_with(making, LLOAD, ID);
	making_set(making);
	stop_counting(making);
	making_put_with(making, LLOAD, CALLER);
	making_put(making, LRETURN);

	making_land(making, is_due);
	stop_counting(making);
	making_land(making, is_elsewhere);
	if (layout == TRACKER_IN_HOLDER)
		making_land(making, ways.no_holder);
	making_put_with(making, ILOAD, NUMBER);
	making_put_with(making, INVOKESTATIC, making->natives_enter);
	making_put(making, LRETURN);

	making_land(making, ways.unknown);
	making_put_word(making);
	making_put_with(making, ILOAD, NUMBER);
	making_put_with(making, INVOKESTATIC, making->natives_enter);
	making_put(making, LRETURN);
}

static void make_caught(struct tracker_making *making,
			enum tracker_layout layout)
{
	making_put_with(making, LLOAD, KEPT);
	making_put_with(making, ILOAD, KEPT + 2);
	making_put_with(making, INVOKESTATIC, making->natives_caught);
	making_put(making, RETURN);
}

static void make_rethrow(struct tracker_making *making,
			 enum tracker_layout layout)
{
	making_put_with(making, ALOAD, 0);
	making_put(making, ATHROW);
}

/* Java 8 has no method of Unsafe that takes the name of a field. */
static void put_offset(struct tracker_making *making,
		       enum tracker_layout layout, const char *class,
		       const char *field, uint32_t to)
{
	const char *parameters = "(Ljava/lang/Class;Ljava/lang/String;)J";

	making_put_with(making, GETSTATIC, making->unsafe_field);
	making_put_with(making, LDC_W, pool_add_class(&making->pool, class));
	making_put_with(making, LDC_W, pool_add_text(&making->pool, field));
	if (layout == TRACKER_IN_THREAD_8) {
		making_put_with(making, INVOKEVIRTUAL,
				making_add_method(making, "java/lang/Class",
						  "getDeclaredField",
						  "(Ljava/lang/String;)"
						  "Ljava/lang/reflect/Field;"));
		parameters = "(Ljava/lang/reflect/Field;)J";
	}
	making_put_with(making, INVOKEVIRTUAL,
			making_add_method(making, making->unsafe,
					  "objectFieldOffset", parameters));
	making_put_with(making, PUTSTATIC, to);
}

static void make_initialiser(struct tracker_making *making,
			     enum tracker_layout layout)
{
	const char *type = layout == TRACKER_IN_THREAD_8
				   ? "()Lsun/misc/Unsafe;"
				   : "()Ljdk/internal/misc/Unsafe;";

	making_put_with(
		making, INVOKESTATIC,
		making_add_method(making, making->unsafe, "getUnsafe", type));
	making_put_with(making, PUTSTATIC, making->unsafe_field);
	if (layout == TRACKER_IN_HOLDER)
		put_offset(making, layout, TRACKER_THREAD, "holder",
			   making->holder_field);
	put_offset(making, layout,
		   layout == TRACKER_IN_HOLDER ? TRACKER_HOLDER
					       : TRACKER_THREAD,
		   "stackSize", making->word_field);
	making_put(making, RETURN);
}

/* ---- After the recording ---- */

/*
 * Generates enter() of a finished recording's tracker, which returns the
 * thread's id and counts nothing.
 */
static void make_enter_of_nobody(struct tracker_making *making,
				 enum tracker_layout layout)
{
	making_put(making, LCONST_0);
	making_put(making, L2I);
	making_put_with(making, INVOKESTATIC, making->natives_enter);
	making_put(making, LRETURN);
}

/* Puts code that returns if another session of clew has begun. */
static void put_session(struct tracker_making *making)
{
	uint32_t is_mine;

	making_put_with(making, GETSTATIC, making->unsafe_field);
	making_put(making, ACONST_NULL);
	making_put_long(making, (uintptr_t)&rt.sessions);
	making_put_with(making, INVOKEVIRTUAL, making->get_long);
	making_put_long(making, rt.sessions);
	making_put(making, LCMP);
	is_mine = making_jump(making, IFEQ);
	making_put(making, RETURN);
	making_land(making, is_mine);
}

static void make_late_exit(struct tracker_making *making,
			   enum tracker_layout layout)
{
	put_session(making);
	making_put_leave(making, layout);
}

static void make_late_caught(struct tracker_making *making,
			     enum tracker_layout layout)
{
	put_session(making);
	make_caught(making, layout);
}

/* ---- The classes ---- */

/*
 * Writes the tracker's methods: those that rewritten methods call, and their
 * helpers.
 */
static void write_methods(struct tracker_making *making,
			  const struct tracker_kind *kind)
{
	const enum tracker_layout layout = kind->layout;

	making_write_method(making, "<clinit>", "()V", make_initialiser,
			    layout);
	making_write_method(making, "enter", "(I)J",
			    kind->is_over ? make_enter_of_nobody : make_enter,
			    layout);
	making_write_method(making, "rethrow",
			    "(Ljava/lang/Throwable;)Ljava/lang/Throwable;",
			    make_rethrow, layout);
	if (kind->stands_by) {
		making_write_method(making, "leave", "(J)V", making_put_leave,
				    layout);
		tracker_standby_write(making, layout);
		return;
	}
	making_write_method(making, "exit", "(J)V",
			    kind->is_over ? make_late_exit : making_put_leave,
			    layout);
	making_write_method(making, "caught", "(JI)V",
			    kind->is_over ? make_late_caught : make_caught,
			    layout);
}

int tracker_class_is_clews(const char *name)
{
	static const char beginning[] = TRACKER_CLASS;

	return same_text(name, TRACKER_NATIVES) ||
	       !strncmp(name, beginning, sizeof(beginning) - 1);
}

int tracker_class_make(const struct classfile_caller *caller,
		       const struct tracker_kind *kind,
		       struct classfile_result *result)
{
	struct tracker_making making;

	making_begin(&making, kind->name, caller);
	making_add_constants(&making, kind->layout);
	write_methods(&making, kind);
	making_write_class(&making, 4);
	making_write_field(&making, TRACKER_FINAL, "U", making.unsafe_type);
	making_write_field(&making, TRACKER_FINAL, "WORD", "J");
	making_write_field(&making, TRACKER_FINAL, "HOLDER", "J");
	making_write_field(&making, TRACKER_PUBLIC | TRACKER_VOLATILE,
			   STANDBY_FIELD, "I");
	return making_end(&making, result);
}

int tracker_class_make_natives(const struct classfile_caller *caller,
			       struct classfile_result *result)
{
	struct tracker_making making;

	making_begin(&making, TRACKER_NATIVES, caller);
	making_write_native(&making, "enter", "(I)J");
	making_write_native(&making, "exit", "(J)V");
	making_write_native(&making, "caught", "(JI)V");
	making_write_native(&making, "word", "()J");
	making_write_native(&making, "passed", "(J)V");
	making_write_class(&making, 0);
	return making_end(&making, result);
}
