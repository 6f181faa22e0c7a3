/* SPDX-License-Identifier: MIT */
/* See probe_action.h. */
#include "expression/probe_action.h"

#include <errno.h>

#include "expression/expression_scan.h"

struct action_line {
	const char *text;
	size_t bytes;
	size_t at;
	probe_action_memory memory;
	void *context;
	struct expression_problem *problem;
};

static int wrong_at(const struct action_line *line, size_t at, const char *what)
{
	*line->problem = (struct expression_problem){ at, what };
	return -EINVAL;
}

static void skip_blanks(struct action_line *line)
{
	line->at = scan_blanks(line->text, line->bytes, line->at);
}

/* Parses the rest of the line as an expression. */
static int take_expression(const struct action_line *line,
			   struct expression *out)
{
	const int err =
		expression_parse(line->text + line->at, line->bytes - line->at,
				 out, line->problem);

	if (err)
		line->problem->at += line->at;
	return err;
}

static int add_condition(struct probe_action *action, struct action_line *line)
{
	struct expression *condition;

	if (action->condition)
		return wrong_at(line, 0, "only one condition is allowed");
	condition = line->memory(line->context, sizeof(*condition));
	if (!condition)
		return -ENOMEM;
	if (take_expression(line, condition))
		return -EINVAL;
	action->condition = condition;
	return 0;
}

/* Parses the rest of the line as a number of 1 or more. */
static int take_count(struct action_line *line, uint64_t *out)
{
	uint64_t number = 0;

	for (; line->at < line->bytes && scan_is_digit(line->text[line->at]);
	     line->at++)
		if (__builtin_mul_overflow(number, 10U, &number) ||
		    __builtin_add_overflow(
			    number, (unsigned int)line->text[line->at] - '0',
			    &number))
			return wrong_at(line, line->at,
					"the number is too large");
	skip_blanks(line);
	if (!number || line->at < line->bytes)
		return wrong_at(line, line->at,
				"this is not a number of 1 or more");
	*out = number;
	return 0;
}

static int add_limit(struct probe_action *action, struct action_line *line)
{
	if (action->limit)
		return wrong_at(line, 0, "only one limit is allowed");
	if (action->slowest)
		return wrong_at(
			line, 0,
			"limit and snapshot slowest exclude each other");
	return take_count(line, &action->limit);
}

static int add_fields(struct probe_action *action, struct action_line *line)
{
	struct probe_field **tail = &action->fields;

	while (*tail)
		tail = &(*tail)->next;
	do {
		struct probe_field *made;

		if (action->field_count == EXPRESSION_FIELDS_MAX)
			return wrong_at(line, line->at,
					"too many values are recorded");
		made = line->memory(line->context, sizeof(*made));
		if (!made)
			return -ENOMEM;
		if (expression_field_parse(line->text, line->bytes, &line->at,
					   &made->field, line->problem))
			return -EINVAL;
		made->text = line->text;
		*tail = made;
		tail = &made->next;
		action->field_count++;
		skip_blanks(line);
	} while (line->at < line->bytes);
	return 0;
}

static int add_region(struct probe_action *action, struct action_line *line,
		      int is_end)
{
	struct probe_region *made = line->memory(line->context, sizeof(*made));
	struct probe_region **tail = &action->regions;
	size_t length = 0;

	if (!made)
		return -ENOMEM;
	for (; line->at < line->bytes && line->text[line->at] != ' ';
	     line->at++) {
		if (length == sizeof(made->name) - 1)
			return wrong_at(line, line->at, "the name is too long");
		made->name[length++] = line->text[line->at];
	}
	if (!length)
		return wrong_at(line, line->at, "a name is missing");
	made->is_end = is_end;
	skip_blanks(line);
	if (line->at < line->bytes && take_expression(line, &made->number))
		return -EINVAL;
	while (*tail)
		tail = &(*tail)->next;
	*tail = made;
	return 0;
}

/*
 * Returns the end of a ":FUNCTION" that begins at `at`, or 0 if there is none.
 */
static size_t end_of_function(const struct action_line *line, size_t at)
{
	const size_t length =
		line->text[at] == ':'
			? scan_name(line->text, line->bytes, at + 1)
			: 0;
	const size_t end = at + 1 + length;

	return length && (end == line->bytes || line->text[end] == ' ') ? end
									: 0;
}

/* Returns a copy that ends with a NUL, or NULL if memory is short. */
static char *copy_of(const struct action_line *line, size_t from, size_t to)
{
	char *copy = line->memory(line->context, to - from + 1);

	for (size_t i = from; copy && i < to; i++)
		copy[i - from] = line->text[i];
	return copy;
}

/*
 * Parses a call of a handler. The path of the object may contain blanks and
 * colons.
 */
static int add_call(struct probe_action *action, struct action_line *line)
{
	const size_t start = line->at;
	struct probe_call *made;
	size_t colon = start, end = 0;

	if (action->call)
		return wrong_at(line, 0, "only one handler is allowed");
	while (colon < line->bytes && !(end = end_of_function(line, colon)))
		colon++;
	if (!end || colon == start)
		return wrong_at(line, start, "this is not OBJECT:FUNCTION");
	made = line->memory(line->context, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->object = copy_of(line, start, colon);
	made->function = copy_of(line, colon + 1, end);
	made->text = copy_of(line, scan_blanks(line->text, line->bytes, end),
			     line->bytes);
	if (!made->object || !made->function || !made->text)
		return -ENOMEM;
	action->call = made;
	return 0;
}

/*
 * Reads a name up to a blank or the end. Returns its hash (FNV-1a), or 0 if
 * there is none.
 */
static uint64_t take_name(struct action_line *line)
{
	const size_t start = line->at;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	while (line->at < line->bytes && line->text[line->at] != ' ')
		hash = (hash ^ (unsigned char)line->text[line->at++]) *
		       UINT64_C(0x100000001b3);
	return line->at > start ? hash : 0;
}

/* Parses a number with a unit. Returns 0 if it is invalid. */
static uint64_t take_time(struct action_line *line)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ns", 1 },
		      { "us", 1000 },
		      { "ms", 1000000 },
		      { "s", 1000000000 } };
	uint64_t number = 0;
	size_t length;

	for (; line->at < line->bytes && scan_is_digit(line->text[line->at]);
	     line->at++)
		if (number < UINT32_MAX)
			number = 10 * number +
				 (unsigned int)line->text[line->at] - '0';
	length = line->bytes - line->at;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (scan_is(line->text + line->at, length, units[i].name))
			return number * units[i].ns;
	return 0;
}

static int add_stopwatch(struct probe_action *action, struct action_line *line,
			 int is_slower)
{
	struct probe_stopwatch *made =
		line->memory(line->context, sizeof(*made));

	if (!made)
		return -ENOMEM;
	if (is_slower && action->slower)
		return wrong_at(line, 0, "only one duration is allowed");
	made->name = take_name(line);
	if (!made->name)
		return wrong_at(line, line->at, "a name is missing");
	skip_blanks(line);
	if (is_slower) {
		const size_t at = line->at;

		made->ns = take_time(line);
		if (!made->ns)
			return wrong_at(
				line, at,
				"this is not a duration, such as 5ms or 200us");
		action->slower = made;
		return 0;
	}
	if (line->at < line->bytes)
		return wrong_at(line, line->at, "only one name is allowed");
	made->next = action->starts;
	action->starts = made;
	return 0;
}

static int take_word(struct action_line *line, const char *word)
{
	const size_t length = scan_name(line->text, line->bytes, line->at);

	if (!scan_is(line->text + line->at, length, word))
		return 0;
	line->at += length;
	skip_blanks(line);
	return 1;
}

static int add_slowest(struct probe_action *action, struct action_line *line)
{
	const size_t at = line->at;
	uint64_t count;
	int err;

	if (action->limit)
		return wrong_at(
			line, 0,
			"limit and snapshot slowest exclude each other");
	err = take_count(line, &count);
	if (err)
		return err;
	if (count > PROBE_SLOWEST_MAX)
		return wrong_at(line, at, "at most 100 can be retained");
	action->slowest = (uint32_t)count;
	return 0;
}

static int add_snapshot(struct probe_action *action, struct action_line *line)
{
	int err = 0;

	if (action->takes_snapshot)
		return wrong_at(line, 0, "only one snapshot is allowed");
	if (take_word(line, "slowest"))
		err = add_slowest(action, line);
	else if (line->at < line->bytes)
		err = wrong_at(line, line->at, "this is not slowest N");
	action->takes_snapshot = !err;
	return err;
}

static int add_trace(struct probe_action *action, struct action_line *line)
{
	const size_t at = line->at;

	if (action->trace)
		return wrong_at(line, 0,
				"only one trace on or trace off is allowed");
	if (take_word(line, "on"))
		action->trace = PROBE_TRACE_ON;
	else if (take_word(line, "off"))
		action->trace = PROBE_TRACE_OFF;
	if (!action->trace || line->at < line->bytes)
		return wrong_at(line, at, "this is not on or off");
	return 0;
}

static int add_await(struct probe_action *action, struct action_line *line)
{
	if (line->at < line->bytes)
		return wrong_at(line, line->at, "nothing may follow await");
	action->awaits = 1;
	return 0;
}

static int add_line(struct probe_action *action, struct action_line *line)
{
	if (take_word(line, "if"))
		return add_condition(action, line);
	if (take_word(line, "limit"))
		return add_limit(action, line);
	if (take_word(line, "record"))
		return add_fields(action, line);
	if (take_word(line, "begin"))
		return add_region(action, line, 0);
	if (take_word(line, "end"))
		return add_region(action, line, 1);
	if (take_word(line, "call"))
		return add_call(action, line);
	if (take_word(line, "await"))
		return add_await(action, line);
	if (take_word(line, "start"))
		return add_stopwatch(action, line, 0);
	if (take_word(line, "slower"))
		return add_stopwatch(action, line, 1);
	if (take_word(line, "snapshot"))
		return add_snapshot(action, line);
	if (take_word(line, "trace"))
		return add_trace(action, line);
	return wrong_at(line, line->at,
			"this is not one of if, limit, record, begin, end, "
			"call, await, start, slower, snapshot, trace");
}

/* When a call has returned, only its result and its duration are known. */
static int check_await(const struct probe_action *action,
		       const struct action_line *line)
{
	if (!action->awaits)
		return 0;
	if (action->fields || action->regions || action->starts || action->call)
		return wrong_at(line, 0,
				"await excludes record, begin, end, start and "
				"call");
	if (action->condition &&
	    !expression_needs_only(action->condition, MACHINE_RESULT))
		return wrong_at(line, 0,
				"with await a condition can only read ret");
	return 0;
}

int probe_action_add(struct probe_action *action, const char *text,
		     probe_action_memory memory, void *context,
		     struct expression_problem *problem)
{
	struct action_line line = { .text = text,
				    .memory = memory,
				    .context = context,
				    .problem = problem };
	int err;

	for (; text[line.bytes]; line.bytes++)
		if (text[line.bytes] == PROBE_ACTION_MARK)
			line.at = line.bytes + 1;
	skip_blanks(&line);
	err = add_line(action, &line);
	return err ? err : check_await(action, &line);
}
