/* SPDX-License-Identifier: MIT */
#include "report/view/java_methods.h"

static const struct {
	const char *word, *text;
} reasons[WIRE_JAVA_LEFT_COUNT] = {
	[WIRE_JAVA_COUNTS] = { "counted", "counted" },
	[WIRE_JAVA_SMALL] = { "small", "smaller than --java-min-size" },
	[WIRE_JAVA_CODE] = { "code", "code or a class that cannot be read" },
	[WIRE_JAVA_SUBROUTINES] = { "subroutines", "subroutines (jsr, ret)" },
	[WIRE_JAVA_LARGE] = { "large", "it would be too large" },
	[WIRE_JAVA_JUMP] = { "jump", "a jump would be too far" },
	[WIRE_JAVA_CONSTRUCTOR] = {
		"constructor",
		"a constructor that is not understood",
	},
	[WIRE_JAVA_CONSTANTS] = { "constants", "no room for constants" },
	[WIRE_JAVA_ROOM] = { "room", "no room for it in clew" },
	[WIRE_JAVA_MACHINE] = { "machine", "the machine refused the class" },
	[WIRE_JAVA_PATTERN] = { "pattern", "not one that was asked for" },
	[WIRE_JAVA_NEEDED] = {
		"needed",
		"clew or the machine needs it as it is",
	},
	[WIRE_JAVA_STANDS_BY] = { "standby", "stands by" },
	[WIRE_JAVA_SHAPE] = {
		"shape",
		"some of its compiled code is not understood",
	},
	[WIRE_JAVA_LOADER] = {
		"loader",
		"its class's loader does not find clew's class",
	},
};

struct java_methods java_methods_of(const struct catalog *catalog)
{
	struct java_methods methods = { 0 };

	for (size_t i = FUNCTION_FIRST; i < catalog->function_count; i++) {
		const struct catalog_function *one = &catalog->functions[i];

		methods.counted += one->tells_calls;
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
	if (!method->tells_calls)
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
