/* SPDX-License-Identifier: MIT */
/* See java_methods.h. */
#include "report/view/java_methods.h"

static const struct {
	const char *word, *text;
} reasons[WIRE_JAVA_LEFT_COUNT] = {
	[WIRE_JAVA_COUNTS] = { "counted", "counted" },
	[WIRE_JAVA_SMALL] = { "small", "smaller than --java-min-size" },
	[WIRE_JAVA_CODE] = { "code", "its code or class cannot be read" },
	[WIRE_JAVA_SUBROUTINES] = {
		"subroutines",
		"it contains subroutines (jsr, ret)",
	},
	[WIRE_JAVA_LARGE] = { "large", "its changed code would be too large" },
	[WIRE_JAVA_JUMP] = {
		"jump",
		"a jump in its changed code would be too long",
	},
	[WIRE_JAVA_CONSTRUCTOR] = {
		"constructor",
		"a constructor with an unusual structure",
	},
	[WIRE_JAVA_CONSTANTS] = {
		"constants",
		"its class has no room for more constants",
	},
	[WIRE_JAVA_ROOM] = { "room", "clew's tables are full" },
	[WIRE_JAVA_MACHINE] = {
		"machine",
		"the JVM refused the changed class",
	},
	[WIRE_JAVA_PATTERN] = { "pattern", "not selected by --java" },
	[WIRE_JAVA_NEEDED] = {
		"needed",
		"clew or the JVM needs the class unchanged",
	},
	[WIRE_JAVA_STANDS_BY] = {
		"standby",
		"counted only while clew attach is attached",
	},
	[WIRE_JAVA_SHAPE] = {
		"shape",
		"clew cannot decode some of its compiled code",
	},
	[WIRE_JAVA_LOADER] = {
		"loader",
		"its class loader does not find clew's class",
	},
};

struct java_methods java_methods_of(const struct catalog *catalog)
{
	struct java_methods methods = { 0 };

	for (size_t i = FUNCTION_FIRST; i < catalog->function_count; i++) {
		const struct catalog_function *one = &catalog->functions[i];

		methods.counted += one->reports_calls;
		methods.standing_by += one->stands_by;
		if (!one->java_left)
			continue;
		methods.left++;
		methods.by_reason[one->java_left]++;
	}
	return methods;
}

const char *java_method_way(const struct catalog_function *method,
			    int is_in_place)
{
	if (method->stands_by)
		return "standby";
	if (!method->reports_calls)
		return NULL;
	return is_in_place ? "inplace" : "exact";
}

const char *java_left_text(unsigned int why)
{
	return why < WIRE_JAVA_LEFT_COUNT ? reasons[why].text
					  : "unknown reason";
}

const char *java_left_word(unsigned int why)
{
	return why < WIRE_JAVA_LEFT_COUNT ? reasons[why].word : "unknown";
}
