/* SPDX-License-Identifier: MIT */
/* See tracker_making.h. */
#include "jvm/exact/tracker_making.h"

#include "jvm/exact/tracker_standby.h"

#define MAGIC         0xcafebabe
#define VERSION       49
#define STATIC        0x0008
#define SUPER         0x0020
#define NATIVE        0x0100
#define SYNTHETIC     0x1000

#define VARIABLES_MAX 16
#define STACK_MAX     16

/* ---- Constants ---- */

uint32_t making_add_method(struct tracker_making *making, const char *class,
			   const char *name, const char *descriptor)
{
	return pool_add_method(&making->pool,
			       pool_add_class(&making->pool, class), name,
			       descriptor);
}

uint32_t making_add_field(struct tracker_making *making, const char *name,
			  const char *descriptor)
{
	return pool_add_field(&making->pool,
			      pool_add_class(&making->pool, making->name), name,
			      descriptor);
}

/* ---- Code ---- */

void making_put(struct tracker_making *making, uint8_t byte)
{
	if (making->used < TRACKER_CODE_MAX)
		making->code[making->used++] = byte;
}

static void making_put_u2(struct tracker_making *making, uint32_t value)
{
	making_put(making, (uint8_t)(value >> 8));
	making_put(making, (uint8_t)value);
}

void making_put_with(struct tracker_making *making, enum tracker_op op,
		     uint32_t operand)
{
	making_put(making, op);
	if (op == BIPUSH || (op >= ILOAD && op <= ALOAD) ||
	    (op >= LSTORE && op <= ASTORE))
		making_put(making, (uint8_t)operand);
	else
		making_put_u2(making, operand);
}

void making_put_long(struct tracker_making *making, uint64_t value)
{
	making_put_with(making, LDC2_W,
			pool_add_long(&making->pool, (int64_t)value));
}

uint32_t making_jump(struct tracker_making *making, enum tracker_op op)
{
	const uint32_t at = making->used;

	making_put(making, op);
	making_put_u2(making, 0);
	return at;
}

void making_land(struct tracker_making *making, uint32_t jump)
{
	const uint32_t distance = making->used - jump;

	making->code[jump + 1] = (uint8_t)(distance >> 8);
	making->code[jump + 2] = (uint8_t)distance;
}

/*
 * Puts code that pushes U, null and (variable + offset): the arguments of an
 * access to memory by U, the Unsafe object.
 */
void making_put_address(struct tracker_making *making,
			enum tracker_variable variable, uint64_t offset)
{
	making_put_with(making, GETSTATIC, making->unsafe_field);
	making_put(making, ACONST_NULL);
	making_put_with(making, LLOAD, variable);
	if (offset) {
		making_put_long(making, offset);
		making_put(making, LADD);
	}
}

void making_get(struct tracker_making *making, enum tracker_variable variable,
		uint64_t offset)
{
	making_put_address(making, variable, offset);
	making_put_with(making, INVOKEVIRTUAL, making->get_long);
}

void making_set(struct tracker_making *making)
{
	making_put_with(making, INVOKEVIRTUAL, making->put_long);
}

struct tracker_ways making_put_block(struct tracker_making *making,
				     enum tracker_layout layout)
{
	struct tracker_ways ways = { 0 };

	making_put(making, LCONST_0);
	making_put(making, LCONST_0);
	if (layout == TRACKER_IN_HOLDER)
		making_put_with(making, GETSTATIC, making->unsafe_field);
	making_put_with(making, INVOKESTATIC, making->current_thread);
	if (layout == TRACKER_IN_HOLDER) {
		making_put_with(making, GETSTATIC, making->holder_field);
		making_put_with(making, INVOKEVIRTUAL, making->get_reference);
	}
	making_put_with(making, ASTORE, OBJECT);
	making_put(making, POP2);
	making_put(making, POP2);
	if (layout == TRACKER_IN_HOLDER) {
		making_put_with(making, ALOAD, OBJECT);
		ways.no_holder = making_jump(making, IFNULL);
	}
	making_put(making, LCONST_0);
	making_put(making, LCONST_0);
	making_put_with(making, GETSTATIC, making->unsafe_field);
	making_put_with(making, ALOAD, OBJECT);
	making_put_with(making, GETSTATIC, making->word_field);
	making_put_with(making, INVOKEVIRTUAL, making->get_long);
	making_put_with(making, LSTORE, BLOCK);
	making_put(making, POP2);
	making_put(making, POP2);
	making_put_with(making, LLOAD, BLOCK);
	making_put(making, LCONST_0);
	making_put(making, LCMP);
	ways.unknown = making_jump(making, IFGE);
	making_put_with(making, LLOAD, BLOCK);
	making_put_long(making, UINT64_MAX);
	making_put(making, LXOR);
	making_put_with(making, LSTORE, BLOCK);
	return ways;
}

void making_put_word(struct tracker_making *making)
{
	making_put_with(making, GETSTATIC, making->unsafe_field);
	making_put_with(making, ALOAD, OBJECT);
	making_put_with(making, GETSTATIC, making->word_field);
	making_put_with(making, INVOKESTATIC, making->natives_word);
	making_set(making);
}

_Static_assert(BLOCK_AT(id) == 0, "the block's address is the id's");

/*
 * Puts leave() for Java without virtual threads. The thread's object has
 * contained the block's address since the call began, so the code need not
 * check this. Compilers inline such a short method. Only its last call has an
 * effect, so a stack overflow at one of the earlier calls does no harm.
 */
static void put_leave_in_thread(struct tracker_making *making)
{
	making_put_with(making, GETSTATIC, making->unsafe_field);
	making_put(making, ACONST_NULL);
	making_put_with(making, GETSTATIC, making->unsafe_field);
	making_put_with(making, INVOKESTATIC, making->current_thread);
	making_put_with(making, GETSTATIC, making->word_field);
	making_put_with(making, INVOKEVIRTUAL, making->get_long);
	making_put_long(making, UINT64_MAX);
	making_put(making, LXOR);
	making_put_with(making, LLOAD, KEPT);
	making_set(making);
	making_put(making, RETURN);
}

void making_put_leave(struct tracker_making *making, enum tracker_layout layout)
{
	struct tracker_ways ways;

	if (layout != TRACKER_IN_HOLDER) {
		put_leave_in_thread(making);
		return;
	}
	ways = making_put_block(making, layout);
	making_put_address(making, BLOCK, BLOCK_AT(id));
	making_put_with(making, LLOAD, KEPT);
	making_set(making);
	making_put(making, RETURN);
	making_land(making, ways.unknown);
	making_land(making, ways.no_holder);
	making_put_with(making, LLOAD, KEPT);
	making_put_with(making, INVOKESTATIC, making->natives_exit);
	making_put(making, RETURN);
}

/* ---- Classes ---- */

static void write_head(struct tracker_making *making, uint32_t access,
		       const char *name, const char *descriptor)
{
	making->method_count++;
	output_u2(&making->members, access);
	output_u2(&making->members, pool_add_string(&making->pool, name));
	output_u2(&making->members, pool_add_string(&making->pool, descriptor));
}

/*
 * Marks a method as hidden: stack traces of exceptions and StackWalker omit it,
 * like methods of the JVM itself. The annotation's name depends on the version
 * of Java, so both names are written.
 */
static void write_hidden(struct tracker_making *making)
{
	static const char *const names[] = {
		"Ljdk/internal/vm/annotation/Hidden;",
		"Ljava/lang/invoke/LambdaForm$Hidden;",
	};

	output_u2(&making->members,
		  pool_add_string(&making->pool, "RuntimeVisibleAnnotations"));
	output_u4(&making->members, 2 + 2 * 4);
	output_u2(&making->members, 2);
	for (size_t i = 0; i < 2; i++) {
		output_u2(&making->members,
			  pool_add_string(&making->pool, names[i]));
		output_u2(&making->members, 0); /* number of elements */
	}
}

void making_write_method(struct tracker_making *making, const char *name,
			 const char *descriptor,
			 void (*make)(struct tracker_making *,
				      enum tracker_layout),
			 enum tracker_layout layout)
{
	making->used = 0;
	make(making, layout);
	write_head(making, TRACKER_PUBLIC | STATIC, name, descriptor);
	output_u2(&making->members, 2);
	write_hidden(making);
	output_u2(&making->members, making->code_name);
	output_u4(&making->members, 12 + making->used);
	output_u2(&making->members, STACK_MAX);
	output_u2(&making->members, VARIABLES_MAX);
	output_u4(&making->members, making->used);
	output_bytes(&making->members, making->code, making->used);
	output_u2(&making->members, 0); /* number of exceptions */
	output_u2(&making->members, 0); /* number of attributes */
}

void making_write_native(struct tracker_making *making, const char *name,
			 const char *descriptor)
{
	write_head(making, TRACKER_PUBLIC | STATIC | NATIVE, name, descriptor);
	output_u2(&making->members, 1);
	write_hidden(making);
}

void making_write_field(struct tracker_making *making, uint32_t access,
			const char *name, const char *descriptor)
{
	output_u2(&making->whole, STATIC | access);
	output_u2(&making->whole, pool_add_string(&making->pool, name));
	output_u2(&making->whole, pool_add_string(&making->pool, descriptor));
	output_u2(&making->whole, 0);
}

void making_begin(struct tracker_making *making, const char *name,
		  const struct classfile_caller *caller)
{
	*making = (struct tracker_making){ .pool = { .count = 1, .next = 1 },
					   .name = name };
	making->pool.added.caller = caller;
	making->members.caller = caller;
	making->whole.caller = caller;
	making->code_name = pool_add_string(&making->pool, "Code");
}

/*
 * Writes the part of the class file behind the constants, beginning with the
 * access flags.
 */
void making_write_class(struct tracker_making *making, uint32_t field_count)
{
	output_u2(&making->whole,
		  TRACKER_PUBLIC | TRACKER_FINAL | SUPER | SYNTHETIC);
	output_u2(&making->whole, pool_add_class(&making->pool, making->name));
	output_u2(&making->whole,
		  pool_add_class(&making->pool, "java/lang/Object"));
	output_u2(&making->whole, 0); /* number of interfaces */
	output_u2(&making->whole, field_count);
}

int making_end(struct tracker_making *making, struct classfile_result *result)
{
	struct class_output out = { .caller = making->whole.caller };

	output_u4(&out, MAGIC);
	output_u4(&out, VERSION);
	output_u2(&out, making->pool.next);
	output_bytes(&out, making->pool.added.data, making->pool.added.used);
	output_bytes(&out, making->whole.data, making->whole.used);
	output_u2(&out, making->method_count);
	output_bytes(&out, making->members.data, making->members.used);
	output_u2(&out, 0); /* number of attributes */
	*result = (struct classfile_result){ out.data, out.used,
					     making->method_count };
	return !(out.is_full || making->whole.is_full ||
		 making->members.is_full || making->pool.added.is_full);
}

void making_add_constants(struct tracker_making *making,
			  enum tracker_layout layout)
{
	const int is_old = layout == TRACKER_IN_THREAD_8;

	making->unsafe =
		is_old ? "sun/misc/Unsafe" : "jdk/internal/misc/Unsafe";
	making->unsafe_type =
		is_old ? "Lsun/misc/Unsafe;" : "Ljdk/internal/misc/Unsafe;";
	making->unsafe_field =
		making_add_field(making, "U", making->unsafe_type);
	making->word_field = making_add_field(making, "WORD", "J");
	making->holder_field = making_add_field(making, "HOLDER", "J");
	making->state_field = making_add_field(making, STANDBY_FIELD, "I");
	making->get_long = making_add_method(making, making->unsafe, "getLong",
					     "(Ljava/lang/Object;J)J");
	making->get_long_volatile =
		making_add_method(making, making->unsafe, "getLongVolatile",
				  "(Ljava/lang/Object;J)J");
	making->put_long = making_add_method(making, making->unsafe, "putLong",
					     "(Ljava/lang/Object;JJ)V");
	making->get_reference =
		making_add_method(making, making->unsafe, "getReference",
				  "(Ljava/lang/Object;J)Ljava/lang/Object;");
	making->current_thread = making_add_method(
		making, TRACKER_THREAD,
		layout == TRACKER_IN_HOLDER ? "currentCarrierThread"
					    : "currentThread",
		"()L" TRACKER_THREAD ";");
	making->natives_enter =
		making_add_method(making, TRACKER_NATIVES, "enter", "(I)J");
	making->natives_exit =
		making_add_method(making, TRACKER_NATIVES, "exit", "(J)V");
	making->natives_caught =
		making_add_method(making, TRACKER_NATIVES, "caught", "(JI)V");
	making->natives_word =
		making_add_method(making, TRACKER_NATIVES, "word", "()J");
	making->natives_passed =
		making_add_method(making, TRACKER_NATIVES, "passed", "(J)V");
}
