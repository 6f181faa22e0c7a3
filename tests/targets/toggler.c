/* SPDX-License-Identifier: MIT */
/*
 * A library that is preloaded with clew: a thread removes and sets all hooks as
 * long as the program runs. The library writes to $TOGGLER_FILE how often, and
 * the last error.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int is_over;
static int (*hook)(void), (*unhook)(void);
static pthread_t thread;
static int rounds, failure;

/* The computer may be busy, and clew may have ended before. */
static void change(int (*how)(void))
{
	int err;

	do
		err = how();
	while (err == -EBUSY && !is_over);
	if (err == -ENODEV)
		is_over = 1;
	else if (err && err != -EBUSY)
		failure = err;
}

static void *toggles(void *unused)
{
	while (!is_over) {
		change(unhook);
		change(hook);
		rounds++;
	}
	return unused;
}

__attribute__((constructor)) static void start(void)
{
	sigset_t all, old;

	*(void **)&hook = dlsym(RTLD_DEFAULT, "clew_hook");
	*(void **)&unhook = dlsym(RTLD_DEFAULT, "clew_unhook");
	if (!hook || !getenv("TOGGLER_FILE"))
		return;
	/* The program's signals must go to its own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&thread, NULL, toggles, NULL))
		abort();
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

__attribute__((destructor)) static void stop(void)
{
	FILE *file;

	if (!thread)
		return;
	is_over = 1;
	pthread_join(thread, NULL);
	file = fopen(getenv("TOGGLER_FILE"), "w");
	if (!file)
		abort();
	fprintf(file, "%d %d\n", rounds, failure);
	fclose(file);
}
