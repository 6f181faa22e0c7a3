/* SPDX-License-Identifier: MIT */
/* See snapshot_when.h. */
#include "cli/probes/snapshot_when.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/common/time_text.h"

/* Longer operators come first. */
static const char *const comparisons[] = { "==", "!=", "<=", ">=", "<", ">" };

struct comparison {
	size_t at; /* Offset in the text, or the text's length. */
	const char *sign;
	const char *value; /* The text behind the operator. */
};

/*
 * Finds the last operator, because C++ names may contain such characters. If
 * there is none, `sign` is NULL.
 */
static struct comparison find_comparison(const char *text)
{
	size_t at = strlen(text);

	while (at-- > 0)
		for (size_t i = 0;
		     i < sizeof(comparisons) / sizeof(*comparisons); i++) {
			const char *sign = comparisons[i];
			const size_t length = strlen(sign);

			if (strncmp(text + at, sign, length) != 0)
				continue;
			/*
			 * Two characters behind "<" or ">" are no operator, as
			 * in "<<=".
			 */
			if (length == 1 || at == 0 ||
			    !strchr("<>", text[at - 1]))
				return (struct comparison){
					at, sign,
					text + at + length +
						strspn(text + at + length, " ")
				};
		}
	return (struct comparison){ strlen(text), NULL, "" };
}

/* Parses a time with a unit, such as "5ms", "0.3 ms" or "2s". */
static int parse_unit_time(const char *value, uint64_t *ns)
{
	const size_t number = strcspn(value, " ");
	const char *unit = value + number + strspn(value + number, " ");
	char *whole = memory_printf("%.*s%s", (int)number, value, unit);
	const size_t length = strlen(whole);
	const int err = length && whole[length - 1] == 's'
				? read_time(whole, ns)
				: -EINVAL;

	free(whole);
	return err;
}

/* Returns the time in the largest unit that needs no fraction. */
static char *time_text(uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t unit = 0;

	for (; unit < 3 && ns && ns % 1000 == 0; unit++)
		ns /= 1000;
	return memory_printf("%" PRIu64 "%s", ns, units[unit]);
}

static int parse_value(const char *value, int64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoll(value, &end, 0);
	return *value && !*end && !errno ? 0 : -EINVAL;
}

/*
 * Returns the text of a condition on the function's result, whose type is
 * unknown. A negative int has zeros in the upper half of its register.
 * Therefore negative values and order comparisons use a cast to int or long.
 */
static char *condition(const char *sign, const char *text, int64_t value)
{
	const int is_int = value >= INT32_MIN && value <= INT32_MAX;
	const int is_signed = value < 0 || strchr("<>", *sign);

	return memory_printf("if %sret %s %s",
			     !is_signed ? ""
			     : is_int   ? "(int)"
					: "(long)",
			     sign, text);
}

/*
 * Returns whether the text can be a function's name: its angle brackets are
 * paired and it has no "=" and no "!", or it is an operator of C++.
 */
static int is_name(const char *text)
{
	int depth = 0;

	if (strstr(text, "operator"))
		return 1;
	for (const char *at = text; *at && depth >= 0; at++) {
		if (*at == '=' || *at == '!')
			return 0;
		depth += (*at == '<') - (*at == '>');
	}
	return depth == 0;
}

int snapshot_when_parse(const char *text, unsigned int number, int awaits,
			struct snapshot_when *out)
{
	const struct comparison found = find_comparison(text);
	const char *sign = found.sign;
	size_t length = found.at;
	uint64_t ns = 0;
	int64_t value = 0;
	const int is_time = sign && parse_unit_time(found.value, &ns) == 0;
	char *name;

	if (sign && !is_time && parse_value(found.value, &value)) {
		sign = NULL; /* The operator belongs to the name. */
		length = strlen(text);
	}
	while (length && text[length - 1] == ' ')
		length--;
	name = memory_string(text, length);
	if (!length || !is_name(name) || (is_time && (*sign != '>' || !ns))) {
		free(name);
		return -EINVAL;
	}
	*out = (struct snapshot_when){ 0 };
	out->place =
		memory_printf("%s%s", name, sign && !awaits ? "%return" : "");
	if (sign && awaits)
		out->clock = memory_printf("await");
	if (sign && !is_time)
		out->condition = condition(sign, found.value, value);
	out->is_timed = is_time;
	if (is_time && !awaits) {
		out->start = memory_printf("%s", name);
		out->clock = memory_printf("start when%u", number);
	}
	if (is_time) {
		char *least = time_text(ns);

		out->condition =
			memory_printf("slower when%u %s", number, least);
		free(least);
	}
	free(name);
	return 0;
}
