/* SPDX-License-Identifier: MIT */
/*
 * Blocks all signals like libc in fork() and pthread_create(): by a direct
 * system call that includes the two signals which libc reserves. For each line
 * of input it prints whether SIGTRAP is blocked; "back" restores the mask
 * first.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static long change_mask(int how, const uint64_t *set, uint64_t *old)
{
	return syscall(SYS_rt_sigprocmask, how, set, old, sizeof(*set));
}

static int say(const char *what)
{
	return puts(what) >= 0 && !fflush(stdout);
}

int main(void)
{
	const uint64_t all = ~UINT64_C(0);
	uint64_t before;
	char line[64];
	sigset_t now;

	if (change_mask(SIG_BLOCK, &all, &before) || !say("ready"))
		return 1;
	while (fgets(line, sizeof(line), stdin)) {
		if (line[0] == 'b')
			change_mask(SIG_SETMASK, &before, NULL);
		if (sigprocmask(SIG_BLOCK, NULL, &now) ||
		    !say(sigismember(&now, SIGTRAP) ? "blocks" : "does not"))
			return 1;
	}
	return 0;
}
