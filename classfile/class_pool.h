/* SPDX-License-Identifier: MIT */
/*
 * The constants of a class file, and those that are added behind them: all that
 * are there keep their numbers.
 */
#ifndef CLEW_CLASSFILE_CLASS_POOL_H
#define CLEW_CLASSFILE_CLASS_POOL_H

#include "classfile/class_input.h"
#include "classfile/class_output.h"

#define POOL_RECENT 128

struct class_pool {
	const uint8_t **entries; /* at their tags; NULL: none of that number */
	uint32_t count;          /* of those that were there, and one */
	uint32_t next;           /* the number of the next one that is added */
	struct class_output added;
	uint16_t recent
		[POOL_RECENT]; /* classes that pool_class() has found or added */
	struct classfile_name recent_names[POOL_RECENT];
	uint32_t recent_count;
};

/* Reads from the count on. 0, or why not. */
enum classfile_refusal pool_read(struct class_pool *pool,
				 struct class_input *input,
				 const struct classfile_caller *caller);

/* Whether there is a string of this number. */
int pool_name(const struct class_pool *pool, uint32_t number,
	      struct classfile_name *name);

/* Likewise of a class's name. */
int pool_class_name(const struct class_pool *pool, uint32_t number,
		    struct classfile_name *name);

/*
 * Of a field, a method, or what invokedynamic names: its name and descriptor, and
 * whether there is such a constant.
 */
int pool_member(const struct class_pool *pool, uint32_t number,
		struct classfile_name *name, struct classfile_name *descriptor);

/* Numbers of constants that are added, or 0: there is no room. */
uint32_t pool_add_string(struct class_pool *pool, const char *text);
uint32_t pool_add_class(struct class_pool *pool, const char *name);
uint32_t pool_add_method(struct class_pool *pool, uint32_t class_number,
			 const char *name, const char *descriptor);
uint32_t pool_add_field(struct class_pool *pool, uint32_t class_number,
			const char *name, const char *descriptor);
uint32_t pool_add_integer(struct class_pool *pool, int32_t value);
uint32_t pool_add_long(struct class_pool *pool, int64_t value);
/* A java.lang.String. */
uint32_t pool_add_text(struct class_pool *pool, const char *text);

/*
 * The class of that name, which stays where it is: one that is there, or else one that is
 * added. 0: there is no room.
 */
uint32_t pool_class(struct class_pool *pool, struct classfile_name name);

int name_is(const struct classfile_name *name, const char *text);

#endif
