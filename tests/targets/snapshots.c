/* SPDX-License-Identifier: MIT */
/*
 * snapshots FOLDER: creates recordings of its calls so far (agent/clew.h) in
 * FOLDER: "first" and "second" with 1000 and 1500 calls of counted() while a
 * thread calls busy(), and, in a forked child that calls it 7 times, "child".
 * Prints the result of each attempt, including one with an existing folder and
 * one without a folder.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/clew.h"

#define PLACE __attribute__((noinline, visibility("default")))

static volatile unsigned int sink;
static atomic_int is_over;
static const char *folder;

PLACE void counted(unsigned int i)
{
	sink += i;
}

PLACE void busy(unsigned int i)
{
	sink -= i;
}

static void calls(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		counted(i);
}

static void *is_busy(void *argument)
{
	for (unsigned int i = 0; !is_over; i++)
		busy(i);
	return argument;
}

static void take(const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	printf("%s %d\n", name, clew_snapshot(path));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	folder = argc > 1 ? argv[1] : "/nowhere";
	pthread_create(&thread, NULL, is_busy, NULL);
	calls(1000);
	take("first");
	take("first");
	take("missing/folder");
	calls(500);
	take("second");
	if (fork() == 0) {
		calls(7);
		take("child");
		_exit(0);
	}
	wait(NULL);
	is_over = 1;
	pthread_join(thread, NULL);
	calls(500);
	return 0;
}
