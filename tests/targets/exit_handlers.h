/* SPDX-License-Identifier: MIT */
/*
 * Functions of libc that register handlers for the end of the process. glibc
 * links atexit() and at_quick_exit() into each program, where they would be
 * functions of the program; its names below are functions of libc. musl has
 * others.
 */
#ifndef CLEW_TESTS_EXIT_HANDLERS_H
#define CLEW_TESTS_EXIT_HANDLERS_H

#include <stdlib.h>

#ifdef __GLIBC__
int __cxa_at_quick_exit(void (*function)(void *), void *argument);
#else
int __cxa_atexit(void (*function)(void *), void *argument, void *module);
#define on_exit(function, argument)                                            \
	__cxa_atexit((void (*)(void *))(function), argument, NULL)
#define __cxa_at_quick_exit(function, argument)                                \
	at_quick_exit((void (*)(void))(function))
#endif

#endif
