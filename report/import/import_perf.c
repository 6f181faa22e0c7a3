/* SPDX-License-Identifier: MIT */
/*
 * The output of perf script. A sample is a line with its thread, time and
 * event, and then one line for each frame, the innermost first:
 *
 *	prog  4711/4712 [001]  1234.567890:     250000 cycles:u:
 *	            55d0c0a01139 work(int)+0x19 (/usr/bin/prog)
 *	            7f3f2c829d8f __libc_start_call_main+0x7f (/lib/libc.so.6)
 *
 * perf omits fields on request (-F), and writes the frame behind the event if
 * there are no call chains. With --show-mmap-events and similar options it also
 * writes its other records:
 *
 *	prog  4711/4711  1234.567890: PERF_RECORD_LOST lost 12
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/import/import_lines.h"

#define RECORD "PERF_RECORD_" /* begins the name of each record */

struct perf_header {
	const char *comm, *event, *rest;
	size_t comm_bytes, event_bytes;
	uint32_t pid;
	uint64_t time_ns; /* 0 if the header has no time */
	uint64_t period;
	int has_period;
	/* The line is a record of another kind, whose name follows here. */
	const char *record;
};

struct perf_sample {
	/* process of the present sample; NULL if no sample has begun */
	struct import_process *process;
	/* column of the event; WIRE_VALUES_MAX if it has none */
	size_t event_column;
	int is_skipped; /* whether it is a sample of another event */
	uint64_t period;
	uint32_t *frames; /* functions, the innermost first */
	size_t count, capacity;
};

/* ---- The line of a sample ---- */

/* Parses "1234.567890:". Returns what follows, or NULL. */
static const char *parse_time(const char *text, uint64_t *ns)
{
	uint64_t seconds, fraction = 0, scale = 1000000000;
	const char *at = import_number(text, &seconds);

	if (!at || *at != '.')
		return NULL;
	for (at++; isdigit((unsigned char)*at); at++)
		if (scale > 1) {
			scale /= 10;
			fraction = fraction * 10 + (uint64_t)(*at - '0');
		}
	if (*at != ':')
		return NULL;
	*ns = seconds < UINT32_MAX ? seconds * 1000000000 + fraction * scale
				   : 0;
	return at + 1;
}

/* Parses "4711", "4711/4712". Returns what follows, or NULL. */
static const char *parse_pid(const char *text, uint32_t *pid)
{
	uint64_t process, thread;
	const char *at = isdigit((unsigned char)*text)
				 ? import_number(text, &process)
				 : NULL;

	if (at && *at == '/' && isdigit((unsigned char)at[1]))
		at = import_number(at + 1, &thread);
	if (!at || (*at != ' ' && *at != '\t') || process > UINT32_MAX - 1)
		return NULL;
	*pid = (uint32_t)process;
	return import_skip_blanks(at);
}

/*
 * Parses "[cpu] time: period event:" or a part of it, or "[cpu] time:
 * PERF_RECORD_...".
 */
static int parse_event(const char *at, struct perf_header *header)
{
	const char *behind, *end;
	uint64_t processor;

	if (*at == '[' && (behind = import_number(at + 1, &processor)) &&
	    *behind == ']')
		at = import_skip_blanks(behind + 1);
	behind = parse_time(at, &header->time_ns);
	if (behind)
		at = import_skip_blanks(behind);
	if (strncmp(at, RECORD, strlen(RECORD)) == 0) {
		header->record = at + strlen(RECORD);
		return 1;
	}
	behind = import_number(at, &header->period);
	if (behind && (*behind == ' ' || *behind == '\t')) {
		header->has_period = 1;
		at = import_skip_blanks(behind);
	}
	end = import_word_end(at);
	if (end == at || end[-1] != ':')
		return 0;
	header->event = at;
	while (end > at && end[-1] == ':')
		end--;
	header->event_bytes = (size_t)(end - at);
	header->rest = import_skip_blanks(import_word_end(at));
	return header->event_bytes > 0;
}

/*
 * Parses the header of a sample or another record. The name of a thread may
 * contain blanks and digits.
 */
static int parse_header(const char *line, struct perf_header *header)
{
	const char *start = import_skip_blanks(line);

	for (const char *at = import_word_end(start); *at;
	     at = import_word_end(import_skip_blanks(at))) {
		const char *word = import_skip_blanks(at);
		const char *behind;

		*header = (struct perf_header){
			.comm = start,
			.comm_bytes = (size_t)(at - start),
		};
		behind = parse_pid(word, &header->pid);
		if (behind && parse_event(behind, header))
			return 1;
	}
	return 0;
}

int import_is_perf(const char *line)
{
	struct perf_header header;

	return parse_header(line, &header);
}

/* ---- Frames ---- */

static int has_prefix(const char *text, size_t bytes, const char *prefix)
{
	return bytes >= strlen(prefix) &&
	       memcmp(text, prefix, strlen(prefix)) == 0;
}

/*
 * Returns the kind of a module. The kernel's modules have names in brackets, as
 * the kernel itself has.
 */
static enum wire_imported_kind kind_of(const char *module, size_t bytes)
{
	static const char *const others[] = { "[vdso]",    "[vsyscall]",
					      "[unknown]", "[heap]",
					      "[stack]",   "[anon" };

	if (has_prefix(module, bytes, "/tmp/perf-") || bytes == 0 ||
	    has_prefix(module, bytes, "//anon"))
		return WIRE_IMPORTED_GENERATED;
	if (module[0] != '[')
		return WIRE_IMPORTED_NATIVE;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (has_prefix(module, bytes, others[i]))
			return WIRE_IMPORTED_NATIVE;
	return WIRE_IMPORTED_KERNEL;
}

/* Returns the size of a text without this end. */
static size_t without_end(const char *text, size_t bytes, const char *end)
{
	const size_t size = strlen(end);

	return bytes > size && memcmp(text + bytes - size, end, size) == 0
		       ? bytes - size
		       : bytes;
}

/*
 * Returns "kernel" for the kernel, and "nf_tables" for its module
 * "[nf_tables]".
 */
static const char *kernel_module(const char *module, size_t *bytes)
{
	static const char kernel[] = "kernel";

	if (has_prefix(module, *bytes, "[kernel") ||
	    has_prefix(module, *bytes, "[guest.kernel")) {
		*bytes = sizeof(kernel) - 1;
		return kernel;
	}
	if (module[*bytes - 1] == ']') {
		*bytes -= 2;
		return module + 1;
	}
	return module;
}

/* Returns the size of a symbol without "+0x19" at its end. */
static size_t without_offset(const char *symbol, size_t bytes)
{
	size_t at = bytes;

	while (at > 0 && isxdigit((unsigned char)symbol[at - 1]))
		at--;
	return at > 3 && at < bytes && memcmp(symbol + at - 3, "+0x", 3) == 0
		       ? at - 3
		       : bytes;
}

/*
 * Finds the module "(/usr/bin/prog)" at the end, and returns its parenthesis;
 * NULL if the text does not end so. Symbols and paths may have parentheses.
 */
static const char *module_of(const char *text, size_t length)
{
	const char *end = text + length, *last = NULL;

	if (length == 0 || end[-1] != ')')
		return NULL;
	for (const char *at = text; at + 1 < end; at++) {
		if (*at != '(' || (at > text && at[-1] != ' '))
			continue;
		if (at[1] == '/' || at[1] == '[')
			return at;
		if (at > text)
			last = at;
	}
	return last;
}

/*
 * Parses "55d0c0a01139 work(int)+0x19 (/usr/bin/prog)". Without the field dso
 * there is no module. perf writes a tab behind the addresses of instructions.
 */
static int parse_frame(struct import *import, const char *text,
		       uint32_t *function)
{
	const char *symbol, *module, *end = import_word_end(text);
	size_t bytes, module_bytes;
	enum wire_imported_kind kind;

	for (const char *at = text; at < end; at++)
		if (!isxdigit((unsigned char)*at))
			return 0;
	symbol = import_skip_blanks(end);
	if (end == text || !*symbol)
		return 0;
	module = module_of(symbol, strlen(symbol));
	if (!module && *end != ' ')
		return 0;
	bytes = module ? (size_t)(module - symbol) : strlen(symbol);
	while (bytes > 0 && symbol[bytes - 1] == ' ')
		bytes--;
	if (!module) {
		*function = import_function_of(import, symbol,
					       without_offset(symbol, bytes),
					       "", 0, WIRE_IMPORTED_NATIVE);
		return 1;
	}
	module++;
	module_bytes = without_end(module, strlen(module) - 1, " (deleted)");
	kind = kind_of(module, module_bytes);
	if (module_bytes == 7 && memcmp(module, "inlined", 7) == 0) {
		kind = WIRE_IMPORTED_INLINED;
		module_bytes = 0;
	}
	if (kind == WIRE_IMPORTED_KERNEL && module_bytes > 1)
		module = kernel_module(module, &module_bytes);
	*function = import_function_of(import, symbol,
				       without_offset(symbol, bytes), module,
				       module_bytes, kind);
	return 1;
}

/* ---- Samples ---- */

/*
 * Adds the sample that was begun, if any. Returns 0 if there are too many
 * contexts, otherwise 1.
 */
static int end_sample(struct import *import, struct perf_sample *sample)
{
	static const char none[] = "(no stack)";
	uint32_t context = 0;

	sample->is_skipped = 0;
	if (!sample->process)
		return 1;
	if (sample->count == 0) {
		sample->frames =
			memory_grow(sample->frames, 0, &sample->capacity,
				    sizeof(*sample->frames));
		sample->frames[sample->count++] =
			import_function_of(import, none, sizeof(none) - 1, "",
					   0, WIRE_IMPORTED_NATIVE);
	}
	while (sample->count > 0) {
		context = import_child(import, sample->process, context,
				       sample->frames[--sample->count]);
		if (context == 0)
			return 0;
	}
	import_add(sample->process, context, 0, 1);
	if (sample->event_column < WIRE_VALUES_MAX)
		import_add(sample->process, context, sample->event_column,
			   sample->period);
	sample->process = NULL;
	return 1;
}

static int add_frame(struct import *import, struct perf_sample *sample,
		     const char *text)
{
	uint32_t function;

	if (!parse_frame(import, text, &function))
		return 1;
	if (sample->count == IMPORT_FRAMES_MAX)
		return 0;
	sample->frames =
		memory_grow(sample->frames, sample->count, &sample->capacity,
			    sizeof(*sample->frames));
	sample->frames[sample->count++] = function;
	return 1;
}

/*
 * Returns the unit of an event. The values of cpu-clock and task-clock are
 * nanoseconds.
 */
static enum wire_unit unit_of(const struct perf_header *header)
{
	return has_prefix(header->event, header->event_bytes, "cpu-clock") ||
			       has_prefix(header->event, header->event_bytes,
					  "task-clock")
		       ? WIRE_UNIT_NS
		       : WIRE_UNIT_NUMBER;
}

/* Returns 0 if there are too many processes, otherwise 1. */
static int begin_sample(struct import *import, struct perf_sample *sample,
			const struct perf_header *header)
{
	char *name = memory_string(header->comm, header->comm_bytes);

	sample->process = import_process_of(import, header->pid, name);
	free(name);
	if (!sample->process)
		return 0;
	sample->count = 0;
	sample->period = header->period;
	sample->event_column =
		header->has_period
			? import_column_of(import, header->event,
					   header->event_bytes, unit_of(header))
			: WIRE_VALUES_MAX;
	/* An event with the name "samples" has no column of its own. */
	if (sample->event_column == 0)
		sample->event_column = WIRE_VALUES_MAX;
	if (header->time_ns > 0) {
		if (!import->first_ns || header->time_ns < import->first_ns)
			import->first_ns = header->time_ns;
		if (header->time_ns > import->last_ns)
			import->last_ns = header->time_ns;
	}
	return add_frame(import, sample, header->rest);
}

/*
 * Returns whether the sample is one of the event that is imported: "cycles" or,
 * with modifiers, "cycles:u". The first sample decides if there is no choice.
 */
static int has_event(struct import *import, const struct perf_header *header)
{
	size_t bytes;

	if (!import->event)
		import->event =
			memory_string(header->event, header->event_bytes);
	bytes = strlen(import->event);
	return header->event_bytes >= bytes &&
	       memcmp(header->event, import->event, bytes) == 0 &&
	       (header->event_bytes == bytes || header->event[bytes] == ':');
}

static void note_other(struct import *import, const struct perf_header *header)
{
	char *event = memory_string(header->event, header->event_bytes);

	import->other_samples++;
	if (import->other_events.count < IMPORT_EVENTS_LISTED ||
	    strings_has(&import->other_events, event))
		strings_number(&import->other_events, event);
	free(event);
}

/* Counts what perf lost: "LOST lost 12", "LOST_SAMPLES lost 12". */
static void note_record(struct import *import, const char *record)
{
	static const char lost[] = "LOST";
	const char *at = import_skip_blanks(import_word_end(record));
	uint64_t number;

	if (strncmp(record, lost, strlen(lost)) == 0 &&
	    import_number(import_skip_blanks(import_word_end(at)), &number))
		import_limited_add(&import->lost, number);
}

static int read_line(struct import *import, struct perf_sample *sample,
		     struct import_lines *lines)
{
	static const char too_many[] =
		"has too many frames, contexts or processes";
	const char *text = import_skip_blanks(lines->text);
	struct perf_header header;

	if (!*text)
		return end_sample(import, sample)
			       ? 0
			       : import_refuse(lines, too_many);
	if (text == lines->text && *text == '#')
		return 0;
	/*
	 * Frames begin with a tab, and the names of threads may begin with
	 * blanks. The name "dd" looks like an address.
	 */
	if (*lines->text != '\t' && parse_header(text, &header)) {
		if (!end_sample(import, sample))
			return import_refuse(lines, too_many);
		if (header.record) {
			note_record(import, header.record);
		} else if (!has_event(import, &header)) {
			note_other(import, &header);
			sample->is_skipped = 1;
		} else if (!begin_sample(import, sample, &header)) {
			return import_refuse(lines, too_many);
		}
		return 0;
	}
	if (sample->is_skipped && text != lines->text)
		return 0;
	if (!sample->process || text == lines->text)
		return import_refuse(lines,
				     "is no sample of perf script: "
				     "expected \"prog 12 3.45: cycles:\"");
	/*
	 * Further lines contain source lines and registers, and are no frames.
	 */
	return add_frame(import, sample, text) ? 0
					       : import_refuse(lines, too_many);
}

int import_perf(struct import *import, struct import_lines *lines,
		const struct import_measure *measure)
{
	static const char samples[] = "samples";
	struct perf_sample sample = { 0 };

	import->flags = WIRE_IMPORT_SAMPLES;
	if (measure->event)
		import->event =
			memory_string(measure->event, strlen(measure->event));
	import_column_of(import, samples, sizeof(samples) - 1,
			 WIRE_UNIT_NUMBER);
	while (import_line_next(lines) &&
	       read_line(import, &sample, lines) == 0)
		;
	if (!lines->err && !end_sample(import, &sample))
		import_refuse(lines, "has too many contexts");
	free(sample.frames);
	return lines->err;
}
