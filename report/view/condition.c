/* SPDX-License-Identifier: MIT */
/* See condition.h. */
#include "report/view/condition.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"

/*
 * Larger limits are refused. Whole numbers up to this one are exact as a
 * double.
 */
#define LIMIT_MAX 1e15

enum { DIGITS_MAX = 32 };

struct condition_text {
	const char *text, *at;
	char **why;
};

static int refuse(const struct condition_text *reading, const char *expected)
{
	return fail(reading->why, -EINVAL, "character %zu: expected %s",
		    (size_t)(reading->at - reading->text) + 1, expected);
}

static void skip_blanks(struct condition_text *reading)
{
	while (*reading->at == ' ' || *reading->at == '\t')
		reading->at++;
}

/* Skips `word` if it follows. Returns whether it did. */
static int take(struct condition_text *reading, const char *word)
{
	const size_t length = strlen(word);

	if (strncmp(reading->at, word, length) != 0)
		return 0;
	reading->at += length;
	return 1;
}

static int read_metric(struct condition_text *reading,
		       struct condition *condition)
{
	static const struct {
		const char *name;
		enum diff_key key;
	} metrics[] = {
		{ "calls", DIFF_CALLS },
		{ "self", DIFF_SELF },
		{ "total", DIFF_TOTAL },
	};

	skip_blanks(reading);
	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++) {
		const char *behind = reading->at + strlen(metrics[i].name);

		if (strncmp(reading->at, metrics[i].name,
			    strlen(metrics[i].name)) != 0 ||
		    isalnum((unsigned char)*behind) || *behind == '_')
			continue;
		reading->at = behind;
		condition->key = metrics[i].key;
		return 0;
	}
	return refuse(reading, "calls, self or total");
}

/*
 * Names of C++ functions contain parentheses and operators. The last
 * parenthesis of the text ends the name, because no limit contains one.
 */
static int read_function(struct condition_text *reading,
			 struct condition *condition)
{
	const char *end = strrchr(reading->at, ')'), *begin;

	skip_blanks(reading);
	if (!take(reading, "("))
		return 0;
	if (!end) {
		reading->at += strlen(reading->at);
		return refuse(reading, "a ) after the function");
	}
	skip_blanks(reading);
	begin = reading->at;
	reading->at = end + 1;
	while (end > begin && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (end == begin) {
		reading->at = begin;
		return refuse(reading, "a function or *");
	}
	if (end == begin + 1 && *begin == '*')
		condition->is_each = 1;
	else
		condition->function =
			memory_string(begin, (size_t)(end - begin));
	return 0;
}

static int read_operator(struct condition_text *reading,
			 struct condition *condition)
{
	/* An operator comes before those that are its beginning. */
	static const struct {
		const char *text;
		enum condition_operator operator;
	} operators[] = {
		{ ">=", CONDITION_NOT_BELOW }, { "<=", CONDITION_NOT_ABOVE },
		{ "!=", CONDITION_OTHER },     { ">", CONDITION_ABOVE },
		{ "<", CONDITION_BELOW },
	};

	skip_blanks(reading);
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		if (!take(reading, operators[i].text))
			continue;
		condition->operator= operators[i].operator;
		return 0;
	}
	return refuse(reading, "one of > >= < <= !=");
}

/*
 * Reads a number of digits and a point. strtod() is not used, because it
 * depends on the locale and accepts infinities.
 */
static int read_number(struct condition_text *reading, double *number)
{
	double whole = 0, scale = 1;
	int is_negative, has_digit = 0, has_point = 0;
	const char *begin;

	skip_blanks(reading);
	begin = reading->at;
	is_negative = take(reading, "-");
	for (; reading->at - begin < DIGITS_MAX; reading->at++) {
		const char digit = *reading->at;

		if (digit == '.' && !has_point) {
			has_point = 1;
			continue;
		}
		if (digit < '0' || digit > '9')
			break;
		has_digit = 1;
		whole = whole * 10 + (digit - '0');
		scale *= has_point ? 10 : 1;
	}
	if (!has_digit)
		return refuse(reading, "a number");
	*number = (is_negative ? -whole : whole) / scale;
	if (whole / scale <= LIMIT_MAX)
		return 0;
	reading->at = begin;
	return refuse(reading, "a smaller number");
}

static void read_unit(struct condition_text *reading,
		      struct condition *condition)
{
	static const struct {
		const char *text;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };

	skip_blanks(reading);
	if (take(reading, "%")) {
		condition->is_percent = 1;
		return;
	}
	if (condition->key == DIFF_CALLS)
		return;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (!take(reading, units[i].text))
			continue;
		condition->limit *= units[i].ns;
		condition->has_time_unit = 1;
		return;
	}
}

static int read_all(struct condition_text *reading, struct condition *condition)
{
	int err = read_metric(reading, condition);

	if (!err)
		err = read_function(reading, condition);
	if (!err)
		err = read_operator(reading, condition);
	if (!err)
		err = read_number(reading, &condition->limit);
	if (err)
		return err;
	read_unit(reading, condition);
	skip_blanks(reading);
	if (!*reading->at)
		return 0;
	if (condition->is_percent || condition->has_time_unit)
		return refuse(reading, "the end");
	return refuse(reading, condition->key == DIFF_CALLS
				       ? "% or the end"
				       : "% or ns, us, ms, s, or the end");
}

int condition_parse(struct condition *condition, const char *text, char **why)
{
	struct condition_text reading = {
		.text = text,
		.at = text,
		.why = why,
	};
	struct condition read = { 0 };
	int err = read_all(&reading, &read);

	if (err) {
		free(read.function);
		return err;
	}
	read.text = text_printable(memory_string(text, strlen(text)));
	*condition = read;
	return 0;
}

void condition_fini(struct condition *condition)
{
	free(condition->text);
	free(condition->function);
}
