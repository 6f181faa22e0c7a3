/* SPDX-License-Identifier: MIT */
/*
 * Runs the target as if clew were not between it and its caller.
 *
 * It inherits our stdin, stdout, stderr, folder and signal dispositions. While
 * it runs, what the terminal sends to both is its business alone, and what
 * somebody sends to us is passed on to it.
 */
#ifndef CLEW_CLI_RECORDING_LAUNCH_H
#define CLEW_CLI_RECORDING_LAUNCH_H

#include <sys/types.h>

struct launch {
	char **argv;
	char *library; /* to preload */
	char *output;  /* absolute, for $CLEW_DIR; NULL: do not record */
	/*
	 * Called five times a second while the target runs, also to set this to NULL;
	 * NULL: never.
	 */
	void (*look)(void *context);
	void *look_context;
};

struct launch_outcome {
	pid_t pid;
	int status;     /* as waitpid() says */
	int exec_error; /* -errno if the program could not be run, or 0 */
};

/* 0, or -errno if there could be no process. Waits for its end. */
int launch(const struct launch *launch, struct launch_outcome *outcome);

/* Ends this process by the same signal, without a core of its own. */
void die_by(int signal_number);

#endif
