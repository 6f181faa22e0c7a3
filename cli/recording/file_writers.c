/* SPDX-License-Identifier: MIT */
/* See file_writers.h. */
#include "cli/recording/file_writers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

int process_is_alive(pid_t pid)
{
	return kill(pid, 0) == 0 || errno != ESRCH;
}

int file_is_written(int fd)
{
	if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
		return 1;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return 0;
}
