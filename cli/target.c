/* SPDX-License-Identifier: MIT */
#include "cli/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "cli/executable.h"
#include "cli/library.h"
#include "cli/other_files.h"
#include "cli/own_ids.h"
#include "image/image.h"
#include "image/symbols.h"
#include "machine/address_space.h"

/* ---- Mappings ---- */

static void add_mapping(struct target_maps *maps, const char *line)
{
	static const char deleted[] = " (deleted)";
	const size_t mark = sizeof(deleted) - 1;
	struct target_mapping mapping = { 0 };
	char permissions[5];
	int path_at = 0;
	size_t length;

	if (sscanf(line,
		   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 " %n",
		   &mapping.start, &mapping.end, permissions, &mapping.offset,
		   &mapping.inode, &path_at) != 5)
		return;
	mapping.is_writable = permissions[1] == 'w';
	mapping.is_executable = permissions[2] == 'x';
	length = strcspn(line + path_at, "\n");
	if (length > mark &&
	    memcmp(line + path_at + length - mark, deleted, mark) == 0) {
		mapping.is_deleted = 1;
		length -= mark;
	}
	mapping.path = memory_string(line + path_at, length);
	maps->items = memory_grow(maps->items, maps->count, &maps->capacity,
				  sizeof(*maps->items));
	maps->items[maps->count++] = mapping;
}

int target_read_maps(pid_t pid, struct target_maps *maps, char **why)
{
	char *path = memory_printf("/proc/%d/maps", pid);
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	*maps = (struct target_maps){ 0 };
	free(path);
	if (!file)
		return fail(why, -errno, "its memory cannot be seen: %s",
			    strerror(errno));
	while (getline(&line, &room, file) >= 0)
		add_mapping(maps, line);
	free(line);
	fclose(file);
	return 0;
}

void target_free_maps(struct target_maps *maps)
{
	for (size_t i = 0; i < maps->count; i++)
		free(maps->items[i].path);
	free(maps->items);
	*maps = (struct target_maps){ 0 };
}

const struct target_mapping *target_find(const struct target_maps *maps,
					 uint64_t at)
{
	for (size_t i = 0; i < maps->count; i++)
		if (at >= maps->items[i].start && at < maps->items[i].end)
			return &maps->items[i];
	return NULL;
}

const struct target_mapping *target_module(const struct target_maps *maps,
					   const char *name)
{
	for (size_t i = 0; i < maps->count; i++)
		if (strcmp(text_basename(maps->items[i].path), name) == 0)
			return &maps->items[i];
	return NULL;
}

/* ---- What is in a module ---- */

/* Of our library it has a copy whose file is gone. The first page has the build-id. */
static int open_library(pid_t pid, const struct target_mapping *module,
			struct image *image)
{
	char *mapped = memory_printf("/proc/%d/mem", pid), *path, *why = NULL;
	const int memory = open(mapped, O_RDONLY | O_CLOEXEC);
	uint8_t page[PAGE_BYTES];
	int err = -ESTALE;

	if (memory >= 0 &&
	    target_read(memory, module->start, page, sizeof(page)) == 0 &&
	    library_find(&path, &why) == 0) {
		err = image_open(image, path);
		free(path);
		if (!err && (image->size < sizeof(page) ||
			     memcmp(image->bytes, page, sizeof(page)) != 0)) {
			image_close(image);
			err = -ESTALE;
		}
	}
	if (memory >= 0)
		close(memory);
	free(mapped);
	free(why);
	return err;
}

/* Root may open what is mapped, others what has its name still. */
int target_open_module(pid_t pid, const struct target_mapping *module,
		       struct image *image)
{
	char *path = memory_printf("/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
				   pid, module->start, module->end);
	int err = image_open(image, path);

	free(path);
	if (!err)
		return 0;
	if (module->is_deleted)
		return strcmp(text_basename(module->path), LIBRARY_NAME) == 0
			       ? open_library(pid, module, image)
			       : -ESTALE;
	path = other_files_mapped(pid, module->path);
	err = image_open(image, path);
	free(path);
	return err;
}

uint64_t target_base(const struct target_mapping *module,
		     const struct image *image)
{
	const Elf64_Phdr *first = image_segment(image, PT_LOAD);

	return first ? module->start - (first->p_vaddr & ~(PAGE_BYTES - 1)) : 0;
}

struct symbol_search {
	const char *name;
	uint64_t found;
};

static int see_symbol(void *context, const struct symbol *symbol)
{
	struct symbol_search *search = context;

	if (!symbol->is_defined || strcmp(symbol->name, search->name) != 0)
		return 0;
	search->found = symbol->vaddr;
	return 1;
}

uint64_t target_symbol(pid_t pid, const struct target_mapping *module,
		       const char *name)
{
	struct symbol_search search = { .name = name };
	struct image image;
	uint64_t base;

	if (target_open_module(pid, module, &image) != 0)
		return 0;
	base = target_base(module, &image);
	symbols_walk(&image, see_symbol, &search);
	image_close(&image);
	return search.found ? base + search.found : 0;
}

uint64_t target_bytes(pid_t pid, const struct target_mapping *module,
		      const void *bytes, size_t count)
{
	struct image image;
	uint64_t found = 0;

	if (target_open_module(pid, module, &image) != 0)
		return 0;
	for (uint16_t i = 0; i < image.segment_count && !found; i++) {
		const Elf64_Phdr *segment = &image.segments[i];
		uint64_t left;
		const uint8_t *at, *match;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		at = image_at(&image, segment->p_vaddr, &left);
		match = at ? memmem(at, left, bytes, count) : NULL;
		if (match)
			found = target_base(module, &image) + segment->p_vaddr +
				(uint64_t)(match - at);
	}
	image_close(&image);
	return found;
}

/* ---- The process ---- */

int64_t target_status(pid_t pid, const char *name, int base)
{
	char *path = memory_printf("/proc/%d/status", pid);
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0, length = strlen(name);
	int64_t value = -1;

	free(path);
	while (file && value < 0 && getline(&line, &room, file) >= 0)
		if (strncmp(line, name, length) == 0 && line[length] == ':')
			value = (int64_t)strtoull(line + length + 1, NULL,
						  base);
	free(line);
	if (file)
		fclose(file);
	return value;
}

/* Who may read that need not be one who might change it, as prlimit() asks. */
uint64_t target_stack_limit(pid_t pid)
{
	static const char name[] = "Max stack size";
	char *path = memory_printf("/proc/%d/limits", pid);
	FILE *file = fopen(path, "re");
	char line[256], *end;
	uint64_t limit = 0;

	free(path);
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, name, sizeof(name) - 1) != 0)
			continue;
		limit = strtoull(line + sizeof(name) - 1, &end, 10);
		if (end == line + sizeof(name) - 1)
			limit = UINT64_MAX;
	}
	if (file)
		fclose(file);
	return limit;
}

/* The letter of a thread's state, or 0. */
static char state_of(pid_t pid, pid_t tid)
{
	char *path = memory_printf("/proc/%d/task/%d/stat", pid, tid);
	FILE *file = fopen(path, "re");
	char text[512] = "", *end = NULL;

	free(path);
	if (file && fgets(text, sizeof(text), file))
		end = strrchr(text, ')');
	if (file)
		fclose(file);
	return end && end[1] == ' ' ? end[2] : '\0';
}

int target_thread_is_going(pid_t pid, pid_t tid)
{
	const char state = state_of(pid, tid);

	return !state || state == 'Z' || state == 'X';
}

static char *user_name(uid_t uid)
{
	const struct passwd *user = getpwuid(uid);

	return user ? memory_printf("%s", user->pw_name)
		    : memory_printf("user %u", uid);
}

static char *obstacle_of_user(pid_t pid)
{
	const int64_t uid = target_status(pid, "Uid", 10);
	char *name, *why;

	if (uid < 0 || (uid_t)uid == geteuid() || geteuid() == 0)
		return NULL;
	name = user_name((uid_t)uid);
	why = memory_printf(
		"it belongs to %s, and the recording is made by it: as root, "
		"or sudo -u %s clew attach -o DIR %d",
		name, name, pid);
	free(name);
	return why;
}

static char *read_link(pid_t pid, const char *name)
{
	char *path = memory_printf("/proc/%d/%s", pid, name);
	char text[4096];
	ssize_t length = readlink(path, text, sizeof(text) - 1);

	free(path);
	return length < 0 ? NULL : memory_string(text, (size_t)length);
}

/* Where its name is a path that has been replaced, it is read nevertheless. */
static char *obstacle_of_program(pid_t pid)
{
	char *program = read_link(pid, "exe"), *path, *why;

	if (!program)
		return errno == ENOENT
			       ? memory_printf("it is a thread of the kernel's")
			       : memory_printf("its program cannot be seen: %s",
					       strerror(errno));
	free(program);
	path = memory_printf("/proc/%d/exe", pid);
	why = executable_obstacle(path);
	free(path);
	return why;
}

/* In memory, of a file that is mapped from its start. */
static int has_build_id(int memory, const struct target_mapping *module)
{
	static const char note[] = "\3\0\0\0GNU"; /* NT_GNU_BUILD_ID */
	char notes[4096];
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (target_read(memory, module->start, &header, sizeof(header)) != 0 ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return 1; /* or no module */
	for (uint16_t i = 0; i < header.e_phnum; i++) {
		if (target_read(memory,
				module->start + header.e_phoff +
					i * sizeof(segment),
				&segment, sizeof(segment)) != 0 ||
		    segment.p_type != PT_NOTE ||
		    segment.p_filesz > sizeof(notes) ||
		    target_read(memory, module->start + segment.p_offset, notes,
				segment.p_filesz) != 0)
			continue;
		if (memmem(notes, segment.p_filesz, note, sizeof(note)))
			return 1;
	}
	return 0;
}

static int is_replaced(pid_t pid, const char *path)
{
	char *there = other_files_mapped(pid, path);
	const int is = access(there, F_OK) == 0;

	free(there);
	return is;
}

/* Of a module that has none nobody can say that its file is another by now. */
static char *obstacle_of_files(pid_t pid, const struct target_maps *maps)
{
	char *path = memory_printf("/proc/%d/mem", pid), *why = NULL;
	const int memory = open(path, O_RDONLY | O_CLOEXEC);

	free(path);
	for (size_t i = 0; memory >= 0 && i < maps->count && !why; i++) {
		const struct target_mapping *module = &maps->items[i];

		if (module->is_deleted && !module->offset &&
		    is_replaced(pid, module->path) &&
		    !has_build_id(memory, module))
			why = memory_printf("%s has been replaced since it was "
					    "loaded, and has no build-id",
					    module->path);
	}
	if (memory >= 0)
		close(memory);
	return why;
}

static char *obstacle_of_maps(pid_t pid)
{
	struct target_maps maps;
	char *why = NULL;

	if (target_read_maps(pid, &maps, &why) != 0)
		return why;
	if (!target_module(&maps, "libc.so.6"))
		why = memory_printf("it has no C library that is glibc's");
	else if (target_module(&maps, "libasan.so.8") ||
		 target_module(&maps, "libtsan.so.2"))
		why = memory_printf("a sanitizer watches it");
	else
		why = obstacle_of_files(pid, &maps);
	target_free_maps(&maps);
	return why;
}

/* The library in it reads there what is mapped, and which threads there are. */
static char *obstacle_of_proc(pid_t pid)
{
	char *root, *why = NULL;

	if (own_ids_are_seen(pid))
		return NULL;
	if (own_ids_differ(pid))
		return memory_printf("it is in another namespace of processes, "
				     "and its /proc is not of that");
	root = memory_printf("/proc/%d/root/.", pid);
	if (access(root, F_OK) == 0)
		why = memory_printf("it sees no /proc (chroot): one must be "
				    "mounted below its root");
	free(root);
	return why;
}

char *target_obstacle(pid_t pid)
{
	const char state = state_of(pid, pid);
	const int64_t tracer = target_status(pid, "TracerPid", 10);
	char *why;

	if (!state)
		return memory_printf("there is no such process");
	if (state == 'Z' || state == 'X')
		return memory_printf("it has ended");
	if (target_status(pid, "Tgid", 10) != pid)
		return memory_printf("it is a thread of process %" PRId64,
				     target_status(pid, "Tgid", 10));
	if (pid == getpid())
		return memory_printf("it is clew itself");
	if (target_status(pid, "Kthread", 10) == 1)
		return memory_printf("it is a thread of the kernel's");
	why = obstacle_of_user(pid);
	if (why)
		return why;
	if (tracer > 0)
		return memory_printf("process %" PRId64 " traces it", tracer);
	if (target_status(pid, "Seccomp", 10) > 0)
		return memory_printf("its system calls are filtered (seccomp)");
	if (state == 'T' || state == 't')
		return memory_printf("it is stopped; continue it first");
	why = obstacle_of_proc(pid);
	if (!why)
		why = obstacle_of_program(pid);
	return why ? why : obstacle_of_maps(pid);
}

size_t target_threads(pid_t pid, pid_t **tids)
{
	char *path = memory_printf("/proc/%d/task", pid);
	DIR *folder = opendir(path);
	struct dirent *entry;
	size_t count = 0, capacity = 0;

	*tids = NULL;
	free(path);
	while (folder && (entry = readdir(folder))) {
		const int tid = atoi(entry->d_name);

		if (tid <= 0)
			continue;
		*tids = memory_grow(*tids, count, &capacity, sizeof(**tids));
		(*tids)[count++] = tid;
	}
	if (folder)
		closedir(folder);
	return count;
}

int target_read(int memory, uint64_t at, void *out, size_t bytes)
{
	ssize_t got = pread(memory, out, bytes, (off_t)at);

	if (got == (ssize_t)bytes)
		return 0;
	return got < 0 ? -errno : -EIO;
}

int target_write(int memory, uint64_t at, const void *bytes, size_t count)
{
	ssize_t got = pwrite(memory, bytes, count, (off_t)at);

	if (got == (ssize_t)count)
		return 0;
	return got < 0 ? -errno : -EIO;
}
