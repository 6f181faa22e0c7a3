/* SPDX-License-Identifier: MIT */
/* A context is a chain of at most three first letters of functions: representations_test.py */
#include <stdio.h>

#include "agent/clew.h"

uint64_t clew_context_of(uint64_t parent, const struct clew_called *called)
{
	if (parent >> 16)
		return parent;
	return parent << 8 | (unsigned char)called->function[0];
}

void clew_context_name(uint64_t context, char *name, size_t room)
{
	snprintf(name, room, "%c", (int)(context & 0xff));
}
