/* SPDX-License-Identifier: MIT */
/*
 * The parts of trackers' class files (tracker_class.h): bytecodes, and steps
 * that several methods contain. If memory is short, only making_end() reports
 * this.
 */
#ifndef CLEW_JVM_EXACT_TRACKER_MAKING_H
#define CLEW_JVM_EXACT_TRACKER_MAKING_H

#include <stddef.h>

#include "classfile/class_pool.h"
#include "jvm/exact/tracker_class.h"
#include "preload/hot/thread.h"

#define TRACKER_CODE_MAX 512
#define TRACKER_PUBLIC   0x0001
#define TRACKER_FINAL    0x0010
#define TRACKER_VOLATILE 0x0040
#define TRACKER_THREAD   "java/lang/Thread"
#define TRACKER_HOLDER   "java/lang/Thread$FieldHolder"

enum tracker_op {
	ACONST_NULL = 1,
	LCONST_0 = 9,
	LCONST_1 = 10,
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
	IFLT = 155,
	IFGE = 156,
	IRETURN = 172,
	LRETURN = 173,
	RETURN = 177,
	GETSTATIC = 178,
	PUTSTATIC = 179,
	INVOKEVIRTUAL = 182,
	INVOKESTATIC = 184,
	ATHROW = 191,
	IFNULL = 198,
};

/* A class that is being generated. */
struct tracker_making {
	struct class_pool pool;
	struct class_output members, whole;
	const char *name;
	uint32_t code_name, method_count;
	const char *unsafe, *unsafe_type; /* name and descriptor of Unsafe */
	uint32_t unsafe_field, word_field, holder_field, state_field;
	uint32_t get_long, get_long_volatile, put_long, get_reference;
	uint32_t current_thread, natives_enter, natives_exit, natives_caught,
		natives_word, natives_passed;
	/* Bytecode of the present method, of which `used` bytes are written. */
	uint8_t code[TRACKER_CODE_MAX];
	uint32_t used;
};

/*
 * Indices of local variables in the methods of the tracker class that clew
 * generates; a long takes two.
 */
enum tracker_variable {
	NUMBER = 0,         /* used in enter() and catching() */
	KEPT = 0,           /* the stored id; used in the other methods */
	STATE_OF_ENTRY = 1, /* used in catching() */
	STATE_OF_CATCH = 3, /* used in caught(), with --java=standby */
	OBJECT = 2,
	BLOCK = 3,
	CALLER = 5,
	ID = 7,
	ENTRY = 9,
	FIELD = 11,
};

/* ---- Constants ---- */

/*
 * Add a method of any class, or a field of the generated class, to the
 * constants. Return the index of the constant.
 */
uint32_t making_add_method(struct tracker_making *making, const char *class,
			   const char *name, const char *descriptor);
uint32_t making_add_field(struct tracker_making *making, const char *name,
			  const char *descriptor);

/* ---- Code of the present method ---- */

void making_put(struct tracker_making *making, uint8_t byte);
void making_put_with(struct tracker_making *making, enum tracker_op op,
		     uint32_t operand);
void making_put_long(struct tracker_making *making, uint64_t value);

/*
 * Writes a jump forwards, and returns the jump's offset. making_land() makes
 * the code that is put next the target of such a jump.
 */
uint32_t making_jump(struct tracker_making *making, enum tracker_op op);
void making_land(struct tracker_making *making, uint32_t jump);

#define BLOCK_AT(member) offsetof(struct hot_thread, member)

/*
 * making_put_address() puts code that pushes the first three arguments of an
 * access to memory by Unsafe: the Unsafe object, null, and the address, which
 * is a variable's value plus an offset in bytes. making_get() puts code that
 * pushes the long at this address.
 */
void making_put_address(struct tracker_making *making,
			enum tracker_variable variable, uint64_t offset);
void making_get(struct tracker_making *making, enum tracker_variable variable,
		uint64_t offset);

/*
 * Puts code that stores a long by Unsafe. The caller has put code before that
 * pushes the Unsafe object, null and an address, or an object and an offset in
 * it, and the value.
 */
void making_set(struct tracker_making *making);

/*
 * Offsets of jumps to the code for threads without a holder (only with
 * TRACKER_IN_HOLDER), and for those in whose object the block's address is not
 * stored yet. The caller sets their targets by making_land().
 */
struct tracker_ways {
	uint32_t no_holder, unknown;
};

/*
 * Puts code that stores the address of the thread's block in the variable
 * BLOCK, or jumps. The code uses more of the operand stack than any later step
 * does, so that a stack overflow can only happen in this code.
 */
struct tracker_ways making_put_block(struct tracker_making *making,
				     enum tracker_layout layout);

/*
 * Puts code that stores the block's address in the thread's object, for later
 * calls.
 */
void making_put_word(struct tracker_making *making);

/*
 * Puts code that ends a call that counts: restores the stored id in the thread,
 * and returns.
 */
void making_put_leave(struct tracker_making *making,
		      enum tracker_layout layout);

/* ---- The class ---- */

void making_begin(struct tracker_making *making, const char *name,
		  const struct classfile_caller *caller);

/* Adds the constants of a tracker: its fields and the methods that it calls. */
void making_add_constants(struct tracker_making *making,
			  enum tracker_layout layout);

/* Writes a method with the code that make() puts. */
void making_write_method(struct tracker_making *making, const char *name,
			 const char *descriptor,
			 void (*make)(struct tracker_making *,
				      enum tracker_layout),
			 enum tracker_layout layout);
void making_write_native(struct tracker_making *making, const char *name,
			 const char *descriptor);

/*
 * Write the parts of the class file between the constants and the methods.
 * making_write_class() is called after all methods are generated, and then
 * making_write_field() for each field.
 */
void making_write_class(struct tracker_making *making, uint32_t field_count);
void making_write_field(struct tracker_making *making, uint32_t access,
			const char *name, const char *descriptor);

/* Stores the finished class file in *result. Returns 0 if memory was short. */
int making_end(struct tracker_making *making, struct classfile_result *result);

#endif
