/* SPDX-License-Identifier: MIT */
/*
 * handlers: forks CHILDREN times. In each child, a fork handler creates a
 * thread, which works and ends before other handlers run: its library,
 * handlers_library.c, registered first. The truth does not contain these calls.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <sys/wait.h>

enum { CHILDREN = 3 };

extern int handlers_library_is_there(void);

static COUNTED int work(int n)
{
	ENTER(work);
	int sum = n > 0 ? work(n - 1) + n : 0;
	LEAVE();
	return sum;
}

int main(void)
{
	int status;

	ENTER(main);
	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();

		if (!pid) {
			TRUTH_FORKED();
			work(i);
			truth_write();
			_exit(i);
		}
		work(5);
		if (waitpid(pid, &status, 0) == pid)
			printf("%x\n", (unsigned int)status);
	}
	LEAVE();
	truth_write();
	return handlers_library_is_there() != 1;
}
