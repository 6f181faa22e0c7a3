/* SPDX-License-Identifier: MIT */
/* See pager.h. */
#include "cli/common/pager.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/common/cut.h"

/* Returns the user who logged in, or -1. */
static long login_user(void)
{
	FILE *file = fopen("/proc/self/loginuid", "re");
	long user = -1;

	if (file && fscanf(file, "%ld", &user) != 1)
		user = -1;
	if (file)
		fclose(file);
	return user == (long)(uid_t)-1 ? -1 : user;
}

/*
 * Returns whether another user has been given this user's rights, as by
 * sudo(8). The rights may be meant for clew alone, and not for commands that a
 * pager can execute.
 */
static int has_lent_rights(void)
{
	const char *sudo_user = getenv("SUDO_UID");
	const long user = (long)geteuid(), login = login_user();

	return (sudo_user && atol(sudo_user) != user) ||
	       (user == 0 && login > 0) || geteuid() != getuid();
}

static const char *find_pager(int is_secure)
{
	const char *pager = getenv("CLEW_PAGER");

	if (!pager)
		pager = getenv("PAGER");
	if (pager && (!*pager || strcmp(pager, "cat") == 0))
		return NULL;
	return pager && !is_secure ? pager : "less";
}

static void become_pager(const char *pager, int from, int is_secure)
{
	dup2(from, STDIN_FILENO);
	close(from);
	setenv("LESS", "FRSX", 0);
	if (is_secure)
		setenv("LESSSECURE", "1", 1);
	execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
	_exit(127);
}

/*
 * Checks with `command -v`, because the shell's status 127 for a missing pager
 * would come too late.
 */
static int exists(const char *pager)
{
	char command[256];
	int length = snprintf(command, sizeof(command),
			      "command -v %.*s >/dev/null 2>&1",
			      (int)strcspn(pager, " \t;|&"), pager);

	return length < (int)sizeof(command) && system(command) == 0;
}

static int start(struct pager *pager)
{
	const int is_secure = has_lent_rights();
	const char *program = find_pager(is_secure);
	int ends[2];

	if (!program || !exists(program) || pipe(ends) != 0)
		return -ENOENT;
	pager->pid = fork();
	if (pager->pid == 0) {
		close(ends[1]);
		become_pager(program, ends[0], is_secure);
	}
	close(ends[0]);
	if (pager->pid > 0) {
		dup2(ends[1], STDOUT_FILENO);
		/* A user may close the pager early, which must not end clew. */
		signal(SIGPIPE, SIG_IGN);
	} else {
		pager->pid = 0;
	}
	close(ends[1]);
	return pager->pid ? 0 : -EAGAIN;
}

int pager_terminal_width(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void pager_start(struct pager *pager, int wanted, int is_wide)
{
	*pager = (struct pager){ 0 };
	if (!isatty(STDOUT_FILENO))
		return;
	if (wanted && start(pager) == 0)
		return;
	if (!is_wide)
		pager->whole = cut_begin(pager_terminal_width());
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
