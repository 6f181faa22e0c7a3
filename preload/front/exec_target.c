/* SPDX-License-Identifier: MIT */
/* See exec_target.h. */
#include "preload/front/exec_target.h"

#include <alloca.h>
#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "machine/elf_numbers.h"
#include "preload/sys/sys.h"

enum {
	/* the kernel follows at most this many interpreters of scripts */
	INTERPRETERS_MAX = 5,
	LINE_MAX_BYTES = 256, /* bytes of a script that the kernel reads */
	SEGMENTS_MAX = 4096,
};

union head {
	char line[LINE_MAX_BYTES];
	Elf64_Ehdr elf;
	Elf32_Ehdr small;
};

static long read_at(int fd, void *to, size_t bytes, uint64_t at)
{
	return sys_call(SYS_pread64, fd, (long)to, (long)bytes, (long)at, 0, 0);
}

/* ---- Programs ---- */

static int is_foreign_loader(int fd, const Elf64_Phdr *segment)
{
	char path[LINE_MAX_BYTES] = { 0 };
	size_t bytes = segment->p_filesz;
	const char *name;

	if (bytes >= sizeof(path))
		bytes = sizeof(path) - 1;
	if (read_at(fd, path, bytes, segment->p_offset) != (long)bytes)
		return 0;
	name = strrchr(path, '/');
	name = name ? name + 1 : path;
	return strcmp(name, MACHINE_LOADER) != 0 &&
	       strcmp(name, MACHINE_MUSL_LOADER) != 0;
}

/*
 * Returns whether a 32-bit program has a loader, which would print an error
 * about a 64-bit library.
 */
static int small_program_is_foreign(int fd, const Elf32_Ehdr *elf)
{
	if (elf->e_phentsize != sizeof(Elf32_Phdr) ||
	    elf->e_phnum > SEGMENTS_MAX)
		return 0;
	for (unsigned int i = 0; i < elf->e_phnum; i++) {
		Elf32_Phdr segment;

		if (read_at(fd, &segment, sizeof(segment),
			    elf->e_phoff + i * sizeof(segment)) !=
		    sizeof(segment))
			return 0;
		if (segment.p_type == PT_INTERP)
			return 1;
	}
	return 0;
}

/*
 * Returns whether a 64-bit program has a loader other than glibc's and musl's.
 * A program without a loader ignores LD_PRELOAD.
 */
static int program_is_foreign(int fd, const Elf64_Ehdr *elf)
{
	if (elf->e_machine != MACHINE_ELF ||
	    elf->e_phentsize != sizeof(Elf64_Phdr) ||
	    elf->e_phnum > SEGMENTS_MAX)
		return 0;
	for (unsigned int i = 0; i < elf->e_phnum; i++) {
		Elf64_Phdr segment;

		if (read_at(fd, &segment, sizeof(segment),
			    elf->e_phoff + i * sizeof(segment)) !=
		    sizeof(segment))
			return 0;
		if (segment.p_type == PT_INTERP)
			return is_foreign_loader(fd, &segment);
	}
	return 0;
}

/* ---- Scripts ---- */

/*
 * Returns the interpreter's path in the first line of a script, and terminates
 * it with NUL; NULL if this is no script.
 */
static char *interpreter_of(char *line)
{
	char *start;

	if (line[0] != '#' || line[1] != '!')
		return NULL;
	start = line + 2 + strspn(line + 2, " \t");
	start[strcspn(start, " \t\n")] = '\0';
	return *start ? start : NULL;
}

/*
 * Checks one file. *next is the interpreter of a script, a path inside the
 * head.
 */
static int file_is_foreign(int fd, union head *head, char **next)
{
	long bytes = read_at(fd, head, sizeof(*head) - 1, 0);

	*next = NULL;
	if (bytes < SELFMAG)
		return 0;
	head->line[bytes] = '\0';
	if (memcmp(head->line, ELFMAG, SELFMAG) != 0)
		*next = interpreter_of(head->line);
	else if (bytes < (long)sizeof(head->elf))
		return 0;
	else if (head->elf.e_ident[EI_CLASS] == ELFCLASS32)
		return small_program_is_foreign(fd, &head->small);
	else
		return program_is_foreign(fd, &head->elf);
	return 0;
}

static int open_file(const char *path)
{
	return sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
}

int exec_target_is_foreign_at(int fd)
{
	union head head;
	char *next;
	int is_foreign = file_is_foreign(fd, &head, &next);

	for (int i = 0; next && i < INTERPRETERS_MAX; i++) {
		fd = open_file(next);
		if (fd < 0)
			return 0;
		is_foreign = file_is_foreign(fd, &head, &next);
		sys_close(fd);
	}
	return is_foreign;
}

int exec_target_is_foreign(const char *path)
{
	const int fd = open_file(path);
	int is_foreign;

	if (fd < 0)
		return 0;
	is_foreign = exec_target_is_foreign_at(fd);
	sys_close(fd);
	return is_foreign;
}

/* ---- Names ---- */

/* Returns the value of PATH, or NULL if it is not set. */
static const char *find_folders(void)
{
	for (char **entry = environ; entry && *entry; entry++)
		if (!strncmp(*entry, "PATH=", 5))
			return *entry + 5;
	return NULL;
}

int exec_target_is_foreign_by_name(const char *file)
{
	const char *folders = find_folders();
	const size_t bytes = strlen(file) + 1;
	char *path;

	if (!folders || strchr(file, '/'))
		return exec_target_is_foreign(file);
	path = alloca(strlen(folders) + sizeof("./") + bytes);
	for (;; folders++) {
		const size_t length = strcspn(folders, ":");
		char *end = path + length;

		memcpy(path, folders, length);
		if (!length)
			*end++ = '.';
		*end++ = '/';
		memcpy(end, file, bytes);
		if (!sys_access(path, X_OK))
			return exec_target_is_foreign(path);
		folders += length;
		if (!*folders)
			return 0;
	}
}
