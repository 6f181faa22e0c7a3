/* SPDX-License-Identifier: MIT */
/* See proc.h. */
#include "preload/sys/proc.h"

#include <errno.h>
#include <stddef.h>

#include "preload/sys/proc_threads.h"
#include "preload/sys/sys.h"

/* Reads a whole file, or returns -EOVERFLOW. */
static int read_text(struct proc_text *text, int tid, const char *name)
{
	int fd = proc_open(tid, name);
	size_t used = 0;
	long got;

	if (fd < 0)
		return fd;
	do {
		got = sys_read(fd, text->bytes + used,
			       sizeof(text->bytes) - used);
		used += got > 0 ? (size_t)got : 0;
	} while (got > 0 && used < sizeof(text->bytes));
	sys_close(fd);
	if (got < 0)
		return (int)got;
	if (used == sizeof(text->bytes))
		return -EOVERFLOW;
	text->bytes[used] = '\0';
	return 0;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

static const char *parse_number(const char *at, unsigned int base,
				uint64_t *out)
{
	uint64_t value = 0;

	while (*at == ' ' || *at == '\t')
		at++;
	if (base == 16 && at[0] == '0' && at[1] == 'x')
		at += 2;
	for (; digit_of(*at) < (int)base; at++)
		value = value * base + (unsigned int)digit_of(*at);
	*out = value;
	return at;
}

/* ---- The lines of a status file ---- */

/* A line that arrives in several blocks; a long line is cut. */
struct line {
	char bytes[64];
	size_t used;
};

/* Returns the text behind "NAME:" in a line, or NULL. */
static const char *value_of(const char *line, const char *name)
{
	while (*name && *line == *name)
		line++, name++;
	return *name || *line != ':' ? NULL : line + 1;
}

static void end_line(struct line *line, struct proc_line *wanted,
		     uint32_t count)
{
	line->bytes[line->used] = '\0';
	line->used = 0;
	for (uint32_t i = 0; i < count; i++) {
		const char *value = value_of(line->bytes, wanted[i].name);

		if (!value)
			continue;
		parse_number(value, wanted[i].base, &wanted[i].value);
		wanted[i].is_found = 1;
	}
}

static void read_block(struct line *line, const char *block, long bytes,
		       struct proc_line *wanted, uint32_t count)
{
	for (long i = 0; i < bytes; i++) {
		if (block[i] == '\n')
			end_line(line, wanted, count);
		else if (line->used < sizeof(line->bytes) - 1)
			line->bytes[line->used++] = block[i];
	}
}

int proc_status(int tid, struct proc_line *lines, uint32_t count)
{
	int fd = proc_open(tid, "status");
	struct line line = { .used = 0 };
	char block[512];
	long got;

	if (fd < 0)
		return fd;
	for (uint32_t i = 0; i < count; i++)
		lines[i].is_found = 0;
	while ((got = sys_read(fd, block, sizeof(block))) > 0)
		read_block(&line, block, got, lines, count);
	sys_close(fd);
	if (got < 0)
		return (int)got;
	for (uint32_t i = 0; i < count; i++)
		if (!lines[i].is_found)
			return -EBADMSG;
	return 0;
}

int proc_is_traced(void)
{
	struct proc_line tracer = { .name = "TracerPid", .base = 10 };

	return !proc_status(0, &tracer, 1) && tracer.value;
}

int proc_blocked_signals(int tid, uint64_t *mask)
{
	struct proc_line blocked = { .name = "SigBlk", .base = 16 };
	int err = proc_status(tid, &blocked, 1);

	if (!err)
		*mask = blocked.value;
	return err;
}

static int read_switches(int tid, uint64_t *out)
{
	struct proc_line lines[] = {
		{ .name = "voluntary_ctxt_switches", .base = 10 },
		{ .name = "nonvoluntary_ctxt_switches", .base = 10 },
	};
	int err = proc_status(tid, lines, 2);

	if (!err)
		*out = lines[0].value + lines[1].value;
	return err;
}

/* ---- Files of one line ---- */

/*
 * Parses "running", or "CALL ARGUMENTS SP PC", or "-1 SP PC" outside of system
 * calls.
 */
static void parse_activity(const char *at, struct proc_activity *out)
{
	uint64_t word;

	if (*at == '-') {
		out->call = -1;
		at += 2;
	} else {
		at = parse_number(at, 10, &word);
		out->call = (long)word;
		for (int i = 0; i < 6; i++)
			at = parse_number(at, 16, &word);
	}
	at = parse_number(at, 16, &out->sp);
	parse_number(at, 16, &out->pc);
}

int proc_wait(struct proc_text *text, int tid, struct proc_activity *out)
{
	struct proc_activity activity = { 0 };
	int err = read_text(text, tid, "syscall");

	if (err)
		return err;
	activity.is_asleep = *text->bytes != 'r';
	if (activity.is_asleep)
		parse_activity(text->bytes, &activity);
	*out = activity;
	return 0;
}

int proc_activity(struct proc_text *text, int tid, struct proc_activity *out)
{
	uint64_t switches;
	int err = read_switches(tid, &switches);

	if (!err)
		err = proc_wait(text, tid, out);
	if (!err)
		out->switches = switches;
	return err;
}

/*
 * Finds the text behind a thread's name, which is in parentheses and may
 * contain any character.
 */
static int read_stat(struct proc_text *text, int tid, const char **out)
{
	const char *behind_name = NULL;
	int err = read_text(text, tid, "stat");

	if (err)
		return err;
	for (const char *at = text->bytes; *at; at++)
		if (*at == ')')
			behind_name = at + 1;
	if (!behind_name)
		return -EBADMSG;
	*out = behind_name;
	return 0;
}

/* The start time is field 22 of "stat"; the thread's name is field 2. */
int proc_start_ticks(struct proc_text *text, int tid, uint64_t *out)
{
	const char *at;
	int err = read_stat(text, tid, &at);

	if (err)
		return err;
	for (int blanks = 0; *at && blanks < 20; at++)
		blanks += *at == ' ';
	parse_number(at, 10, out);
	return 0;
}

char proc_state(struct proc_text *text, int tid)
{
	const char *at;

	return !read_stat(text, tid, &at) && at[0] == ' ' ? at[1] : '\0';
}

/* The wait time is the second of the three numbers in "schedstat". */
int proc_run_delay_ns(struct proc_text *text, int tid, uint64_t *out)
{
	int err = read_text(text, tid, "schedstat");
	uint64_t on_processor_ns;

	if (!err)
		parse_number(parse_number(text->bytes, 10, &on_processor_ns),
			     10, out);
	return err;
}
