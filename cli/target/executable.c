/* SPDX-License-Identifier: MIT */
/* See executable.h. */
#include "cli/target/executable.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "image/image.h"
#include "image/traits.h"
#include "machine/elf_numbers.h"

enum {
	INTERPRETERS_MAX = 5, /* The kernel has the same limit. */
	SCRIPT_LINE_MAX = 256,
	SEGMENTS_MAX = 4096,
};

static int is_executable(const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return -errno;
	if (!S_ISREG(status.st_mode) || access(path, X_OK) != 0)
		return -EACCES;
	return 0;
}

/*
 * Searches the folders of PATH for an executable file, and skips other files as
 * execvp() does. Returns 0 and *path, which the caller frees, or -errno.
 */
static int find_in_path(const char *name, char **path)
{
	const char *folders = getenv("PATH");
	int err = -ENOENT;

	if (!folders)
		folders = "/bin:/usr/bin";
	for (;;) {
		int length = (int)strcspn(folders, ":");
		char *candidate =
			length ? memory_printf("%.*s/%s", length, folders, name)
			       : memory_printf("./%s", name);
		int here = is_executable(candidate);

		if (here == 0) {
			*path = candidate;
			return 0;
		}
		free(candidate);
		if (here == -EACCES)
			err = here;
		if (folders[length] == '\0')
			return err;
		folders += length + 1;
	}
}

int executable_find(const char *name, char **path)
{
	int err;

	if (!*name)
		return -ENOENT;
	if (!strchr(name, '/'))
		return find_in_path(name, path);
	err = is_executable(name);
	if (err)
		return err == -EACCES ? err : -ENOENT;
	*path = memory_string(name, strlen(name));
	return 0;
}

int executable_is_elf(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char magic[SELFMAG];
	int is_elf;

	if (fd < 0)
		return 0;
	is_elf = pread(fd, magic, SELFMAG, 0) == SELFMAG &&
		 memcmp(magic, ELFMAG, SELFMAG) == 0;
	close(fd);
	return is_elf;
}

/*
 * Returns whether executing the file would change the process's rights
 * (set-user-ID, set-group-ID or capabilities), so that the loader ignores
 * LD_PRELOAD.
 */
static int changes_rights(const char *path, int fd)
{
	struct stat status;
	struct statvfs mount;
	char capabilities[64];

	if (fstat(fd, &status) != 0 ||
	    (fstatvfs(fd, &mount) == 0 && mount.f_flag & ST_NOSUID))
		return 0;
	if (status.st_mode & S_ISUID && status.st_uid != geteuid())
		return 1;
	if (status.st_mode & S_ISGID && status.st_mode & S_IXGRP &&
	    status.st_gid != getegid())
		return 1;
	return geteuid() != 0 &&
	       getxattr(path, "security.capability", capabilities,
			sizeof(capabilities)) > 0;
}

int executable_is_musl_loader(const char *name)
{
	return strcmp(name, MACHINE_MUSL_LOADER) == 0;
}

/* Stores the start of the loader's path; nothing if it cannot be read. */
static void read_loader(int fd, const Elf64_Phdr *segment,
			char loader[SCRIPT_LINE_MAX])
{
	size_t length = segment->p_filesz;

	memset(loader, 0, SCRIPT_LINE_MAX);
	if (length >= SCRIPT_LINE_MAX)
		length = SCRIPT_LINE_MAX - 1;
	if (pread(fd, loader, length, (off_t)segment->p_offset) < 0)
		*loader = '\0';
}

/*
 * Finds the segment with the loader's path. Returns 1, 0 if there is none, or
 * -ENOEXEC if the header is damaged.
 */
static int find_loader(int fd, const Elf64_Ehdr *header, Elf64_Phdr *segment)
{
	if (header->e_phentsize != sizeof(*segment) ||
	    header->e_phnum > SEGMENTS_MAX)
		return -ENOEXEC;
	for (unsigned int i = 0; i < header->e_phnum; i++) {
		const off_t at =
			(off_t)(header->e_phoff + i * sizeof(*segment));

		if (pread(fd, segment, sizeof(*segment), at) !=
		    sizeof(*segment))
			return -ENOEXEC;
		if (segment->p_type == PT_INTERP)
			return 1;
	}
	return 0;
}

static char *obstacle_of_loader(int fd, const Elf64_Phdr *segment)
{
	char loader[SCRIPT_LINE_MAX];
	const char *name;

	read_loader(fd, segment, loader);
	name = text_basename(loader);
	if (strcmp(name, MACHINE_LOADER) == 0 ||
	    executable_is_musl_loader(name))
		return NULL;
	return memory_printf("its dynamic loader, %s, belongs neither to glibc "
			     "nor to musl; clew records only programs that are "
			     "linked with one of these C libraries",
			     text_printable(loader));
}

int executable_is_for_musl(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char loader[SCRIPT_LINE_MAX] = { 0 };
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (fd < 0)
		return 0;
	if (pread(fd, &header, sizeof(header), 0) == sizeof(header) &&
	    memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
	    find_loader(fd, &header, &segment) > 0)
		read_loader(fd, &segment, loader);
	close(fd);
	return executable_is_musl_loader(text_basename(loader));
}

/*
 * Returns a message that says why a program without a loader cannot be
 * recorded. The caller frees it.
 */
static char *obstacle_of_static(const char *path)
{
	struct image image;
	uint32_t traits;

	if (strcmp(text_basename(path), MACHINE_LOADER) == 0 ||
	    executable_is_musl_loader(text_basename(path)))
		return memory_printf(
			"it is the dynamic loader; record the program itself");
	if (image_open(&image, path) != 0)
		return memory_printf("it is statically linked");
	traits = traits_of(&image);
	image_close(&image);
	if (traits & TRAIT_GO)
		return memory_printf("it is a statically linked Go program, "
				     "whose functions clew cannot hook; sample "
				     "it with perf or go tool pprof");
	return memory_printf(
		"it is statically linked; link it without -static");
}

static char *obstacle_of_elf(const char *path, int fd, const Elf64_Ehdr *header)
{
	Elf64_Phdr segment;
	int has_loader;

	if (header->e_ident[EI_CLASS] == ELFCLASS32)
		return memory_printf("it is a 32-bit program");
	if (header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_machine != MACHINE_ELF)
		return memory_printf("it is not an " MACHINE_NAME " program");
	has_loader = find_loader(fd, header, &segment);
	if (has_loader < 0)
		return memory_printf("its ELF header is damaged");
	if (!has_loader)
		return obstacle_of_static(path);
	if (changes_rights(path, fd))
		return memory_printf(
			"it gains privileges when executed (setuid, setgid or "
			"file capabilities), so the dynamic loader ignores "
			"LD_PRELOAD");
	return obstacle_of_loader(fd, &segment);
}

/*
 * Returns the path of a script's interpreter from the script's first bytes, or
 * NULL if it is no script. The caller frees the path.
 */
static char *interpreter_of(const char *head, size_t length)
{
	char line[SCRIPT_LINE_MAX + 1] = { 0 };
	char *start;

	if (length < 2 || memcmp(head, "#!", 2) != 0)
		return NULL;
	memcpy(line, head + 2, length - 2);
	line[strcspn(line, "\n")] = '\0';
	start = line + strspn(line, " \t");
	start[strcspn(start, " \t")] = '\0';
	return memory_string(start, strlen(start));
}

/*
 * Returns a message that says why this file cannot be recorded, or NULL. If the
 * file is a script, sets *next to its interpreter. The caller frees both.
 */
static char *obstacle_of_file(const char *path, char **next)
{
	union {
		char bytes[SCRIPT_LINE_MAX];
		Elf64_Ehdr elf;
	} head = { { 0 } };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *obstacle = NULL;
	ssize_t length;

	if (fd < 0)
		/*
		 * A file that clew cannot read may still be executable and
		 * recordable.
		 */
		return NULL;
	length = pread(fd, head.bytes, sizeof(head.bytes), 0);
	if (length >= SELFMAG && memcmp(head.bytes, ELFMAG, SELFMAG) == 0)
		obstacle = obstacle_of_elf(path, fd, &head.elf);
	else if (length > 0)
		*next = interpreter_of(head.bytes, (size_t)length);
	close(fd);
	return obstacle;
}

char *executable_obstacle(const char *path)
{
	char *script = NULL, *obstacle = NULL;

	for (int i = 0; i < INTERPRETERS_MAX && !obstacle; i++) {
		char *next = NULL;

		obstacle = obstacle_of_file(script ? script : path, &next);
		if (obstacle && script) {
			char *longer =
				memory_printf("its interpreter is %s, and %s",
					      text_printable(script), obstacle);

			free(obstacle);
			obstacle = longer;
		}
		free(script);
		script = next;
		if (!script)
			break;
	}
	free(script);
	return obstacle;
}

/* Returns whether the next word is the argument of this option of env(1). */
static int takes_argument(const char *option)
{
	static const char *const options[] = { "-u", "--unset", "-C",
					       "--chdir" };

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (strcmp(option, options[i]) == 0)
			return 1;
	return 0;
}

/*
 * Returns the path of the file that env(1) would execute for these arguments,
 * or NULL if there is no such file: the first word that is no option, no
 * argument of an option and no assignment. Changes `words`. The caller frees
 * the path.
 */
static char *found_by_env(char *words)
{
	char *rest = NULL, *path = NULL;
	char *word = strtok_r(words, " \t", &rest);

	while (word && (*word == '-' || strchr(word, '='))) {
		if (takes_argument(word))
			strtok_r(NULL, " \t", &rest);
		word = strtok_r(NULL, " \t", &rest);
	}
	if (word && executable_find(word, &path) != 0)
		return NULL;
	return path;
}

/*
 * Returns the path of a script's interpreter, or NULL if the file is no script.
 * For "#!/usr/bin/env NAME" this is the file that env finds. The caller frees
 * the path.
 */
static char *script_interpreter(const char *path)
{
	char head[SCRIPT_LINE_MAX + 1] = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t length = fd < 0 ? -1 : pread(fd, head, SCRIPT_LINE_MAX, 0);
	char *program, *found = NULL;

	if (fd >= 0)
		close(fd);
	program = length > 0 ? interpreter_of(head, (size_t)length) : NULL;
	if (program && strcmp(text_basename(program), "env") == 0) {
		head[strcspn(head, "\n")] = '\0';
		found = found_by_env(strstr(head, program) + strlen(program));
	}
	if (!found)
		return program;
	free(program);
	return found;
}

char *executable_program(const char *path)
{
	char *program = memory_string(path, strlen(path));

	for (int i = 0; i < INTERPRETERS_MAX; i++) {
		char *next = script_interpreter(program);

		if (!next)
			break;
		free(program);
		program = next;
	}
	return program;
}
