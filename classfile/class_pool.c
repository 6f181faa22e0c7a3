/* SPDX-License-Identifier: MIT */
/* See class_pool.h. */
#include <string.h>

#include "classfile/class_pool.h"

/*
 * the greatest number of a constant; the count, which is greater by one, has 16
 * bits
 */
#define NUMBER_MAX 65534

enum constant {
	STRING_BYTES = 1,
	INTEGER = 3,
	FLOAT = 4,
	LONG = 5,
	DOUBLE = 6,
	CLASS = 7,
	STRING = 8,
	FIELD = 9,
	METHOD = 10,
	INTERFACE_METHOD = 11,
	NAME_AND_TYPE = 12,
	METHOD_HANDLE = 15,
	METHOD_TYPE = 16,
	DYNAMIC = 17,
	INVOKE_DYNAMIC = 18,
	MODULE = 19,
	PACKAGE = 20,
};

static uint32_t u2_at(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

/* Returns the length of a constant after its tag, or -1. */
static int constant_bytes(uint8_t tag, struct class_input rest)
{
	switch (tag) {
	case STRING_BYTES:
		return 2 + input_u2(&rest);
	case CLASS:
	case STRING:
	case METHOD_TYPE:
	case MODULE:
	case PACKAGE:
		return 2;
	case METHOD_HANDLE:
		return 3;
	case INTEGER:
	case FLOAT:
	case FIELD:
	case METHOD:
	case INTERFACE_METHOD:
	case NAME_AND_TYPE:
	case DYNAMIC:
	case INVOKE_DYNAMIC:
		return 4;
	case LONG:
	case DOUBLE:
		return 8;
	default:
		return -1;
	}
}

enum classfile_refusal pool_read(struct class_pool *pool,
				 struct class_input *input,
				 const struct classfile_caller *caller)
{
	*pool = (struct class_pool){ .count = input_u2(input),
				     .added = { .caller = caller } };
	pool->next = pool->count;
	if (pool->count == 0)
		return CLASSFILE_MALFORMED;
	pool->entries = caller->memory(caller->context,
				       pool->count * sizeof(*pool->entries));
	if (!pool->entries)
		return CLASSFILE_NO_MEMORY;
	memset((void *)pool->entries, 0, pool->count * sizeof(*pool->entries));
	for (uint32_t number = 1; number < pool->count; number++) {
		const uint8_t *entry = input->at;
		const uint8_t tag = input_u1(input);
		const int bytes = constant_bytes(tag, *input);

		if (bytes < 0 || !input_take(input, (size_t)bytes))
			return CLASSFILE_MALFORMED;
		pool->entries[number] = entry;
		/* a long or a double takes two numbers */
		number += tag == LONG || tag == DOUBLE;
		if (number == pool->count)
			return CLASSFILE_MALFORMED;
	}
	return CLASSFILE_DONE;
}

/* Returns a constant of one of these kinds, or NULL. */
static const uint8_t *find(const struct class_pool *pool, uint32_t number,
			   uint32_t kinds)
{
	const uint8_t *entry =
		number < pool->count ? pool->entries[number] : NULL;

	return entry && (kinds >> *entry & 1) ? entry : NULL;
}

int pool_name(const struct class_pool *pool, uint32_t number,
	      struct classfile_name *name)
{
	const uint8_t *entry = find(pool, number, 1U << STRING_BYTES);

	if (!entry)
		return 0;
	name->text = (const char *)entry + 3;
	name->length = u2_at(entry + 1);
	return 1;
}

int pool_class_name(const struct class_pool *pool, uint32_t number,
		    struct classfile_name *name)
{
	const uint8_t *entry = find(pool, number, 1U << CLASS);

	return entry && pool_name(pool, u2_at(entry + 1), name);
}

int pool_member(const struct class_pool *pool, uint32_t number,
		struct classfile_name *name, struct classfile_name *descriptor)
{
	const uint8_t *entry =
		find(pool, number,
		     1U << FIELD | 1U << METHOD | 1U << INTERFACE_METHOD |
			     1U << DYNAMIC | 1U << INVOKE_DYNAMIC);
	const uint8_t *type =
		entry ? find(pool, u2_at(entry + 3), 1U << NAME_AND_TYPE)
		      : NULL;

	return type && pool_name(pool, u2_at(type + 1), name) &&
	       pool_name(pool, u2_at(type + 3), descriptor);
}

/* Returns the next number, or 0 if there is no room. */
static uint32_t take_number(struct class_pool *pool)
{
	return pool->next <= NUMBER_MAX ? pool->next++ : 0;
}

static uint32_t add_bytes(struct class_pool *pool, const char *text,
			  size_t length)
{
	const uint32_t number = length <= UINT16_MAX ? take_number(pool) : 0;

	if (number == 0)
		return 0;
	output_u1(&pool->added, STRING_BYTES);
	output_u2(&pool->added, (uint32_t)length);
	output_bytes(&pool->added, text, length);
	return number;
}

uint32_t pool_add_string(struct class_pool *pool, const char *text)
{
	return add_bytes(pool, text, strlen(text));
}

static uint32_t add_class(struct class_pool *pool, const char *name,
			  size_t length)
{
	const uint32_t text = add_bytes(pool, name, length);
	const uint32_t number = text ? take_number(pool) : 0;

	if (number == 0)
		return 0;
	output_u1(&pool->added, CLASS);
	output_u2(&pool->added, text);
	return number;
}

uint32_t pool_add_class(struct class_pool *pool, const char *name)
{
	return add_class(pool, name, strlen(name));
}

static int is_same(const struct classfile_name *one,
		   const struct classfile_name *other)
{
	return one->length == other->length &&
	       memcmp(one->text, other->text, one->length) == 0;
}

static uint32_t find_class(const struct class_pool *pool,
			   const struct classfile_name *name)
{
	struct classfile_name other;

	for (uint32_t i = 1; i < pool->count; i++)
		if (pool_class_name(pool, i, &other) && is_same(&other, name))
			return i;
	return 0;
}

uint32_t pool_class(struct class_pool *pool, struct classfile_name name)
{
	uint32_t number;

	for (uint32_t i = 0; i < pool->recent_count && i < POOL_RECENT; i++)
		if (is_same(&pool->recent_names[i], &name))
			return pool->recent[i];
	number = find_class(pool, &name);
	if (!number)
		number = add_class(pool, name.text, name.length);
	pool->recent[pool->recent_count % POOL_RECENT] = (uint16_t)number;
	pool->recent_names[pool->recent_count++ % POOL_RECENT] = name;
	return number;
}

static uint32_t add_pair(struct class_pool *pool, enum constant kind,
			 uint32_t one, uint32_t other)
{
	const uint32_t number = one && other ? take_number(pool) : 0;

	if (number == 0)
		return 0;
	output_u1(&pool->added, kind);
	output_u2(&pool->added, one);
	output_u2(&pool->added, other);
	return number;
}

static uint32_t add_member(struct class_pool *pool, enum constant kind,
			   uint32_t class_number, const char *name,
			   const char *descriptor)
{
	const uint32_t text = pool_add_string(pool, name);
	const uint32_t type = pool_add_string(pool, descriptor);
	const uint32_t pair = add_pair(pool, NAME_AND_TYPE, text, type);

	return add_pair(pool, kind, class_number, pair);
}

uint32_t pool_add_method(struct class_pool *pool, uint32_t class_number,
			 const char *name, const char *descriptor)
{
	return add_member(pool, METHOD, class_number, name, descriptor);
}

uint32_t pool_add_field(struct class_pool *pool, uint32_t class_number,
			const char *name, const char *descriptor)
{
	return add_member(pool, FIELD, class_number, name, descriptor);
}

uint32_t pool_add_integer(struct class_pool *pool, int32_t value)
{
	const uint32_t number = take_number(pool);

	if (number == 0)
		return 0;
	output_u1(&pool->added, INTEGER);
	output_u4(&pool->added, (uint32_t)value);
	return number;
}

/* Adds a long, which takes two numbers. */
uint32_t pool_add_long(struct class_pool *pool, int64_t value)
{
	const uint32_t number = take_number(pool);

	if (number == 0 || take_number(pool) == 0)
		return 0;
	output_u1(&pool->added, LONG);
	output_u4(&pool->added, (uint32_t)((uint64_t)value >> 32));
	output_u4(&pool->added, (uint32_t)value);
	return number;
}

uint32_t pool_add_text(struct class_pool *pool, const char *text)
{
	const uint32_t bytes = pool_add_string(pool, text);
	const uint32_t number = bytes ? take_number(pool) : 0;

	if (number == 0)
		return 0;
	output_u1(&pool->added, STRING);
	output_u2(&pool->added, bytes);
	return number;
}

int name_is(const struct classfile_name *name, const char *text)
{
	return name->length == strlen(text) &&
	       memcmp(name->text, text, name->length) == 0;
}
