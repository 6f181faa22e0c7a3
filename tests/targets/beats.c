/* SPDX-License-Identifier: MIT */
/*
 * beats COUNT [fork|exec]: prints the CLOCK_REALTIME at which beat() ran, COUNT
 * times in each process, as lines "PID NS". With fork or exec, a child and its
 * parent beat in turn, so the true order of all beats is known.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

long beat(void);

__attribute__((noinline)) long beat(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

/* Each beat waits for a byte of the other process, and then writes one. */
static void beat_in_turn(int count, int from, int to)
{
	char turn = 0;

	for (int i = 0; i < count; i++) {
		if (read(from, &turn, 1) != 1)
			return;
		printf("%d %ld\n", (int)getpid(), beat());
		if (write(to, &turn, 1) != 1)
			return;
	}
}

static void beat_with_child(char *program, int count, int is_exec)
{
	int down[2], up[2];
	char text[3][16];

	if (pipe(down) != 0 || pipe(up) != 0)
		exit(2);
	fflush(stdout);
	if (fork() == 0) {
		if (is_exec) {
			snprintf(text[0], sizeof(text[0]), "%d", count);
			snprintf(text[1], sizeof(text[1]), "%d", down[0]);
			snprintf(text[2], sizeof(text[2]), "%d", up[1]);
			execl(program, program, text[0], text[1], text[2],
			      (char *)NULL);
			_exit(2);
		}
		beat_in_turn(count, down[0], up[1]);
		fflush(stdout);
		_exit(0);
	}
	if (write(up[1], "", 1) != 1)
		exit(2);
	beat_in_turn(count, up[0], down[1]);
	close(down[1]);
	wait(NULL);
}

int main(int argc, char **argv)
{
	const int count = argc > 1 ? atoi(argv[1]) : 1;

	setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* two processes write to it */

	if (argc > 3)
		beat_in_turn(count, atoi(argv[2]), atoi(argv[3]));
	else if (argc > 2)
		beat_with_child(argv[0], count, strcmp(argv[2], "exec") == 0);
	else
		for (int i = 0; i < count; i++)
			printf("%d %ld\n", (int)getpid(), beat());
	return 0;
}
