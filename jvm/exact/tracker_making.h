/* SPDX-License-Identifier: MIT */
/*
 * What class files of trackers are made of (tracker_class.h): bytecodes, and the steps
 * that several methods have. Nothing fails before the end, which says whether there was
 * memory for all.
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
#define TRACKER_UNSAFE   "jdk/internal/misc/Unsafe"
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

/* A class that is being made. */
struct tracker_making {
	struct class_pool pool;
	struct class_output members, whole;
	const char *name;
	uint32_t code_name, method_count;
	uint32_t unsafe_field, word_field, holder_field, state_field;
	uint32_t get_long, get_long_volatile, put_long, get_reference;
	uint32_t current_thread, natives_enter, natives_exit, natives_caught,
		natives_word, natives_passed;
	/* of the method that is being made */
	uint8_t code[TRACKER_CODE_MAX];
	uint32_t used;
};

/* Local variables; a long has two. */
enum tracker_variable {
	NUMBER = 0,         /* enter(), caught() */
	KEPT = 0,           /* exit() */
	STATE_OF_ENTRY = 1, /* catching() */
	STATE_OF_CATCH = 3, /* caught(), of a tracker that stands by */
	OBJECT = 2,
	BLOCK = 3,
	CALLER = 5,
	ID = 7,
	ENTRY = 9,
	FIELD = 11,
};

/* ---- Constants ---- */

/* Numbers of constants: of a method; and of a field of the class itself. */
uint32_t making_add_method(struct tracker_making *making, const char *class,
			   const char *name, const char *descriptor);
uint32_t making_add_field(struct tracker_making *making, const char *name,
			  const char *descriptor);

/* ---- Code of the method that is being made ---- */

void making_put(struct tracker_making *making, uint8_t byte);
void making_put_with(struct tracker_making *making, enum tracker_op op,
		     uint32_t operand);
void making_put_long(struct tracker_making *making, uint64_t value);

/* A jump forwards, to where making_land() says. Returns where it is. */
uint32_t making_jump(struct tracker_making *making, enum tracker_op op);
void making_land(struct tracker_making *making, uint32_t jump);

#define BLOCK_AT(member) offsetof(struct hot_thread, member)

/* The address, or the long, at what a variable holds and so much. */
void making_put_address(struct tracker_making *making,
			enum tracker_variable variable, uint64_t offset);
void making_get(struct tracker_making *making, enum tracker_variable variable,
		uint64_t offset);

/* The value is put by the caller in between. */
void making_set(struct tracker_making *making);

/* Jumps to where a thread's block is not known, which are to be landed. */
struct tracker_ways {
	uint32_t no_holder, unknown;
};

/* The block of the thread, with more on the stack than anything later has. */
struct tracker_ways making_put_block(struct tracker_making *making,
				     enum tracker_layout layout);

/* Where it is not: it is from now on. */
void making_put_word(struct tracker_making *making);

/* The end of a call that counts: the id that it has kept is the thread's again. Returns. */
void making_put_leave(struct tracker_making *making,
		      enum tracker_layout layout);

/* ---- The class ---- */

void making_begin(struct tracker_making *making, const char *name,
		  const struct classfile_caller *caller);

/* Of a tracker: its fields, and what it calls. */
void making_add_constants(struct tracker_making *making,
			  enum tracker_layout layout);

/* All that make() puts. */
void making_write_method(struct tracker_making *making, const char *name,
			 const char *descriptor,
			 void (*make)(struct tracker_making *,
				      enum tracker_layout),
			 enum tracker_layout layout);
void making_write_native(struct tracker_making *making, const char *name,
			 const char *descriptor);

/* Behind the methods: the class, and then its fields. */
void making_write_class(struct tracker_making *making, uint32_t field_count);
void making_write_field(struct tracker_making *making, uint32_t access,
			const char *name, const char *descriptor);

/* False: there is no memory. */
int making_end(struct tracker_making *making, struct classfile_result *result);

#endif
