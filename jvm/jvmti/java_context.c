/* SPDX-License-Identifier: MIT */
/* See java_context.h. */
#include "jvm/jvmti/java_context.h"

#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/record/numbers.h"
#include "wire/id.h"

uint32_t java_context_method(uint64_t id)
{
	uint32_t function;

	if (!hot.tally || id == ID_ROOT)
		return 0;
	function = tally_note(hot.tally, id).function;
	return numbers_are_java(function) ? function : 0;
}
