/* SPDX-License-Identifier: MIT */
/*
 * generations DIRECTORY [WAIT]: a process, its child, grandchild and
 * great-grandchild. Each loads, calls or unloads plugin.c's libraries a and b.
 * Each parent waits for its child; with WAIT "orphans" the first process ends
 * before the others. "idle N" instead forks N children that call nothing. With
 * "burns" instead, one child calls nothing and uses a fifth of a second of CPU
 * time. With "jumps" it jumps to main from two calls deeper and calls step
 * there. Both print:
 *
 *	PID outer VADDR
 *
 * With "paused" the last process waits for a line on stdin. Each process prints
 * its counts on stdout in one write:
 *
 *	PID LIBRARY VADDR CALLS	of plugin_inner, since the process was forked
 *	PID - VADDR CALLS	of step, since the process was forked
 *	PID unloaded LIBRARY	in that process
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/plugins.h"

static struct {
	void *handle;
	long forked_at; /* its count when the process was forked */
	long calls;     /* calls in the unloaded library */
	unsigned long inner_vaddr;
} libraries[2];

static long steps;
static char said[512];

COUNTED long step(long n)
{
	steps++;
	return n;
}

static unsigned long base_of(const void *symbol)
{
	Dl_info info;

	return dladdr(symbol, &info) ? (unsigned long)info.dli_fbase : 0;
}

static struct plugin_counts *counts_of(int i)
{
	return dlsym(libraries[i].handle, "plugin_counts");
}

static void load(const char *folder, int i)
{
	char path[4096];
	const void *inner;

	snprintf(path, sizeof(path), "%s/libplugin_%c.so", folder, 'a' + i);
	libraries[i].handle = dlopen(path, RTLD_NOW);
	if (!libraries[i].handle) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	libraries[i].forked_at = 0;
	inner = dlsym(libraries[i].handle, "plugin_inner");
	libraries[i].inner_vaddr = (unsigned long)inner - base_of(inner);
}

static void call(int i, long n)
{
	long (*run)(long) =
		(long (*)(long))dlsym(libraries[i].handle, "plugin_run");

	run(n);
}

/* The library's destructor makes one more call. */
static void unload(int i)
{
	libraries[i].calls += counts_of(i)->inner - libraries[i].forked_at + 1;
	dlclose(libraries[i].handle);
	libraries[i].handle = NULL;
	sprintf(said + strlen(said), "%d unloaded libplugin_%c.so\n", getpid(),
		'a' + i);
}

static pid_t generate(void)
{
	const pid_t pid = fork();

	if (pid)
		return pid;
	steps = 0;
	*said = '\0';
	for (int i = 0; i < 2; i++) {
		libraries[i].calls = 0;
		if (libraries[i].handle)
			libraries[i].forked_at = counts_of(i)->inner;
	}
	return 0;
}

/*
 * The normal end of the program would unload the libraries, so it uses _exit().
 */
static void say_and_end(void)
{
	for (int i = 0; i < 2; i++) {
		if (libraries[i].handle)
			libraries[i].calls +=
				counts_of(i)->inner - libraries[i].forked_at;
		sprintf(said + strlen(said), "%d libplugin_%c.so %#lx %ld\n",
			getpid(), 'a' + i, libraries[i].inner_vaddr,
			libraries[i].calls);
	}
	sprintf(said + strlen(said), "%d - %#lx %ld\n", getpid(),
		(unsigned long)(uintptr_t)step -
			base_of((void *)(uintptr_t)step),
		steps);
	if (write(STDOUT_FILENO, said, strlen(said)) < 0)
		_exit(1);
	_exit(0);
}

static void wait_for_a_line(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) == 1 && byte != '\n')
		;
}

static void great_grandchild(const char *folder, int is_paused)
{
	for (int i = 0; i < 44; i++)
		step(i);
	load(folder, 0);
	call(0, 4);
	call(1, 40);
	if (is_paused)
		wait_for_a_line();
	say_and_end();
}

static void grandchild(const char *folder, int is_paused)
{
	for (int i = 0; i < 33; i++)
		step(i);
	call(0, 3);
	call(1, 30);
	unload(0);
	if (!generate())
		great_grandchild(folder, is_paused);
	wait(NULL);
	say_and_end();
}

/*
 * Runs in the child. Waits until its parent has unloaded its library or has
 * ended, and then loads and calls libraries.
 */
static void child(const char *folder, int is_paused, int parent_ends)
{
	char byte;

	/* end of file when the parent has closed its end, or has ended */
	if (read(parent_ends, &byte, 1) < 0)
		_exit(1);
	for (int i = 0; i < 22; i++)
		step(i);
	load(folder, 1);
	call(0, 2);
	call(1, 20);
	if (!generate())
		grandchild(folder, is_paused);
	wait(NULL);
	say_and_end();
}

static pid_t child_pid;
static jmp_buf in_main;

static double cpu_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

COUNTED void outer(int jumps)
{
	child_pid = fork();
	if (child_pid)
		return;
	if (jumps)
		longjmp(in_main, 1);
	while (cpu_seconds() < 0.2)
		;
	syscall(SYS_exit_group, 0);
}

static void say_outer(void)
{
	printf("%d outer %#lx\n", child_pid,
	       (unsigned long)(uintptr_t)outer -
		       base_of((void *)(uintptr_t)outer));
	waitpid(child_pid, NULL, 0);
}

static void idle(int count)
{
	for (int i = 0; i < count; i++) {
		const pid_t pid = fork();

		if (!pid)
			syscall(SYS_exit_group, 0);
		waitpid(pid, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";
	const char *folder = argc > 1 ? argv[1] : ".";
	int ends[2];

	if (!strcmp(how, "idle")) {
		idle(argc > 3 ? atoi(argv[3]) : 1);
		return 0;
	}
	if (!strcmp(how, "burns") || !strcmp(how, "jumps")) {
		if (setjmp(in_main)) {
			step(0);
			syscall(SYS_exit_group, 0);
		}
		outer(!strcmp(how, "jumps"));
		say_outer();
		return 0;
	}
	if (pipe(ends))
		return 1;
	for (int i = 0; i < 11; i++)
		step(i);
	load(folder, 0);
	call(0, 1);
	if (!generate()) {
		close(ends[1]);
		child(folder, !strcmp(how, "paused"), ends[0]);
	}
	unload(0);
	if (!strcmp(how, "orphans"))
		say_and_end();
	close(ends[1]);
	wait(NULL);
	say_and_end();
}
