/* SPDX-License-Identifier: MIT */
/* See truncated_files.h. */
#include "base/truncated_files.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

enum { PAGE_BYTES = 4096 };

/*
 * Handles SIGBUS: maps a page of zeros at the address. A SIGBUS of any other
 * kind ends the process, as it would without a handler.
 */
static void read_as_zeros(int number, siginfo_t *about, void *context)
{
	const int errno_before = errno;
	const uintptr_t at = (uintptr_t)about->si_addr & -(uintptr_t)PAGE_BYTES;

	(void)context;
	if (about->si_code != BUS_ADRERR ||
	    mmap((void *)at, PAGE_BYTES, PROT_READ,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) == MAP_FAILED) {
		signal(number, SIG_DFL);
		/* the signal is delivered when this function returns */
		raise(number);
	}
	errno = errno_before;
}

void truncated_files_read_as_zeros(void)
{
	struct sigaction action = { .sa_sigaction = read_as_zeros,
				    .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}
