/* SPDX-License-Identifier: MIT */
/* See README.md. */
#ifndef CLEW_OLDER_STRING_H
#define CLEW_OLDER_STRING_H

#include_next <string.h>

/* glibc 2.32 */
/* C++ has no such initializers, and no program in C++ needs the function. */
#if !__GLIBC_PREREQ(2, 32) && !defined(__cplusplus)
#include <signal.h>

/* Knows only signals that end a process by default. */
static inline const char *sigabbrev_np(int number)
{
	static const char *const names[] = {
		[SIGHUP] = "HUP",   [SIGINT] = "INT",   [SIGQUIT] = "QUIT",
		[SIGILL] = "ILL",   [SIGTRAP] = "TRAP", [SIGABRT] = "ABRT",
		[SIGBUS] = "BUS",   [SIGFPE] = "FPE",   [SIGKILL] = "KILL",
		[SIGSEGV] = "SEGV", [SIGPIPE] = "PIPE", [SIGALRM] = "ALRM",
		[SIGTERM] = "TERM", [SIGXCPU] = "XCPU", [SIGXFSZ] = "XFSZ",
		[SIGSYS] = "SYS",
	};

	return number >= 0 && number <= SIGSYS ? names[number] : NULL;
}
#endif

#endif
