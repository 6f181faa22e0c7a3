/* SPDX-License-Identifier: MIT */
#include "preload/proc.h"

#include <errno.h>
#include <stddef.h>

#include "preload/sys.h"
#include "preload/text.h"
#include "preload/watch.h"

/* What getdents64() fills in. */
struct directory_entry {
	uint64_t inode;
	int64_t next;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

static int open_file(int tid, const char *name)
{
	char path[64];
	struct text text = text_in(path, sizeof(path));

	text_string(&text, "/proc/self/");
	if (tid) {
		text_string(&text, "task/");
		text_number(&text, (uint64_t)tid);
		text_char(&text, '/');
	}
	text_string(&text, name);
	return sys_open(path, O_RDONLY | O_CLOEXEC, 0);
}

int proc_read(struct proc_text *text, int tid, const char *name)
{
	int fd = open_file(tid, name);
	size_t used = 0;
	long got;

	if (fd < 0)
		return fd;
	do {
		got = sys_read(fd, text->bytes + used,
			       sizeof(text->bytes) - 1 - used);
		used += got > 0 ? (size_t)got : 0;
	} while (got > 0 && used < sizeof(text->bytes) - 1);
	sys_close(fd);
	text->bytes[used] = '\0';
	return got < 0 ? (int)got : 0;
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

static const char *next_line(const char *at)
{
	while (*at && *at != '\n')
		at++;
	return *at ? at + 1 : at;
}

int proc_field(const struct proc_text *text, const char *name,
	       unsigned int base, uint64_t *out)
{
	for (const char *at = text->bytes; *at; at = next_line(at)) {
		size_t i = 0;

		while (name[i] && at[i] == name[i])
			i++;
		if (name[i] || at[i] != ':')
			continue;
		parse_number(at + i + 1, base, out);
		return 0;
	}
	return -ENOENT;
}

int proc_is_traced(void)
{
	struct proc_text text;
	uint64_t tracer;

	return !proc_read(&text, 0, "status") &&
	       !proc_field(&text, "TracerPid", 10, &tracer) && tracer;
}

int proc_blocked_signals(struct proc_text *text, int tid, uint64_t *mask)
{
	int err = proc_read(text, tid, "status");

	return err ? err : proc_field(text, "SigBlk", 16, mask);
}

static int read_switches(struct proc_text *text, int tid, uint64_t *out)
{
	uint64_t involuntary = 0;
	int err = proc_read(text, tid, "status");

	if (!err)
		err = proc_field(text, "voluntary_ctxt_switches", 10, out);
	if (!err)
		proc_field(text, "nonvoluntary_ctxt_switches", 10,
			   &involuntary);
	*out += involuntary;
	return err;
}

/* "running", or "CALL ARGUMENTS SP PC", or "-1 SP PC" outside of calls. */
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

int proc_activity(struct proc_text *text, int tid, struct proc_activity *out)
{
	struct proc_activity activity = { 0 };
	int err = read_switches(text, tid, &activity.switches);

	if (!err)
		err = proc_read(text, tid, "syscall");
	if (err)
		return err;
	activity.is_asleep = *text->bytes != 'r';
	if (activity.is_asleep)
		parse_activity(text->bytes, &activity);
	*out = activity;
	return 0;
}

/* What is behind a thread's name, which is in brackets, with anything in it. */
static int read_stat(struct proc_text *text, int tid, const char **out)
{
	const char *behind_name = NULL;
	int err = proc_read(text, tid, "stat");

	if (err)
		return err;
	for (const char *at = text->bytes; *at; at++)
		if (*at == ')')
			behind_name = at + 1;
	if (!behind_name)
		return -ENOENT;
	*out = behind_name;
	return 0;
}

/* The 22nd field; the name is the second. */
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

int proc_is_runnable(struct proc_text *text, int tid)
{
	const char *at;

	return !read_stat(text, tid, &at) && at[0] == ' ' && at[1] == 'R';
}

static int visit_all(const char *buffer, long bytes,
		     int (*visit)(void *context, int tid), void *context)
{
	int result = 0;

	for (long at = 0; at < bytes && !result;) {
		const struct directory_entry *entry =
			(const void *)(buffer + at);
		uint64_t tid;

		at += entry->bytes;
		if (digit_of(*entry->name) > 9)
			continue;
		parse_number(entry->name, 10, &tid);
		if ((int)tid == watch_tid())
			continue;
		result = visit(context, (int)tid);
	}
	return result;
}

int proc_each_thread(int (*visit)(void *context, int tid), void *context)
{
	char buffer[1024] __attribute__((aligned(8)));
	int fd = sys_open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC,
			  0);
	int result = 0;
	long bytes;

	if (fd < 0)
		return fd;
	do {
		bytes = sys_call(SYS_getdents64, fd, (long)buffer,
				 sizeof(buffer), 0, 0, 0);
		result = bytes < 0 ? (int)bytes
				   : visit_all(buffer, bytes, visit, context);
	} while (bytes > 0 && !result);
	sys_close(fd);
	return result;
}
