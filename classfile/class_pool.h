/* SPDX-License-Identifier: MIT */
/*
 * The constants of a class file, and those that are added after them. Existing
 * constants keep their numbers.
 */
#ifndef CLEW_CLASSFILE_CLASS_POOL_H
#define CLEW_CLASSFILE_CLASS_POOL_H

#include "classfile/class_input.h"
#include "classfile/class_output.h"

#define POOL_RECENT 128

struct class_pool {
	/*
	 * Indexed by number: a pointer to the constant's tag, or NULL if the
	 * number is not used.
	 */
	const uint8_t **entries;
	/* constant_pool_count of the class file: numbers are less than it */
	uint32_t count;
	uint32_t next; /* number that the next added constant gets */
	struct class_output added;
	/*
	 * The last POOL_RECENT classes that pool_class() has returned, as a
	 * ring: recent_count is the number of all.
	 */
	uint16_t recent[POOL_RECENT];
	struct classfile_name recent_names[POOL_RECENT];
	uint32_t recent_count;
};

/*
 * Reads the constants, beginning with their count. Returns 0 or the reason for
 * a refusal.
 */
enum classfile_refusal pool_read(struct class_pool *pool,
				 struct class_input *input,
				 const struct classfile_caller *caller);

/* Reads the string with this number. Returns whether it exists. */
int pool_name(const struct class_pool *pool, uint32_t number,
	      struct classfile_name *name);

/* Reads the name of the class with this number. Returns whether it exists. */
int pool_class_name(const struct class_pool *pool, uint32_t number,
		    struct classfile_name *name);

/*
 * Reads name and descriptor of a field, a method, or an invokedynamic constant.
 * Returns 1, or 0 if this is the number of no such constant.
 */
int pool_member(const struct class_pool *pool, uint32_t number,
		struct classfile_name *name, struct classfile_name *descriptor);

/*
 * Add constants. Return their numbers, or 0 if no number is free, a text is too
 * long, or an argument is the number 0. If memory is short, added.is_full is
 * set.
 */
uint32_t pool_add_string(struct class_pool *pool, const char *text);
uint32_t pool_add_class(struct class_pool *pool, const char *name);
uint32_t pool_add_method(struct class_pool *pool, uint32_t class_number,
			 const char *name, const char *descriptor);
uint32_t pool_add_field(struct class_pool *pool, uint32_t class_number,
			const char *name, const char *descriptor);
uint32_t pool_add_integer(struct class_pool *pool, int32_t value);
uint32_t pool_add_long(struct class_pool *pool, int64_t value);
/* Adds a java.lang.String. */
uint32_t pool_add_text(struct class_pool *pool, const char *text);

/*
 * Returns the number of the class with this name, which is added if necessary.
 * Returns 0 if it cannot be added. The text of `name` must stay valid as long
 * as the pool.
 */
uint32_t pool_class(struct class_pool *pool, struct classfile_name name);

int name_is(const struct classfile_name *name, const char *text);

#endif
