/* SPDX-License-Identifier: MIT */
/*
 * The code of one method: as it was, and where each part of it will be.
 */
#ifndef CLEW_CLASSFILE_METHOD_CODE_H
#define CLEW_CLASSFILE_METHOD_CODE_H

#include "classfile/class_input.h"
#include "classfile/class_output.h"
#include "classfile/class_pool.h"

#define NO_PLACE    UINT32_MAX
#define WITHIN      0x80000000 /* and the offset of the instruction */

#define NUMBER_NEAR 32767 /* fits sipush */
#define KEPT_SLOTS  2     /* of a long */

/* A call of the tracker, made of constants of the class. */
struct tracker_call {
	uint32_t method;     /* 0: none is made */
	uint32_t has_number; /* 0 or 1: it is given the method's */
	uint32_t has_kept;   /* likewise what enter() has returned */
	uint32_t has_state;  /* likewise what the gate was */
};

/* What is the same in each method of a class. */
struct tracker_calls {
	struct tracker_call enter, catching, exit, leave, thrown, caught;
	uint32_t rethrow;    /* the method; 0: there is none */
	uint32_t gate;       /* the field; 0: there is none */
	int keeps;           /* what enter() returns */
	uint32_t throwable;  /* the class of that name */
	uint32_t frames;     /* the string "StackMapTable" */
	int has_frames;      /* of that version of class files */
	uint32_t code_limit; /* as struct classfile_tracker has it */
};

/* What a method tells: a number, and the constant that it is if it is large. */
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
	TYPE_THIS = 6,   /* a constructor's object, not initialised */
	TYPE_OBJECT = 7, /* and its class */
	TYPE_NEW = 8,    /* not initialised, and where it was made */
};

struct frame_local {
	uint8_t type;
	uint16_t of; /* class, or place */
};

/* Of an instruction of a constructor: whether its object is initialised. */
enum code_state {
	INITIALIZED,
	UNINITIALIZED,
	INITIALIZES, /* the call of super() or this() */
};

struct method_code {
	uint32_t max_stack, max_locals;
	const uint8_t *bytes;
	uint32_t length;
	const uint8_t *exceptions; /* exception_count of 8 bytes */
	uint32_t exception_count;
	struct class_input attributes; /* behind their count */
	uint32_t attribute_count;

	/*
	 * By offset, length included: where the instruction is, or what is put
	 * before it; or WITHIN one. At length: where the exit that returns share is,
	 * and behind it the handlers.
	 */
	uint32_t *places;
	const uint8_t *states; /* by offset, of a constructor; or NULL */
	uint8_t *catches;      /* by offset: whether a handler begins there */
	uint8_t *
		sharing; /* by offset, of returns: whether they share an exit */
	uint32_t
		kept; /* number of the variable that is kept, behind all others */
	uint32_t frame_locals; /* in a constructor: of the first frame */
	uint32_t keeps_state;  /* 0 or 1: an int, in the variable behind that */
	/* Where a variable is kept: that frame, and room for kept ones; or NULL */
	struct frame_local *locals;

	struct method_result {
		uint8_t opcode; /* by which it is returned */
		uint8_t slots;
		struct frame_local type; /* if it has slots */
	} result;
	uint32_t
		exit_bytes; /* of the exit that returns share; 0: there is none */
	uint32_t caught_bytes; /* before what a handler begins with */

	uint32_t handler_count; /* 2 in a constructor: of both states */
	uint32_t handler_bytes; /* of each */
};

/* Reads what is in an attribute "Code", without a look at instructions. */
int method_code_read(struct method_code *code, struct class_input input);

/* Finds the places of all instructions. places is there, length + 1 of them. */
enum classfile_refusal method_code_place(struct method_code *code,
					 const struct tracker_calls *calls);

/* Where the handlers begin. */
uint32_t method_code_handlers(const struct method_code *code);

/* Bytes of all that is written. */
uint32_t method_code_bytes(const struct method_code *code);

/* The place of an instruction or of the code's end, or NO_PLACE. */
uint32_t method_code_edge(const struct method_code *code, uint32_t offset);

/* The place of an instruction, or NO_PLACE. */
uint32_t method_code_at(const struct method_code *code, int64_t offset);

/* Where a jump, a switch or new itself is, behind what is put before it; or NO_PLACE. */
uint32_t method_code_insn(const struct method_code *code, uint32_t offset);

/* The place of the instruction that an offset is in. */
uint32_t method_code_near(const struct method_code *code, uint32_t offset);

/* Writes the instructions and the handlers. places are known. */
enum classfile_refusal method_code_write(const struct method_code *code,
					 const struct tracker_calls *calls,
					 const struct method_number *number,
					 struct class_output *output);

/* The new table of exceptions, its count included. */
enum classfile_refusal method_exceptions_write(const struct method_code *code,
					       struct class_output *output);

#endif
