/* SPDX-License-Identifier: MIT */
#include "report/merge/oddities.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/display_text.h"
#include "base/memory.h"

static void add(FILE *out, uint64_t count, const char *what, const char **lead)
{
	if (count == 0)
		return;
	fprintf(out, "%s%" PRIu64 " %s", *lead, count, what);
	*lead = ", ";
}

const char *java_text(uint32_t state)
{
	static const char *const texts[WIRE_JAVA_COUNT] = {
		[WIRE_JAVA_NONE] = "none",
		[WIRE_JAVA_TOLD] = "it tells of its native methods",
		[WIRE_JAVA_OPAQUE] = "JNI_CreateJavaVM() cannot be watched",
		[WIRE_JAVA_PATH] =
			"the path of libclew.so cannot be said in an option",
		[WIRE_JAVA_REFUSED] =
			("it offers no JVMTI that could be used, or writes an "
			 "archive of its classes, for which it takes no agent"),
		[WIRE_JAVA_INEXACT] =
			("its classes cannot be changed, or it has virtual "
			 "threads of which it does not tell"),
		[WIRE_JAVA_IN_PLACE] =
			"calls of its compiled methods are counted",
		[WIRE_JAVA_UNSHAPED] =
			"clew knows compiled code of JDK 17 and 25 only",
		[WIRE_JAVA_VIRTUAL] =
			"a virtual thread came, whose frames move",
		[WIRE_JAVA_COLLECTOR] =
			"clew does not attach to machines with ZGC",
	};

	return state < WIRE_JAVA_COUNT ? texts[state] : "unknown reason";
}

char *java_problem_text(const struct part_copy *part)
{
	const struct wire_header *header = part->header;

	if (header->java == WIRE_JAVA_INEXACT ||
	    header->java == WIRE_JAVA_UNSHAPED)
		return memory_printf("%s: calls of Java methods are not "
				     "counted: %s",
				     part->name, java_text(header->java));
	if (header->java == WIRE_JAVA_VIRTUAL)
		return memory_printf("%s: calls of Java methods are no longer "
				     "counted: %s",
				     part->name, java_text(header->java));
	if (header->java != WIRE_JAVA_NONE && header->java != WIRE_JAVA_TOLD &&
	    header->java != WIRE_JAVA_IN_PLACE)
		return memory_printf("%s: native methods of Java have no names "
				     "of Java's: %s",
				     part->name, java_text(header->java));
	if (header->unnamed_natives > 0)
		return memory_printf("%s: %" PRIu32 " native method%s of Java "
				     "could not be named",
				     part->name, header->unnamed_natives,
				     text_plural(header->unnamed_natives));
	if (header->relayless_natives > 0)
		return memory_printf("%s: calls of %" PRIu64
				     " native method%s of Java are not "
				     "counted: there is no room for more",
				     part->name, header->relayless_natives,
				     text_plural(header->relayless_natives));
	if (header->callerless_natives > 0)
		return memory_printf(
			"%s: %" PRIu64 " call%s of native methods "
			"%s without the Java method that made "
			"%s: the machine did not say who, or "
			"there was no room",
			part->name, header->callerless_natives,
			text_plural(header->callerless_natives),
			header->callerless_natives > 1 ? "count" : "counts",
			header->callerless_natives > 1 ? "them" : "it");
	if (header->stackless_natives > 0)
		return memory_printf("%s: calls of native methods from some "
				     "Java stacks count below the innermost "
				     "method alone: there are too many stacks",
				     part->name);
	return NULL;
}

char *jni_problem_text(const struct part_copy *part)
{
	const struct wire_header *header = part->header;

	if (header->jni == WIRE_JNI_REFUSED)
		return memory_printf("%s: calls of JNI's functions were not "
				     "recorded: the machine does not let them "
				     "be watched",
				     part->name);
	if (header->jni == WIRE_JNI_ROOM)
		return memory_printf("%s: calls of JNI's functions were not "
				     "recorded: there was no memory for it",
				     part->name);
	if (header->unnoted_jni > 0)
		return memory_printf("%s: what JNI was used for was not "
				     "noted %" PRIu32 " time%s: there are too "
				     "many contexts or references",
				     part->name, header->unnoted_jni,
				     text_plural(header->unnoted_jni));
	return NULL;
}

char *makers_problem_text(const struct part_copy *part)
{
	const uint64_t count = part->header->makerless;

	if (count == 0)
		return NULL;
	return memory_printf("%s: %" PRIu64
			     " time%s memory was made executable "
			     "and not recorded by whom: there was no room",
			     part->name, count, text_plural(count));
}

char *rootless_problem_text(const struct part_copy *part)
{
	const uint32_t count = part->header->rootless_threads;

	if (count == 0)
		return NULL;
	return memory_printf("%s: calls of %" PRIu32
			     " thread%s appear at the top level: %s stack%s "
			     "could not be read when clew attached",
			     part->name, count, text_plural(count),
			     count == 1 ? "its" : "their", text_plural(count));
}

char *overwritten_problem_text(const struct part_copy *part)
{
	const uint32_t count = part->header->overwritten_hooks;

	if (count == 0)
		return NULL;
	return memory_printf("%s: the program has written over %" PRIu32
			     " hook%s: calls of %s are not counted from then "
			     "on",
			     part->name, count, text_plural(count),
			     count > 1 ? "those functions" : "that function");
}

char *budget_problem_text(const struct part_copy *part)
{
	static const char *const texts[WIRE_BUDGET_COUNT] = {
		[WIRE_BUDGET_TRACED] = "a debugger was there",
		[WIRE_BUDGET_FILTER] = "system calls are filtered",
		[WIRE_BUDGET_KERNEL] = "the kernel is too old",
		[WIRE_BUDGET_CODE] = "code could not be changed",
		[WIRE_BUDGET_FIXED] = "what cannot be left out costs more",
	};
	const struct wire_header *header = part->header;

	if (header->budget == 0 || header->budget_state >= WIRE_BUDGET_COUNT ||
	    !texts[header->budget_state])
		return NULL;
	return memory_printf("%s: the budget was not kept: %s", part->name,
			     texts[header->budget_state]);
}

char *oddities_text(const struct oddities *oddities,
		    const struct part_copy *part, size_t contexts)
{
	const int has_ended = part->header->state == WIRE_ENDED;
	const uint64_t strangers = has_ended ? oddities->strangers : 0;
	const uint64_t orphans = has_ended ? oddities->orphans : 0;
	const char *lead = "";
	char *text = NULL;
	size_t bytes;
	FILE *out;

	if (!(strangers | orphans | oddities->circular | oddities->uneven))
		return NULL;
	out = open_memstream(&text, &bytes);
	if (!out)
		return memory_printf("%s: contexts that cannot be", part->name);
	fprintf(out, "%s: of %zu context%s some cannot be: ", part->name,
		contexts, text_plural(contexts));
	add(out, strangers, "of a function in no module", &lead);
	add(out, orphans, "without a caller", &lead);
	add(out, oddities->circular, "called by what they call", &lead);
	add(out, oddities->uneven, "at another depth than below the caller",
	    &lead);
	fclose(out);
	return text;
}
