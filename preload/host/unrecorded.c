/* SPDX-License-Identifier: MIT */
/* See unrecorded.h. */
#include "preload/host/unrecorded.h"

#include "preload/host/machine.h"
#include "preload/host/obstacle.h"
#include "preload/sys/apart.h"
#include "preload/sys/enlarge.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"
#include "wire/recording.h"

struct unrecorded_line {
	char path[4096];
	char line[256];
	size_t bytes; /* length of the line */
};

static void write_line(struct unrecorded_line *note, const char *why, int err)
{
	struct text text = text_in(note->line, sizeof(note->line) - 1);

	text_number(&text, (uint64_t)sys_getpid());
	text_string(&text, " ");
	text_string(&text, why);
	if (err)
		obstacle_explain(&text, err);
	text.left++; /* the byte that was reserved for the newline */
	text_string(&text, "\n");
	note->bytes = (size_t)(text.at - note->line);
}

/* Returns whether the whole line fits; otherwise nothing is written. */
static int is_room(int fd, const struct unrecorded_line *note)
{
	struct rlimit limit;
	struct stat st;

	return !sys_fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       !sys_getrlimit(RLIMIT_FSIZE, &limit) &&
	       (uint64_t)st.st_size + note->bytes <= limit.rlim_cur;
}

/*
 * Appends the line to the file. apart_call() runs this function apart from the
 * program (apart.h).
 */
static int append(void *argument)
{
	const struct unrecorded_line *note = argument;
	int fd = sys_open(
		note->path,
		O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);

	if (fd < 0)
		return fd;
	if (is_room(fd, note))
		enlarge_by_write(fd, note->line, note->bytes);
	return sys_close(fd);
}

void unrecorded_note(const char *dir, const char *why, int err)
{
	struct unrecorded_line note;
	struct text path = text_in(note.path, sizeof(note.path));

	text_string(&path, dir);
	text_string(&path, "/" WIRE_UNRECORDED_NAME);
	if (text_was_cut(&path))
		return;
	write_line(&note, why, err);
	if (machine_is_emulated())
		append(&note); /* the kernel does not support tasks */
	else
		apart_call(append, &note);
}
