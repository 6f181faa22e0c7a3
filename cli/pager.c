/* SPDX-License-Identifier: MIT */
#include "cli/pager.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cut.h"

static const char *find_pager(void)
{
	const char *pager = getenv("CLEW_PAGER");

	if (!pager)
		pager = getenv("PAGER");
	if (!pager)
		pager = "less";
	return *pager && strcmp(pager, "cat") != 0 ? pager : NULL;
}

static void become_pager(const char *pager, int from)
{
	dup2(from, STDIN_FILENO);
	close(from);
	setenv("LESS", "FRSX", 0);
	execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
	_exit(127);
}

/* The shell says 127 for a pager that is not there: `command -v` asks first. */
static int exists(const char *pager)
{
	char command[256];
	int length = snprintf(command, sizeof(command),
			      "command -v %.*s >/dev/null 2>&1",
			      (int)strcspn(pager, " \t;|&"), pager);

	return length < (int)sizeof(command) && system(command) == 0;
}

static int start(struct pager *pager, const char *program)
{
	int ends[2];

	if (!program || !exists(program) || pipe(ends) != 0)
		return -ENOENT;
	pager->pid = fork();
	if (pager->pid == 0) {
		close(ends[1]);
		become_pager(program, ends[0]);
	}
	close(ends[0]);
	if (pager->pid > 0) {
		dup2(ends[1], STDOUT_FILENO);
		/* A user who has seen enough ends the pager, not us. */
		signal(SIGPIPE, SIG_IGN);
	} else {
		pager->pid = 0;
	}
	close(ends[1]);
	return pager->pid ? 0 : -EAGAIN;
}

static int terminal_width(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void pager_start(struct pager *pager, int wanted, int is_wide)
{
	*pager = (struct pager){ 0 };
	if (!isatty(STDOUT_FILENO))
		return;
	if (wanted && start(pager, find_pager()) == 0)
		return;
	if (!is_wide)
		pager->whole = cut_begin(terminal_width());
}

void pager_finish(struct pager *pager)
{
	cut_end(pager->whole);
	pager->whole = NULL;
	if (pager->pid == 0)
		return;
	fclose(stdout);
	while (waitpid(pager->pid, NULL, 0) < 0 && errno == EINTR)
		;
	pager->pid = 0;
}
