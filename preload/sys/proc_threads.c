/* SPDX-License-Identifier: MIT */
/* See proc_threads.h. */
#include "preload/sys/proc_threads.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/sys/sys.h"
#include "preload/sys/text.h"

/* An entry that getdents64() stores. */
struct directory_entry {
	uint64_t inode;
	int64_t next;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int parse_decimal(const char *at)
{
	int value = 0;

	for (; is_digit(*at); at++)
		value = value * 10 + (*at - '0');
	return value;
}

/*
 * Opens a file in /proc/self/task/NUMBER, or in /proc/self if the number is 0.
 */
static int open_numbered(int number, const char *name)
{
	char path[64];
	struct text text = text_in(path, sizeof(path));

	text_string(&text, "/proc/self/");
	if (number) {
		text_string(&text, "task/");
		text_number(&text, (uint64_t)number);
		text_char(&text, '/');
	}
	text_string(&text, name);
	return sys_open(path, O_RDONLY | O_CLOEXEC, 0);
}

static int is_of_outer_namespace(void)
{
	char number[16];
	long length = sys_readlink("/proc/self", number, sizeof(number) - 1);

	if (length <= 0)
		return 0;
	number[length] = '\0';
	return parse_decimal(number) != sys_getpid();
}

/* ---- "NSpid:", the number in each namespace, the innermost last ---- */

static const char numbers_key[] = "NSpid:";

struct numbers_line {
	/* how many characters of the key this line has matched */
	size_t matched;
	int is_another; /* this line has another key */
	int is_read;    /* the line was found */
	int last;
};

static void read_char(struct numbers_line *line, char c)
{
	const size_t length = sizeof(numbers_key) - 1;

	if (line->is_read)
		return;
	if (c == '\n') {
		line->is_read = line->matched == length;
		line->matched = 0;
		line->is_another = 0;
	} else if (line->matched == length) {
		line->last = is_digit(c) ? line->last * 10 + (c - '0') : 0;
	} else if (!line->is_another && c == numbers_key[line->matched]) {
		line->matched++;
	} else {
		line->is_another = 1;
	}
}

/*
 * Returns the tid of the thread with this directory, or -errno: -ESRCH if it
 * has exited.
 */
static int inner_number(int number)
{
	struct numbers_line line = { .last = 0 };
	int fd = open_numbered(number, "status");
	char block[256];
	long got;

	if (fd < 0)
		return fd == -ENOENT ? -ESRCH : fd;
	while (!line.is_read && (got = sys_read(fd, block, sizeof(block))) > 0)
		for (long i = 0; i < got; i++)
			read_char(&line, block[i]);
	sys_close(fd);
	if (line.is_read)
		return line.last;
	return got < 0 ? (int)got : -EBADMSG;
}

/* ---- The directories ---- */

static int visit_entries(const char *buffer, long bytes,
			 int (*visit)(void *context, int number), void *context)
{
	int result = 0;

	for (long at = 0; at < bytes && !result;) {
		const struct directory_entry *entry =
			(const void *)(buffer + at);

		at += entry->bytes;
		if (is_digit(*entry->name))
			result = visit(context, parse_decimal(entry->name));
	}
	return result;
}

static int each_directory(int (*visit)(void *context, int number),
			  void *context)
{
	char buffer[512] __attribute__((aligned(8)));
	int fd = sys_open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC,
			  0);
	int result = 0;
	long bytes;

	if (fd < 0)
		return fd;
	do {
		bytes = sys_call(SYS_getdents64, fd, (long)buffer,
				 sizeof(buffer), 0, 0, 0);
		result = bytes < 0
				 ? (int)bytes
				 : visit_entries(buffer, bytes, visit, context);
	} while (bytes > 0 && !result);
	sys_close(fd);
	return result;
}

struct wanted_thread {
	int tid;
	int number; /* number of the thread's directory */
};

static int is_wanted(void *context, int number)
{
	struct wanted_thread *wanted = context;

	if (inner_number(number) != wanted->tid)
		return 0;
	wanted->number = number;
	return 1;
}

/* Returns the number of a thread's directory, or 0. */
static int directory_of(int tid)
{
	struct wanted_thread wanted = { .tid = tid };

	return each_directory(is_wanted, &wanted) > 0 ? wanted.number : 0;
}

int proc_open(int tid, const char *name)
{
	int number = tid;
	int fd = -ENOENT;

	if (tid && is_of_outer_namespace())
		number = directory_of(tid);
	if (!tid || number)
		fd = open_numbered(number, name);
	if (fd != -ENOENT)
		return fd;
	return tid && !sys_thread_exists(sys_getpid(), tid) ? -ESRCH
							    : -EOPNOTSUPP;
}

/* ---- The process ---- */

#define OWN_PATH_BYTES 64

static int main_thread_has_ended(void)
{
	int exe;

	if (sys_gettid() == sys_getpid())
		return 0;
	exe = sys_open("/proc/self/exe", O_PATH | O_CLOEXEC, 0);
	if (exe >= 0)
		sys_close(exe);
	return exe == -ENOENT;
}

static void put_own_path(char path[OWN_PATH_BYTES], const char *name)
{
	struct text text = text_in(path, OWN_PATH_BYTES);

	text_string(&text, main_thread_has_ended() ? "/proc/thread-self/"
						   : "/proc/self/");
	text_string(&text, name);
}

int proc_open_own(const char *name, int flags)
{
	char path[OWN_PATH_BYTES];

	put_own_path(path, name);
	return sys_open(path, flags | O_CLOEXEC, 0);
}

long proc_read_own_link(const char *name, char *out, size_t bytes)
{
	char path[OWN_PATH_BYTES];

	put_own_path(path, name);
	return sys_readlink(path, out, bytes);
}

/* ---- The threads ---- */

struct visitor {
	int but_tid;
	int is_translated;
	int (*visit)(void *context, int tid);
	void *context;
};

static int visit_thread(void *context, int number)
{
	const struct visitor *visitor = context;
	int tid = visitor->is_translated ? inner_number(number) : number;

	if (tid < 0)
		return tid == -ESRCH ? 0 : tid;
	return tid == visitor->but_tid ? 0
				       : visitor->visit(visitor->context, tid);
}

int proc_each_thread(int but_tid, int (*visit)(void *context, int tid),
		     void *context)
{
	struct visitor visitor = { but_tid, is_of_outer_namespace(), visit,
				   context };

	return each_directory(visit_thread, &visitor);
}
