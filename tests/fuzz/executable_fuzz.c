/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is a program or a script that a user wants to
 * record. Scripts may name themselves as their interpreter.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/target/executable.h"
#include "tests/fuzz/folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Checks that no byte of a file reaches a terminal unescaped. */
static void check_text(const char *text)
{
	for (; text && *text; text++)
		if ((unsigned char)*text < ' ')
			abort();
}

static void use(const char *path)
{
	char *obstacle = executable_obstacle(path);
	char *program = executable_program(path);

	check_text(obstacle);
	if (!program)
		abort();
	executable_is_elf(program);
	free(program);
	free(obstacle);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/program", fuzz_folder());
	if (chdir(fuzz_folder()) !=
	    0) /* where "#!program" is the file itself */
		abort();
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
	use(path);
	return 0;
}
