/* SPDX-License-Identifier: MIT */
/*
 * stepper OUTPUT PROGRAM ARG...: single-steps a program and writes how often
 * each of its instructions was executed, without those of libraries, as lines
 * "VADDR COUNT". Exits with the program's status.
 */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES_MAX (1 << 24) /* includes programs at 0x400000 */

static uint64_t counts[BYTES_MAX];

/* Returns the type of an ELF file, or -1 if it cannot be read. */
static int type_of(const char *program)
{
	Elf64_Ehdr header;
	FILE *file = fopen(program, "r");
	const int is_read =
		file && fread(&header, sizeof(header), 1, file) == 1;

	if (file)
		fclose(file);
	return is_read ? header.e_type : -1;
}

/* Returns the program's load bias; 0 for a program at a fixed address. */
static uint64_t find_base(int pid, const char *program)
{
	char path[64];
	unsigned long long base = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%llx", &base) != 1)
		exit(2);
	fclose(file);
	return type_of(program) == ET_EXEC ? 0 : base;
}

static void write_counts(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		exit(2);
	for (size_t i = 0; i < BYTES_MAX; i++)
		if (counts[i])
			fprintf(file, "%#zx %llu\n", i,
				(unsigned long long)counts[i]);
	if (fclose(file))
		exit(2);
}

int main(int argc, char **argv)
{
	struct user_regs_struct registers;
	uint64_t base;
	int status, pid;

	if (argc < 3)
		return 2;
	pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[2], argv + 2);
		_exit(2);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return 2;
	base = find_base(pid, argv[2]);
	while (WIFSTOPPED(status)) {
		if (ptrace(PTRACE_GETREGS, pid, 0, &registers))
			return 2;
		if (registers.rip - base < BYTES_MAX)
			counts[registers.rip - base]++;
		if (ptrace(PTRACE_SINGLESTEP, pid, 0, 0) ||
		    waitpid(pid, &status, 0) != pid)
			return 2;
	}
	write_counts(argv[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
