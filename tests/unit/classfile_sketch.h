/* SPDX-License-Identifier: MIT */
/*
 * Handwritten classes with at most one method, and their rewriting
 * (classfile/).
 */
#ifndef CLEW_TESTS_CLASSFILE_SKETCH_H
#define CLEW_TESTS_CLASSFILE_SKETCH_H

#include "tests/unit/unit.h"

#include "classfile/class_pool.h"
#include "classfile/classfile.h"
#include "classfile/method_code.h"

/* Constants of each generated class. */
enum {
	NAME_A = 1,
	CLASS_A,
	NAME_OBJECT,
	CLASS_OBJECT,
	NAME_CODE,
	NAME_M,
	TYPE_V,
	NAME_INIT,
	INIT_V,
	OBJECT_INIT,
	NAME_FRAMES,
	NAME_LINES,
	A_LONG, /* takes two indexes */
	NAME_VARIABLES = A_LONG + 2,
	NAME_ANNOTATIONS,
	NAME_OTHER,
	NEXT,
};

/* The constants that follow them in a class with frames. */
enum {
	ADDED_ENTER = NEXT + 5,
	ADDED_FRAMES,
	ADDED_THROWABLE = ADDED_FRAMES + 2,
	ADDED_EXIT = ADDED_THROWABLE + 4,
	ADDED_THROWN = ADDED_EXIT + 4,
	ADDED_NUMBER,
};

struct sketch {
	const uint8_t *code;
	size_t length;
	const uint8_t *exceptions; /* begins with their count */
	size_t exceptions_bytes;
	const uint8_t *attributes; /* begins with their count */
	size_t attributes_bytes;
	uint32_t major, access, name; /* 0 means 52, static and NAME_M */
};

#define BYTES(...)                                                             \
	(const uint8_t[]){ __VA_ARGS__ },                                      \
		sizeof((const uint8_t[]){ __VA_ARGS__ })

/*
 * The memory that sketch_caller has handed out, and the maximum number of
 * pieces.
 */
extern struct sketch_memory {
	void *left[64];
	uint32_t count, max;
} sketch_memory;

/*
 * The value that sketch_caller chooses for each method, and the reason and the
 * method of its last report or query.
 */
extern int32_t sketch_chosen;
extern enum classfile_refusal sketch_told;
extern struct classfile_method sketch_asked;

extern const struct classfile_caller sketch_caller;
extern struct classfile_tracker sketch_tracker;

/*
 * Builds the class and allows the caller 64 pieces of memory, of which the
 * class is one.
 */
struct class_output sketch_make(const struct sketch *sketch);

/* Frees all memory of the caller. */
void sketch_free(void);

/*
 * Rewrites the class. Returns CLASSFILE_DONE and the method's code, or why the
 * class or its method was not rewritten.
 */
enum classfile_refusal sketch_rewrite(const struct sketch *sketch,
				      struct method_code *code);

void sketch_assert_bytes(const uint8_t *is, size_t is_length,
			 const uint8_t *expected, size_t length);

#define ENTER  0x11, 0, 7, 0xb8, 0, ADDED_ENTER
#define EXIT   0x11, 0, 7, 0xb8, 0, ADDED_EXIT
#define THROWN 0x11, 0, 7, 0xb8, 0, ADDED_THROWN, 0xbf
/* A frame without locals, with an exception on the stack. */
#define HANDLER 0, 0, 0, 1, 7, 0, ADDED_THROWABLE

#define EXPECT_CODE(code, ...)                                                 \
	sketch_assert_bytes((code).bytes, (code).length, BYTES(__VA_ARGS__))
#define EXPECT_EXCEPTIONS(code, ...)                                           \
	sketch_assert_bytes((code).exceptions, (code).exception_count * 8,     \
			    BYTES(__VA_ARGS__))
#define EXPECT_ATTRIBUTES(code, ...)                                           \
	sketch_assert_bytes((code).attributes.at,                              \
			    input_left(&(code).attributes),                    \
			    BYTES(__VA_ARGS__))

#endif
