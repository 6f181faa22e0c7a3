/* SPDX-License-Identifier: MIT */
/* See inconsistencies.h. */
#include "report/merge/inconsistencies.h"

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
		[WIRE_JAVA_TOLD] = "it reports its native methods",
		[WIRE_JAVA_OPAQUE] = "JNI_CreateJavaVM() cannot be wrapped",
		[WIRE_JAVA_PATH] =
			("the path of libclew.so cannot be passed in a JVM "
			 "option"),
		[WIRE_JAVA_REFUSED] =
			("the JVM does not offer a usable JVMTI, or it writes "
			 "a class data archive and therefore accepts no agent"),
		[WIRE_JAVA_INEXACT] =
			("the JVM does not let agents change classes, does not "
			 "report its virtual threads, or is newer than 25"),
		[WIRE_JAVA_IN_PLACE] =
			"calls of its compiled methods are counted",
		[WIRE_JAVA_UNSHAPED] =
			"--java=inplace supports only JDK 17 and 25",
		[WIRE_JAVA_VIRTUAL] =
			("the program started a virtual thread, whose frames "
			 "move"),
		[WIRE_JAVA_COLLECTOR] =
			("clew adds no agent to a running JVM that uses ZGC "
			 "(JDK 18 or later); use `clew record`"),
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
		return memory_printf("%s: native methods of Java do not have "
				     "their Java names: %s",
				     part->name, java_text(header->java));
	if (header->unnamed_natives > 0)
		return memory_printf("%s: %" PRIu32 " native method%s of Java "
				     "could not be named",
				     part->name, header->unnamed_natives,
				     text_plural(header->unnamed_natives));
	if (header->relayless_natives > 0)
		return memory_printf(
			"%s: calls of %" PRIu64
			" native method%s of Java are not counted: clew's "
			"table of native methods is full",
			part->name, header->relayless_natives,
			text_plural(header->relayless_natives));
	if (header->callerless_natives > 0)
		return memory_printf(
			"%s: %" PRIu64
			" call%s of native methods %s without the calling Java "
			"method: the JVM did not report it, or a table of clew "
			"was full",
			part->name, header->callerless_natives,
			text_plural(header->callerless_natives),
			header->callerless_natives > 1 ? "count" : "counts");
	if (header->stackless_natives > 0)
		return memory_printf(
			"%s: some calls of native methods are counted below "
			"the innermost Java method only: there are too many "
			"different Java stacks, or clew cannot read the stacks "
			"of this JVM",
			part->name);
	return NULL;
}

char *jni_problem_text(const struct part_copy *part)
{
	const struct wire_header *header = part->header;

	if (header->jni == WIRE_JNI_REFUSED)
		return memory_printf(
			"%s: calls of JNI functions were not recorded: the JVM "
			"does not let clew intercept them",
			part->name);
	if (header->jni == WIRE_JNI_ROOM)
		return memory_printf("%s: calls of JNI functions were not "
				     "recorded: there was not enough memory",
				     part->name);
	if (header->unnoted_jni > 0)
		return memory_printf(
			"%s: the use of a JNI function was not recorded "
			"%" PRIu32
			" time%s: there are too many contexts or references",
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
			     " time%s, clew did not record which module made "
			     "memory executable: its table was full",
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
	return memory_printf("%s: the program overwrote %" PRIu32
			     " hook%s: later calls of %s are not counted",
			     part->name, count, text_plural(count),
			     count > 1 ? "those functions" : "that function");
}

char *budget_problem_text(const struct part_copy *part)
{
	static const char *const texts[WIRE_BUDGET_COUNT] = {
		[WIRE_BUDGET_TRACED] = "a debugger was attached",
		[WIRE_BUDGET_FILTER] = "system calls are filtered",
		[WIRE_BUDGET_KERNEL] = "the kernel is too old",
		[WIRE_BUDGET_CODE] = "code could not be changed",
		[WIRE_BUDGET_FIXED] =
			"the part of the cost that clew cannot skip is higher",
	};
	const struct wire_header *header = part->header;

	if (header->budget == 0 || header->budget_state >= WIRE_BUDGET_COUNT ||
	    !texts[header->budget_state])
		return NULL;
	return memory_printf("%s: the budget was not kept: %s", part->name,
			     texts[header->budget_state]);
}

char *inconsistencies_text(const struct inconsistencies *inconsistencies,
			   const struct part_copy *part, size_t contexts)
{
	const int has_ended = part->header->state == WIRE_ENDED;
	const uint64_t strangers = has_ended ? inconsistencies->strangers : 0;
	const uint64_t orphans = has_ended ? inconsistencies->orphans : 0;
	const char *lead = "";
	char *text = NULL;
	size_t bytes;
	FILE *out;

	if (!(strangers | orphans | inconsistencies->circular |
	      inconsistencies->uneven))
		return NULL;
	out = open_memstream(&text, &bytes);
	if (!out)
		return memory_printf("%s: some contexts are impossible",
				     part->name);
	fprintf(out, "%s: of %zu context%s, some are impossible: ", part->name,
		contexts, text_plural(contexts));
	add(out, strangers, "with a function in no module", &lead);
	add(out, orphans, "without a caller", &lead);
	add(out, inconsistencies->circular, "in a cycle of callers", &lead);
	add(out, inconsistencies->uneven,
	    "at a depth other than one below the caller", &lead);
	fclose(out);
	return text;
}
