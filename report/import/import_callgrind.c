/* SPDX-License-Identifier: MIT */
/*
 * callgrind.out, as the manual of valgrind describes it ("Callgrind Format
 * Specification"). Names are written once, "fn=(3) main", and then as "fn=(3)".
 * A line of numbers is the cost of a source line, or after "calls=" the
 * inclusive cost of these calls. "fi=" and "fe=" name the files of inlined
 * code; its cost belongs to the function around it.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/import/call_graph.h"
#include "report/import/import_lines.h"

/*
 * Compressed names of one kind. Maps the number of a name in the file to 1 +
 * the number of the string.
 */
struct compressed {
	struct idmap names;
};

struct callgrind_reading {
	struct import *import;
	struct import_lines *lines;
	struct call_graph graph;
	struct compressed objects, functions;
	uint32_t object, callee_object; /* numbers of strings */
	uint32_t function, callee;      /* numbers of functions in the import */
	int has_function, has_callee, has_callee_object;
	int awaits_cost; /* whether the next line of numbers belongs to calls */
	int has_no_calls; /* whether the next "calls=1" stands for none */
	uint64_t calls;
	size_t positions; /* number of columns before the costs */
	uint32_t pid;
	char *command;
};

int import_is_callgrind(const char *line)
{
	static const char *const words[] = {
		"version:",   "creator:", "pid:",   "cmd:",  "desc:",
		"positions:", "events:",  "event:", "part:",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strncmp(line, words[i], strlen(words[i])) == 0)
			return 1;
	return 0;
}

/* ---- Names ---- */

/*
 * Stores the number of the string that "(3) name", "(3)" or "name" stands for.
 * Returns 0 or -EINVAL.
 */
static int read_name(struct callgrind_reading *callgrind,
		     struct compressed *compressed, const char *text,
		     uint32_t *string)
{
	struct strings *strings = &callgrind->import->strings;
	uint64_t number, *known;
	const char *at =
		text[0] == '(' ? import_number(text + 1, &number) : NULL;
	char *copy;

	if (!at || *at != ')') {
		at = text;
		known = NULL;
	} else {
		known = idmap_at(&compressed->names, number + 1);
		at = import_skip_blanks(at + 1);
		if (!*at && !*known)
			return import_refuse(callgrind->lines,
					     "uses a name that was not "
					     "defined");
		if (!*at) {
			*string = (uint32_t)*known - 1;
			return 0;
		}
	}
	copy = memory_string(at, strnlen(at, IMPORT_NAME_MAX));
	*string = strings_number(strings, copy);
	free(copy);
	if (known)
		*known = (uint64_t)*string + 1;
	return 0;
}

static int read_function(struct callgrind_reading *callgrind, const char *text,
			 uint32_t object, uint32_t *function)
{
	const struct strings *strings = &callgrind->import->strings;
	uint32_t name;
	const char *path, *module;
	int err = read_name(callgrind, &callgrind->functions, text, &name);

	if (err)
		return err;
	path = strings->items[object];
	module = strcmp(path, "???") == 0 ? "" : path;
	*function = import_function_of(callgrind->import, strings->items[name],
				       strlen(strings->items[name]), module,
				       strlen(module), WIRE_IMPORTED_NATIVE);
	return 0;
}

/* ---- Costs ---- */

/*
 * Parses a whole number. Returns what follows; NULL if there is none, or if it
 * continues otherwise than with a blank, as "1.5" does.
 */
static const char *parse_number(const char *text, uint64_t *number)
{
	const char *behind = import_number(text, number);

	return behind && (!*behind || *behind == ' ' || *behind == '\t')
		       ? behind
		       : NULL;
}

/*
 * Skips a position: "12", "0x12", "+3", "-3", "*". Returns NULL if malformed.
 * After "jump=" and "jcnd=", a line has positions only.
 */
static const char *skip_position(const char *text)
{
	uint64_t number;

	if (*text == '*')
		return text + 1;
	if (*text == '+' || *text == '-')
		text++;
	return parse_number(text, &number);
}

static int add_call(struct callgrind_reading *callgrind, uint64_t cost)
{
	call_graph_call(&callgrind->graph, callgrind->function,
			callgrind->callee, callgrind->calls, cost);
	callgrind->awaits_cost = 0;
	callgrind->has_callee = callgrind->has_callee_object = 0;
	return 0;
}

static int read_costs(struct callgrind_reading *callgrind, const char *at)
{
	uint64_t cost = 0;

	for (size_t i = 0; i < callgrind->positions && at; i++)
		at = skip_position(import_skip_blanks(at));
	if (!at)
		return import_refuse(callgrind->lines,
				     "has a malformed position");
	if (!callgrind->has_function)
		return import_refuse(callgrind->lines,
				     "has a cost before the first fn=");
	if (callgrind->import->column_count == 0)
		return import_refuse(callgrind->lines,
				     "has a cost before events:");
	at = import_skip_blanks(at);
	if (callgrind->awaits_cost) {
		if (*at && !parse_number(at, &cost))
			return import_refuse(callgrind->lines,
					     "has a malformed cost");
		return add_call(callgrind, cost);
	}
	for (size_t i = 0; i < callgrind->import->column_count && *at; i++) {
		at = parse_number(at, &cost);
		if (!at)
			return import_refuse(callgrind->lines,
					     "has a malformed cost");
		import_column_add(&callgrind->graph.own[i], callgrind->function,
				  cost);
		at = import_skip_blanks(at);
	}
	return 0;
}

/* ---- Lines ---- */

static int read_events(struct callgrind_reading *callgrind, const char *at)
{
	if (callgrind->import->column_count > 0)
		return 0; /* the line begins another part of the same file */
	while (*(at = import_skip_blanks(at))) {
		const char *end = import_word_end(at);

		if (import_column_of(callgrind->import, at, (size_t)(end - at),
				     WIRE_UNIT_NUMBER) == WIRE_VALUES_MAX)
			return import_refuse(callgrind->lines,
					     "has more than %d events",
					     WIRE_VALUES_MAX);
		at = end;
	}
	return 0;
}

static int read_positions(struct callgrind_reading *callgrind, const char *at)
{
	callgrind->positions = 0;
	while (*(at = import_skip_blanks(at)) && callgrind->positions < 2) {
		callgrind->positions++;
		at = import_word_end(at);
	}
	return 0;
}

static int read_pid(struct callgrind_reading *callgrind, const char *at)
{
	uint64_t pid;

	if (import_number(import_skip_blanks(at), &pid) && pid > 0 &&
	    pid < UINT32_MAX)
		callgrind->pid = (uint32_t)pid;
	return 0;
}

static int read_command(struct callgrind_reading *callgrind, const char *at)
{
	at = import_skip_blanks(at);
	if (!callgrind->command)
		callgrind->command =
			memory_string(at, strnlen(at, IMPORT_NAME_MAX));
	return 0;
}

static int read_object(struct callgrind_reading *callgrind, const char *at)
{
	return read_name(callgrind, &callgrind->objects, at,
			 &callgrind->object);
}

static int read_callee_object(struct callgrind_reading *callgrind,
			      const char *at)
{
	callgrind->has_callee_object = 1;
	return read_name(callgrind, &callgrind->objects, at,
			 &callgrind->callee_object);
}

static int read_own_function(struct callgrind_reading *callgrind,
			     const char *at)
{
	callgrind->has_function = 1;
	callgrind->awaits_cost = 0;
	return read_function(callgrind, at, callgrind->object,
			     &callgrind->function);
}

static int read_callee(struct callgrind_reading *callgrind, const char *at)
{
	callgrind->has_callee = 1;
	return read_function(callgrind, at,
			     callgrind->has_callee_object
				     ? callgrind->callee_object
				     : callgrind->object,
			     &callgrind->callee);
}

static int read_calls(struct callgrind_reading *callgrind, const char *at)
{
	if (!callgrind->has_callee || !callgrind->has_function)
		return import_refuse(callgrind->lines,
				     "has calls= before cfn= and fn=");
	if (!parse_number(at, &callgrind->calls))
		return import_refuse(callgrind->lines,
				     "has a malformed number of calls");
	if (callgrind->has_no_calls)
		callgrind->calls = 0;
	callgrind->has_no_calls = 0;
	callgrind->awaits_cost = 1;
	return 0;
}

static int skip_line(struct callgrind_reading *callgrind, const char *at)
{
	(void)callgrind;
	(void)at;
	return 0;
}

static int read_line(struct callgrind_reading *callgrind)
{
	static const struct {
		const char *word;
		int (*read)(struct callgrind_reading *callgrind,
			    const char *at);
	} rows[] = {
		{ "fn=", read_own_function },
		{ "cfn=", read_callee },
		{ "ob=", read_object },
		{ "cob=", read_callee_object },
		{ "calls=", read_calls },
		{ "events:", read_events },
		{ "positions:", read_positions },
		{ "pid:", read_pid },
		{ "cmd:", read_command },
		{ "fl=", skip_line },
		{ "fi=", skip_line },
		{ "fe=", skip_line },
		{ "cfi=", skip_line },
		{ "cfl=", skip_line },
		{ "jfi=", skip_line },
		{ "jfn=", skip_line },
		{ "jump=", skip_line },
		{ "jcnd=", skip_line },
	};
	const char *line = import_skip_blanks(callgrind->lines->text);

	/* clew export writes this before "calls=1" of a cost without calls. */
	if (strcmp(line, "# no calls") == 0)
		callgrind->has_no_calls = 1;
	if (!*line || *line == '#')
		return 0;
	if (isdigit((unsigned char)*line) || *line == '+' || *line == '-' ||
	    *line == '*')
		return read_costs(callgrind, line);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strncmp(line, rows[i].word, strlen(rows[i].word)) == 0)
			return rows[i].read(callgrind,
					    line + strlen(rows[i].word));
	/*
	 * The line is another header, such as "summary: 1234" or "desc: I1
	 * cache: ".
	 */
	if (line[strcspn(line, ":= \t")] == ':')
		return 0;
	return import_refuse(callgrind->lines, "is no line of callgrind.out");
}

static int unfold(struct callgrind_reading *callgrind)
{
	struct import *import = callgrind->import;
	struct import_process *process = import_process_of(
		import, callgrind->pid ? callgrind->pid : 1,
		callgrind->command ? callgrind->command : "callgrind");

	return call_graph_unfold(&callgrind->graph, import, process)
		       ? 0
		       : import_refuse(callgrind->lines,
				       "leads to too many contexts");
}

int import_callgrind(struct import *import, struct import_lines *lines)
{
	struct callgrind_reading callgrind = { .import = import,
					       .lines = lines,
					       .positions = 1 };

	callgrind.object = strings_number(&import->strings, "");
	while (import_line_next(lines) && read_line(&callgrind) == 0)
		;
	/* cachegrind writes the same format without calls. */
	if (callgrind.graph.edge_count > 0)
		import->flags = WIRE_IMPORT_CALLS | WIRE_IMPORT_ESTIMATED;
	if (!lines->err)
		unfold(&callgrind);
	call_graph_fini(&callgrind.graph);
	idmap_fini(&callgrind.objects.names);
	idmap_fini(&callgrind.functions.names);
	free(callgrind.command);
	return lines->err;
}
