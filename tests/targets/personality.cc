/* SPDX-License-Identifier: MIT */
/*
 * A personality routine with a large frame, which contains slots of earlier
 * calls.
 *
 *	thrower -> unwinder -> unhooked function -> strlen	has returned
 *	thrower -> unwinder -> personality	has strlen's slot in its frame
 *
 * The unwinder is not hooked, so for clew both have the same caller. The linker
 * directs all references to __gxx_personality_v0() to this function (--wrap),
 * and the unwinder finds the program's strlen() before that of libc.
 */
#define TRUTH_MAIN
#include "tests/targets/scope.h"

#include <stddef.h>
#include <unwind.h>

#define FRAME_BYTES 1024

extern "C" {

_Unwind_Reason_Code __real___gxx_personality_v0(
	int version, _Unwind_Action actions,
	_Unwind_Exception_Class exception_class, _Unwind_Exception *exception,
	_Unwind_Context *context);

COUNTED _Unwind_Reason_Code __wrap___gxx_personality_v0(
	int version, _Unwind_Action actions,
	_Unwind_Exception_Class exception_class, _Unwind_Exception *exception,
	_Unwind_Context *context)
{
	COUNT(__wrap___gxx_personality_v0);
	char room[FRAME_BYTES];

	__asm__ volatile("" : : "r"(room) : "memory");
	return __real___gxx_personality_v0(version, actions, exception_class,
					   exception, context);
}

/* Without a loop that compilers replace by a call of strlen(). */
COUNTED size_t strlen(const char *text)
{
	COUNT(strlen);
	const volatile char *at = text;

	while (*at)
		at++;
	return (size_t)(at - text);
}
}

namespace
{

/* Volatile, or compilers would compute the length at compile time. */
const char *volatile text = "text";
volatile size_t length;

COUNTED void after()
{
	SCOPE(after);
}

COUNTED void throws(int depth)
{
	SCOPE(throws);
	if (!depth)
		throw depth;
	throws(depth - 1);
	after();
}

COUNTED void rethrows(int depth)
{
	SCOPE(rethrows);
	try {
		if (depth)
			rethrows(depth - 1);
		else
			throws(3);
	} catch (int) {
		after();
		throw;
	}
}

COUNTED void catches(int depth)
{
	SCOPE(catches);
	try {
		rethrows(depth);
	} catch (int) {
		after();
	}
	after();
}

COUNTED void run()
{
	SCOPE(run);
	length += strlen(text); /* or it would count as part of the unwinder */
	for (int i = 0; i < 300; i++) {
		try {
			throws(5);
		} catch (int) {
			after();
		}
		catches(i % 4);
	}
}

} // namespace

int main()
{
	run();
	truth_write();
	return 0;
}
