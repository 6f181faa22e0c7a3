/* SPDX-License-Identifier: MIT */
/*
 * The class files of the tracker and of its natives, of version 49, in which no frames
 * are needed. In Java:
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
 * - The word of a thread is negative only if it is ours: the size of a stack is not.
 *   In later machines `thread` is the holder of the thread that carries a virtual one
 *   (Thread.currentCarrierThread()), or of the thread itself. A virtual thread cannot
 *   come to another while it is in here.
 * - All that does not go as usual is left to a native, before anything is changed.
 * - The mask is read before the table (count.c): nothing is moved before a volatile read.
 * - Compiled code does not add to a count by one instruction. While COUNTING is not 0
 *   the thread's table must stay (record/tables.c).
 * - Where the stack ends, the interpreter throws at a call, and each read and write here is
 *   one. The first has two numbers more below it than any later one has arguments, so
 *   that the stack ends there or nowhere: then nothing has been done.
 */
#include "jvm/tracker_class.h"

#include <stddef.h>

#include "classfile/class_pool.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "wire/counts.h"
#include "wire/id.h"

#define MAGIC         0xcafebabe
#define VERSION       49
#define PUBLIC        0x0001
#define STATIC        0x0008
#define FINAL         0x0010
#define SUPER         0x0020
#define NATIVE        0x0100
#define SYNTHETIC     0x1000

#define CODE_MAX      512
#define JUMPS_MAX     8
#define UNSAFE        "jdk/internal/misc/Unsafe"
#define THREAD        "java/lang/Thread"
#define HOLDER        "java/lang/Thread$FieldHolder"
#define VARIABLES_MAX 16
#define STACK_MAX     16

enum op {
	ACONST_NULL = 1,
	LCONST_0 = 9,
	BIPUSH = 16,
	LDC_W = 19,
	LDC2_W = 20,
	ILOAD = 21,
	LLOAD = 22,
	ALOAD = 25,
	LSTORE = 55,
	ASTORE = 58,
	POP2 = 88,
	LADD = 97,
	IMUL = 104,
	LMUL = 105,
	LSHL = 121,
	LUSHR = 125,
	LAND = 127,
	LOR = 129,
	LXOR = 131,
	I2L = 133,
	L2I = 136,
	LCMP = 148,
	IFEQ = 153,
	IFNE = 154,
	IFGE = 156,
	LRETURN = 173,
	RETURN = 177,
	GETSTATIC = 178,
	PUTSTATIC = 179,
	INVOKEVIRTUAL = 182,
	INVOKESTATIC = 184,
	IFNULL = 198,
};

/* A class that is being made. */
struct class_making {
	struct class_pool pool;
	struct class_output members, whole;
	const char *name;
	uint32_t code_name, method_count;
	uint32_t unsafe_field, word_field, holder_field;
	uint32_t get_long, get_long_volatile, put_long, get_reference;
	uint32_t current_thread, natives_enter, natives_exit, natives_caught,
		natives_word;
	/* of the method that is being made */
	uint8_t code[CODE_MAX];
	uint32_t used;
};

/* ---- Constants ---- */

static uint32_t add_method(struct class_making *making, const char *class,
			   const char *name, const char *descriptor)
{
	return pool_add_method(&making->pool,
			       pool_add_class(&making->pool, class), name,
			       descriptor);
}

static uint32_t add_field(struct class_making *making, const char *name,
			  const char *descriptor)
{
	return pool_add_field(&making->pool,
			      pool_add_class(&making->pool, making->name), name,
			      descriptor);
}

/* ---- Code ---- */

static void put(struct class_making *making, uint8_t byte)
{
	if (making->used < CODE_MAX)
		making->code[making->used++] = byte;
}

static void put_u2(struct class_making *making, uint32_t value)
{
	put(making, (uint8_t)(value >> 8));
	put(making, (uint8_t)value);
}

static void put_with(struct class_making *making, enum op op, uint32_t operand)
{
	put(making, op);
	if (op == BIPUSH || (op >= ILOAD && op <= ALOAD) ||
	    (op >= LSTORE && op <= ASTORE))
		put(making, (uint8_t)operand);
	else
		put_u2(making, operand);
}

static void put_long(struct class_making *making, uint64_t value)
{
	put_with(making, LDC2_W, pool_add_long(&making->pool, (int64_t)value));
}

/* A jump forwards, to where land() says. Returns where it is. */
static uint32_t jump(struct class_making *making, enum op op)
{
	const uint32_t at = making->used;

	put(making, op);
	put_u2(making, 0);
	return at;
}

static void land(struct class_making *making, uint32_t jump)
{
	const uint32_t distance = making->used - jump;

	making->code[jump + 1] = (uint8_t)(distance >> 8);
	making->code[jump + 2] = (uint8_t)distance;
}

/* Local variables; a long has two. */
enum tracker_variable {
	NUMBER = 0, /* enter(), caught() */
	KEPT = 0,   /* exit() */
	OBJECT = 2,
	BLOCK = 3,
	CALLER = 5,
	ID = 7,
	ENTRY = 9,
	FIELD = 11,
};

/* U, null, variable + offset */
static void put_address(struct class_making *making,
			enum tracker_variable variable, uint64_t offset)
{
	put_with(making, GETSTATIC, making->unsafe_field);
	put(making, ACONST_NULL);
	put_with(making, LLOAD, variable);
	if (offset) {
		put_long(making, offset);
		put(making, LADD);
	}
}

static void get(struct class_making *making, enum tracker_variable variable,
		uint64_t offset)
{
	put_address(making, variable, offset);
	put_with(making, INVOKEVIRTUAL, making->get_long);
}

/* The value is put by the caller in between. */
static void set(struct class_making *making)
{
	put_with(making, INVOKEVIRTUAL, making->put_long);
}

#define BLOCK_AT(member) offsetof(struct hot_thread, member)

static void stop_counting(struct class_making *making)
{
	put_address(making, BLOCK, BLOCK_AT(java_counting));
	put(making, LCONST_0);
	set(making);
}

struct ways {
	uint32_t no_holder, unknown;
};

/* The block of the thread, with more on the stack than anything later has. */
static struct ways put_block(struct class_making *making,
			     enum tracker_layout layout)
{
	struct ways ways = { 0 };

	put(making, LCONST_0);
	put(making, LCONST_0);
	if (layout == TRACKER_IN_HOLDER)
		put_with(making, GETSTATIC, making->unsafe_field);
	put_with(making, INVOKESTATIC, making->current_thread);
	if (layout == TRACKER_IN_HOLDER) {
		put_with(making, GETSTATIC, making->holder_field);
		put_with(making, INVOKEVIRTUAL, making->get_reference);
	}
	put_with(making, ASTORE, OBJECT);
	put(making, POP2);
	put(making, POP2);
	if (layout == TRACKER_IN_HOLDER) {
		put_with(making, ALOAD, OBJECT);
		ways.no_holder = jump(making, IFNULL);
	}
	put(making, LCONST_0);
	put(making, LCONST_0);
	put_with(making, GETSTATIC, making->unsafe_field);
	put_with(making, ALOAD, OBJECT);
	put_with(making, GETSTATIC, making->word_field);
	put_with(making, INVOKEVIRTUAL, making->get_long);
	put_with(making, LSTORE, BLOCK);
	put(making, POP2);
	put(making, POP2);
	put_with(making, LLOAD, BLOCK);
	put(making, LCONST_0);
	put(making, LCMP);
	ways.unknown = jump(making, IFGE);
	put_with(making, LLOAD, BLOCK);
	put_long(making, UINT64_MAX);
	put(making, LXOR);
	put_with(making, LSTORE, BLOCK);
	return ways;
}

static void put_id(struct class_making *making)
{
	get(making, BLOCK, BLOCK_AT(id));
	put_with(making, LSTORE, CALLER);
	put_with(making, LLOAD, CALLER);
	put_with(making, BIPUSH, ID_ROTATION);
	put(making, LSHL);
	put_with(making, LLOAD, CALLER);
	put_with(making, BIPUSH, 64 - ID_ROTATION);
	put(making, LUSHR);
	put(making, LOR);
	put_with(making, ILOAD, NUMBER);
	put_with(making, LDC_W,
		 pool_add_integer(&making->pool, (int32_t)ID_KEY_MULTIPLIER));
	put(making, IMUL);
	put(making, I2L);
	put(making, LADD);
	put_long(making, ID_MULTIPLIER);
	put(making, LMUL);
	put_with(making, LSTORE, ID);
}

static void put_entry(struct class_making *making)
{
	put_address(making, BLOCK, BLOCK_AT(mask));
	put_with(making, INVOKEVIRTUAL, making->get_long_volatile);
	put_with(making, LLOAD, ID);
	put(making, LAND);
	get(making, BLOCK, BLOCK_AT(table));
	put(making, LADD);
	put_with(making, LSTORE, ENTRY);
}

#define FIELD_AT offsetof(struct wire_count, field)

static void make_enter(struct class_making *making, enum tracker_layout layout)
{
	struct ways ways = put_block(making, layout);
	uint32_t is_elsewhere, is_due;

	put_id(making);
	put_entry(making);
	get(making, ENTRY, offsetof(struct wire_count, id));
	put_with(making, LLOAD, ID);
	put(making, LCMP);
	is_elsewhere = jump(making, IFNE);
	put_address(making, BLOCK, BLOCK_AT(java_counting));
	put_with(making, LLOAD, ENTRY);
	set(making);
	get(making, ENTRY, FIELD_AT);
	put_with(making, LSTORE, FIELD);
	put_with(making, LLOAD, FIELD);
	put_with(making, BIPUSH, WIRE_VERIFY_SHIFT);
	put(making, LUSHR);
	put(making, LCONST_0);
	put(making, LCMP);
	is_due = jump(making, IFEQ);
	put_address(making, ENTRY, FIELD_AT);
	put_with(making, LLOAD, FIELD);
	put_long(making, WIRE_CALL_STEP);
	put(making, LADD);
	set(making);
	put_address(making, BLOCK, BLOCK_AT(id));
	put_with(making, LLOAD, ID);
	set(making);
	stop_counting(making);
	put_with(making, LLOAD, CALLER);
	put(making, LRETURN);

	land(making, is_due);
	stop_counting(making);
	land(making, is_elsewhere);
	if (layout == TRACKER_IN_HOLDER)
		land(making, ways.no_holder);
	put_with(making, ILOAD, NUMBER);
	put_with(making, INVOKESTATIC, making->natives_enter);
	put(making, LRETURN);

	land(making, ways.unknown);
	put_with(making, GETSTATIC, making->unsafe_field);
	put_with(making, ALOAD, OBJECT);
	put_with(making, GETSTATIC, making->word_field);
	put_with(making, INVOKESTATIC, making->natives_word);
	set(making);
	put_with(making, ILOAD, NUMBER);
	put_with(making, INVOKESTATIC, making->natives_enter);
	put(making, LRETURN);
}

static void make_exit(struct class_making *making, enum tracker_layout layout)
{
	struct ways ways = put_block(making, layout);

	put_address(making, BLOCK, BLOCK_AT(id));
	put_with(making, LLOAD, KEPT);
	set(making);
	put(making, RETURN);
	land(making, ways.unknown);
	if (layout == TRACKER_IN_HOLDER)
		land(making, ways.no_holder);
	put_with(making, LLOAD, KEPT);
	put_with(making, INVOKESTATIC, making->natives_exit);
	put(making, RETURN);
}

static void make_caught(struct class_making *making, enum tracker_layout layout)
{
	put_with(making, LLOAD, KEPT);
	put_with(making, ILOAD, KEPT + 2);
	put_with(making, INVOKESTATIC, making->natives_caught);
	put(making, RETURN);
}

static void put_offset(struct class_making *making, const char *class,
		       const char *field, uint32_t to)
{
	put_with(making, GETSTATIC, making->unsafe_field);
	put_with(making, LDC_W, pool_add_class(&making->pool, class));
	put_with(making, LDC_W, pool_add_text(&making->pool, field));
	put_with(making, INVOKEVIRTUAL,
		 add_method(making, UNSAFE, "objectFieldOffset",
			    "(Ljava/lang/Class;Ljava/lang/String;)J"));
	put_with(making, PUTSTATIC, to);
}

static void make_initialiser(struct class_making *making,
			     enum tracker_layout layout)
{
	put_with(making, INVOKESTATIC,
		 add_method(making, UNSAFE, "getUnsafe", "()L" UNSAFE ";"));
	put_with(making, PUTSTATIC, making->unsafe_field);
	if (layout == TRACKER_IN_HOLDER)
		put_offset(making, THREAD, "holder", making->holder_field);
	put_offset(making, layout == TRACKER_IN_HOLDER ? HOLDER : THREAD,
		   "stackSize", making->word_field);
	put(making, RETURN);
}

/* ---- Classes ---- */

static void write_head(struct class_making *making, uint32_t access,
		       const char *name, const char *descriptor)
{
	making->method_count++;
	output_u2(&making->members, access);
	output_u2(&making->members, pool_add_string(&making->pool, name));
	output_u2(&making->members, pool_add_string(&making->pool, descriptor));
}

static void write_method(struct class_making *making, const char *name,
			 const char *descriptor,
			 void (*make)(struct class_making *,
				      enum tracker_layout),
			 enum tracker_layout layout)
{
	making->used = 0;
	make(making, layout);
	write_head(making, PUBLIC | STATIC, name, descriptor);
	output_u2(&making->members, 1);
	output_u2(&making->members, making->code_name);
	output_u4(&making->members, 12 + making->used);
	output_u2(&making->members, STACK_MAX);
	output_u2(&making->members, VARIABLES_MAX);
	output_u4(&making->members, making->used);
	output_bytes(&making->members, making->code, making->used);
	output_u2(&making->members, 0); /* exceptions */
	output_u2(&making->members, 0); /* attributes */
}

static void write_native(struct class_making *making, const char *name,
			 const char *descriptor)
{
	write_head(making, PUBLIC | STATIC | NATIVE, name, descriptor);
	output_u2(&making->members, 0);
}

static void write_field(struct class_making *making, const char *name,
			const char *descriptor)
{
	output_u2(&making->whole, STATIC | FINAL);
	output_u2(&making->whole, pool_add_string(&making->pool, name));
	output_u2(&making->whole, pool_add_string(&making->pool, descriptor));
	output_u2(&making->whole, 0);
}

static void begin(struct class_making *making, const char *name,
		  const struct classfile_caller *caller)
{
	*making = (struct class_making){ .pool = { .count = 1, .next = 1 },
					 .name = name };
	making->pool.added.caller = caller;
	making->members.caller = caller;
	making->whole.caller = caller;
	making->code_name = pool_add_string(&making->pool, "Code");
}

/* From the access flags on, in what is to come behind the constants. */
static void write_class(struct class_making *making, uint32_t field_count)
{
	output_u2(&making->whole, PUBLIC | FINAL | SUPER | SYNTHETIC);
	output_u2(&making->whole, pool_add_class(&making->pool, making->name));
	output_u2(&making->whole,
		  pool_add_class(&making->pool, "java/lang/Object"));
	output_u2(&making->whole, 0); /* interfaces */
	output_u2(&making->whole, field_count);
}

static int end(struct class_making *making, struct classfile_result *result)
{
	struct class_output out = { .caller = making->whole.caller };

	output_u4(&out, MAGIC);
	output_u4(&out, VERSION);
	output_u2(&out, making->pool.next);
	output_bytes(&out, making->pool.added.data, making->pool.added.used);
	output_bytes(&out, making->whole.data, making->whole.used);
	output_u2(&out, making->method_count);
	output_bytes(&out, making->members.data, making->members.used);
	output_u2(&out, 0); /* attributes */
	*result = (struct classfile_result){ out.data, out.used,
					     making->method_count };
	return !(out.is_full || making->whole.is_full ||
		 making->members.is_full || making->pool.added.is_full);
}

static void add_constants(struct class_making *making,
			  enum tracker_layout layout)
{
	making->unsafe_field = add_field(making, "U", "L" UNSAFE ";");
	making->word_field = add_field(making, "WORD", "J");
	making->holder_field = add_field(making, "HOLDER", "J");
	making->get_long =
		add_method(making, UNSAFE, "getLong", "(Ljava/lang/Object;J)J");
	making->get_long_volatile = add_method(
		making, UNSAFE, "getLongVolatile", "(Ljava/lang/Object;J)J");
	making->put_long = add_method(making, UNSAFE, "putLong",
				      "(Ljava/lang/Object;JJ)V");
	making->get_reference =
		add_method(making, UNSAFE, "getReference",
			   "(Ljava/lang/Object;J)Ljava/lang/Object;");
	making->current_thread =
		add_method(making, THREAD,
			   layout == TRACKER_IN_HOLDER ? "currentCarrierThread"
						       : "currentThread",
			   "()L" THREAD ";");
	making->natives_enter =
		add_method(making, TRACKER_NATIVES, "enter", "(I)J");
	making->natives_exit =
		add_method(making, TRACKER_NATIVES, "exit", "(J)V");
	making->natives_caught =
		add_method(making, TRACKER_NATIVES, "caught", "(JI)V");
	making->natives_word =
		add_method(making, TRACKER_NATIVES, "word", "()J");
}

/* ---- Of a recording that is over ---- */

/* The caller's id stays what it is. */
static void make_enter_of_nobody(struct class_making *making,
				 enum tracker_layout layout)
{
	put(making, LCONST_0);
	put(making, L2I);
	put_with(making, INVOKESTATIC, making->natives_enter);
	put(making, LRETURN);
}

/* Returns if there is another session. */
static void put_session(struct class_making *making)
{
	uint32_t is_mine;

	put_with(making, GETSTATIC, making->unsafe_field);
	put(making, ACONST_NULL);
	put_long(making, (uintptr_t)&rt.sessions);
	put_with(making, INVOKEVIRTUAL, making->get_long);
	put_long(making, rt.sessions);
	put(making, LCMP);
	is_mine = jump(making, IFEQ);
	put(making, RETURN);
	land(making, is_mine);
}

static void make_late_exit(struct class_making *making,
			   enum tracker_layout layout)
{
	put_session(making);
	make_exit(making, layout);
}

static void make_late_caught(struct class_making *making,
			     enum tracker_layout layout)
{
	put_session(making);
	make_caught(making, layout);
}

int tracker_class_make(const struct classfile_caller *caller,
		       const struct tracker_kind *kind,
		       struct classfile_result *result)
{
	const enum tracker_layout layout = kind->layout;
	struct class_making making;

	begin(&making, kind->name, caller);
	add_constants(&making, layout);
	write_method(&making, "<clinit>", "()V", make_initialiser, layout);
	write_method(&making, "enter", "(I)J",
		     kind->is_over ? make_enter_of_nobody : make_enter, layout);
	write_method(&making, "exit", "(J)V",
		     kind->is_over ? make_late_exit : make_exit, layout);
	write_method(&making, "caught", "(JI)V",
		     kind->is_over ? make_late_caught : make_caught, layout);
	write_class(&making, 3);
	write_field(&making, "U", "L" UNSAFE ";");
	write_field(&making, "WORD", "J");
	write_field(&making, "HOLDER", "J");
	return end(&making, result);
}

int tracker_class_make_natives(const struct classfile_caller *caller,
			       struct classfile_result *result)
{
	struct class_making making;

	begin(&making, TRACKER_NATIVES, caller);
	write_native(&making, "enter", "(I)J");
	write_native(&making, "exit", "(J)V");
	write_native(&making, "caught", "(JI)V");
	write_native(&making, "word", "()J");
	write_class(&making, 0);
	return end(&making, result);
}
