/* SPDX-License-Identifier: MIT */
/* The code of one method: the original, and the new position of each part. */
#ifndef CLEW_CLASSFILE_METHOD_CODE_H
#define CLEW_CLASSFILE_METHOD_CODE_H

#include "classfile/class_input.h"
#include "classfile/class_output.h"
#include "classfile/class_pool.h"

#define NO_PLACE UINT32_MAX
/*
 * flag of a place inside an instruction; the other bits are the instruction's
 * offset
 */
#define WITHIN      0x80000000

#define NUMBER_NEAR 32767 /* the greatest number for which sipush suffices */
#define KEPT_SLOTS  2     /* number of slots of a long */

/* A call of the tracker, as constants of the class. */
struct tracker_call {
	uint32_t method;     /* the called method; 0 if no call is made */
	uint32_t has_number; /* 0 or 1: it takes the method's number */
	uint32_t has_kept;   /* 0 or 1: it takes the result of enter() */
	uint32_t has_state;  /* 0 or 1: it takes the stored value of the gate */
};

/* Data that all methods of a class share. */
struct tracker_calls {
	struct tracker_call enter, catching, exit, leave, thrown, caught;
	uint32_t rethrow;   /* the method, or 0 */
	uint32_t gate;      /* the field, or 0 */
	int keeps;          /* whether the result of enter() is stored */
	uint32_t throwable; /* the class Throwable */
	uint32_t frames;    /* the string "StackMapTable" */
	int has_frames;     /* whether this version of class files has frames */
	uint32_t code_limit; /* as in struct classfile_tracker */
};

/* The number that a method reports, and the constant for a large number. */
struct method_number {
	uint32_t value;
	uint32_t constant;
};

/* The type of a local variable in a frame (StackMapTable). */
enum frame_type {
	TYPE_TOP,
	TYPE_INTEGER,
	TYPE_FLOAT,
	TYPE_DOUBLE,
	TYPE_LONG,
	/* a constructor's own object, which is not initialised */
	TYPE_THIS = 6,
	TYPE_OBJECT = 7, /* an object; its class follows */
	/*
	 * An object that is not initialised. The position of its `new` follows.
	 */
	TYPE_NEW = 8,
};

struct frame_local {
	uint8_t type;
	uint16_t of; /* the class, or the position of `new` */
};

/* Whether a constructor's object is initialised at an instruction. */
enum code_state {
	INITIALIZED,
	UNINITIALIZED,
	INITIALIZES, /* the call of super() or this() */
};

struct method_code {
	uint32_t max_stack, max_locals;
	const uint8_t *bytes;
	uint32_t length;
	const uint8_t *exceptions; /* exception_count entries of 8 bytes */
	uint32_t exception_count;
	struct class_input attributes; /* the attributes, without their count */
	uint32_t attribute_count;

	/*
	 * Indexed by offset, up to and including length: the position of the
	 * instruction, or of the code inserted before it; or WITHIN one. At
	 * length: the position of the shared exit, which the handlers follow.
	 */
	uint32_t *places;
	/* for a constructor, the state at each offset; otherwise NULL */
	const uint8_t *states;
	/*
	 * Indexed by offset: whether a handler begins there. All 0 if handlers
	 * do not call caught().
	 */
	uint8_t *catches;
	/* Indexed by offset, for returns: whether they share an exit. */
	uint8_t *sharing;
	/*
	 * number of the variable for the stored value, which follows all others
	 */
	uint32_t kept;
	/*
	 * number of locals in the first frame; set for constructors, and if
	 * `locals` is set
	 */
	uint32_t frame_locals;
	/* 1 if the gate's value, an int, is stored in the next variable */
	uint32_t keeps_state;
	/*
	 * If a variable is stored, the locals of the first frame, with room for
	 * stored variables. Otherwise NULL.
	 */
	struct frame_local *locals;

	struct method_result {
		uint8_t opcode; /* the return instruction */
		uint8_t slots;
		/* type of the result, if it has slots */
		struct frame_local type;
	} result;
	/* Size of the shared exit, or 0 if there is none. */
	uint32_t exit_bytes;
	/* size of the code that is inserted at the start of a handler */
	uint32_t caught_bytes;

	/*
	 * number of handlers; 2 in a constructor, one for each state of the
	 * object
	 */
	uint32_t handler_count;
	uint32_t handler_bytes; /* size of each handler */
};

/*
 * Sets *code from the content of an attribute "Code", without decoding the
 * instructions. Returns 1, or 0 if the attribute is not complete, or its code
 * is empty or too long.
 */
int method_code_read(struct method_code *code, struct class_input input);

/*
 * Computes the positions of all instructions, and the sizes of the code that is
 * added. The caller has allocated length + 1 elements of `places`, and has set
 * `sharing`. Returns CLASSFILE_DONE, or why the method is refused.
 */
enum classfile_refusal method_code_place(struct method_code *code,
					 const struct tracker_calls *calls);

/* Returns the position of the handlers. */
uint32_t method_code_handlers(const struct method_code *code);

/* Returns the size of the new code. */
uint32_t method_code_bytes(const struct method_code *code);

/* Returns the position of an instruction or of the code's end, or NO_PLACE. */
uint32_t method_code_edge(const struct method_code *code, uint32_t offset);

/* Returns the position of an instruction, or NO_PLACE. */
uint32_t method_code_at(const struct method_code *code, int64_t offset);

/*
 * Returns the position of a jump, a switch or new itself, after the code
 * inserted before it; or NO_PLACE.
 */
uint32_t method_code_insn(const struct method_code *code, uint32_t offset);

/* Returns the position of the instruction that contains an offset. */
uint32_t method_code_near(const struct method_code *code, uint32_t offset);

/*
 * Writes the new code, after the positions are computed. Returns
 * CLASSFILE_DONE, or why the method is refused; part of the code may then be
 * written.
 */
enum classfile_refusal method_code_write(const struct method_code *code,
					 const struct tracker_calls *calls,
					 const struct method_number *number,
					 struct class_output *output);

/* Writes the new table of exceptions, with its count. */
enum classfile_refusal method_exceptions_write(const struct method_code *code,
					       struct class_output *output);

#endif
