/* SPDX-License-Identifier: MIT */
/*
 * Runs the target as if its caller had started it directly.
 *
 * The target inherits stdin, stdout, stderr, the working directory and signal
 * dispositions. While it runs, clew ignores signals of the terminal, which the
 * target also receives. clew passes SIGTERM and SIGHUP on to the target if
 * another process has sent them to clew.
 */
#ifndef CLEW_CLI_RECORDING_LAUNCH_H
#define CLEW_CLI_RECORDING_LAUNCH_H

#include <sys/types.h>

struct launch {
	char **argv;
	char *library; /* Library to preload. */
	char *output; /* Absolute path for $CLEW_DIR; NULL to record nothing. */
	/*
	 * Called about five times a second while the target runs, or NULL. The
	 * function may set this member to NULL.
	 */
	void (*poll)(void *context);
	void *poll_context;
};

struct launch_outcome {
	pid_t pid;
	int status;     /* The status of the program as waitpid() returns it. */
	int exec_error; /* -errno if the program could not be executed, or 0. */
};

/*
 * Runs the target and waits for its end. Returns 0, or -errno if no process
 * could be created. After success, the signals for which it has waited stay
 * blocked.
 */
int launch(const struct launch *launch, struct launch_outcome *outcome);

/*
 * Ends this process by the signal, without a core file, or with the status 128
 * + signal_number if the signal does not end it.
 */
void die_by(int signal_number);

#endif
