/* SPDX-License-Identifier: MIT */
/*
 * signalled HOW COUNT: calls step() COUNT times, sends itself SIGUSR2, and
 * repeats both. HOW it handles the signal: "handler", "once", "ignored",
 * "default", or "inherited": ignored by the process that executed it. Prints
 * how often its handler ran, and whether sigaction() returned what was set.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACE __attribute__((noinline, visibility("default")))

static volatile unsigned int sink, handled;

PLACE void step(unsigned int i)
{
	sink += i;
}

PLACE void on_signal(int signal)
{
	handled += signal == SIGUSR2;
}

int main(int argc, char **argv)
{
	struct sigaction set = { .sa_handler = SIG_DFL }, old;

	if (argc < 3)
		return 64;
	if (!strcmp(argv[1], "handler") || !strcmp(argv[1], "once"))
		set.sa_handler = on_signal;
	if (!strcmp(argv[1], "once"))
		set.sa_flags = (int)SA_RESETHAND;
	if (!strcmp(argv[1], "ignored") || !strcmp(argv[1], "inherited"))
		set.sa_handler = SIG_IGN;
	if (strcmp(argv[1], "inherited") != 0)
		sigaction(SIGUSR2, &set, NULL);
	sigaction(SIGUSR2, NULL, &old);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < atoi(argv[2]); i++)
			step((unsigned int)i);
		raise(SIGUSR2);
	}
	printf("%u %d\n", handled, old.sa_handler == set.sa_handler);
	return 0;
}
