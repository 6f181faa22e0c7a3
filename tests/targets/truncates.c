/* SPDX-License-Identifier: MIT */
/*
 * truncates FILE
 *
 * Maps an ELF file as code, and truncates and rewrites it all the time. A
 * process that has mapped it also and reads beyond its end gets SIGBUS.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEPT_BYTES = 4096, MOMENT_US = 2000 };

int main(int argc, char **argv)
{
	const int fd = argc > 1 ? open(argv[1], O_RDWR) : -1;
	struct stat status;
	size_t size;
	char *copy;

	if (fd < 0 || fstat(fd, &status) != 0)
		return 1;
	size = (size_t)status.st_size;
	copy = malloc(size);
	if (!copy || pread(fd, copy, size, 0) != (ssize_t)size ||
	    mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) ==
		    MAP_FAILED)
		return 1;
	puts("ready");
	fflush(stdout);
	for (;;) {
		if (ftruncate(fd, KEPT_BYTES) != 0)
			return 1;
		usleep(MOMENT_US);
		if (pwrite(fd, copy, size, 0) != (ssize_t)size)
			return 1;
		usleep(MOMENT_US);
	}
}
