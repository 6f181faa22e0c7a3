/* SPDX-License-Identifier: MIT */
/* See target.h. */
#include "cli/target/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/suffix.h"
#include "cli/common/library.h"
#include "cli/target/other_files.h"
#include "image/glibc_file.h"
#include "image/image.h"
#include "image/symbols.h"
#include "machine/address_space.h"
#include "wire/recording.h"

/* Numbers of fields of a stat file in /proc, as in proc(5). */
enum { STAT_START = 22, STAT_STACK = 28 };

/*
 * Maximum number of bytes of code that are searched, because the segments of a
 * hostile file may overlap and have any size.
 */
#define SEARCHED_MAX (UINT64_C(1) << 30)

const char *target_permission_hint(int err)
{
	if (err != -EACCES && err != -EPERM)
		return "";
	return geteuid() == 0 ? "; clew needs the capability CAP_SYS_PTRACE "
				"(in a container: --cap-add=SYS_PTRACE)"
			      : "; run clew as root: the process belongs to "
				"another user, has changed its user ID, has "
				"more privileges than its user, or is not "
				"dumpable (prctl PR_SET_DUMPABLE)";
}

/* ---- Mappings ---- */

static void add_mapping(struct target_maps *maps, const char *line)
{
	static const char deleted[] = " (deleted)";
	const size_t mark = sizeof(deleted) - 1;
	struct target_mapping mapping = { 0 };
	char permissions[5] = "";
	int path_at = 0;
	size_t length;

	if (sscanf(line,
		   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 " %n",
		   &mapping.start, &mapping.end, permissions, &mapping.offset,
		   &mapping.inode, &path_at) != 5)
		return;
	mapping.file_start = mapping.start;
	mapping.file_end = mapping.end;
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

/*
 * Returns the inode of the module's own file, if the mapping is of a copy with
 * hooks; otherwise 0. The copy's name contains the inode:
 * "content-HASH-INODE-NAME.hooked" (preload/hooking/shared_text_prepare.c).
 */
static uint64_t inode_of_hooked(const struct target_mapping *mapping)
{
	const char *name = text_basename(mapping->path);
	const size_t begin = sizeof(WIRE_STUBS_MODULE) - 1;

	if (strncmp(name, WIRE_STUBS_MODULE, begin) != 0 ||
	    !suffix_stem(name, WIRE_HOOKED_SUFFIX))
		return 0;
	name += begin + strspn(name + begin, "0123456789abcdef");
	return *name == '-' ? strtoull(name + 1, NULL, 10) : 0;
}

/*
 * Returns the first mapping from index i on of the module's own file, by its
 * inode, or NULL. The data behind the code is such a mapping.
 */
static const struct target_mapping *find_own(const struct target_maps *maps,
					     size_t i, uint64_t inode)
{
	for (; i < maps->count; i++)
		if (maps->items[i].inode == inode &&
		    !inode_of_hooked(&maps->items[i]))
			return &maps->items[i];
	return NULL;
}

/*
 * Gives mappings of copies with hooks the path and the inode of the module's
 * own file.
 */
static void name_hooked(struct target_maps *maps)
{
	for (size_t i = 0; i < maps->count; i++) {
		struct target_mapping *mapping = &maps->items[i];
		const uint64_t inode = inode_of_hooked(mapping);
		const struct target_mapping *own =
			inode ? find_own(maps, i + 1, inode) : NULL;

		mapping->is_hooked = inode != 0;
		if (!own)
			continue;
		free(mapping->path);
		mapping->path = memory_string(own->path, strlen(own->path));
		mapping->inode = own->inode;
		mapping->file_start = own->start;
		mapping->file_end = own->end;
		mapping->is_deleted = own->is_deleted;
	}
}

void target_parse_maps(FILE *file, struct target_maps *maps)
{
	char *line = NULL;
	size_t room = 0;

	*maps = (struct target_maps){ 0 };
	while (getline(&line, &room, file) >= 0)
		add_mapping(maps, line);
	name_hooked(maps);
	free(line);
}

int target_read_maps(pid_t pid, struct target_maps *maps, char **why)
{
	char *path = memory_printf("/proc/%d/maps", pid);
	FILE *file = fopen(path, "re");

	*maps = (struct target_maps){ 0 };
	free(path);
	if (!file)
		return fail(why, -errno,
			    "its memory mappings cannot be read: %s%s",
			    strerror(errno), target_permission_hint(-errno));
	target_parse_maps(file, maps);
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

/*
 * Returns whether the mappings from index `first` on look like those of a
 * loader: from the start of the file, and one with code. Programs also map
 * parts of files to read them, as libbacktrace does.
 */
static int is_loaded(const struct target_maps *maps, size_t first)
{
	const struct target_mapping *one = &maps->items[first];
	int has_code = one->is_executable;

	for (size_t i = first + 1; i < maps->count && !has_code; i++, one++) {
		if (one[1].start != one->end ||
		    strcmp(one[1].path, one->path) != 0)
			break;
		has_code = one[1].is_executable;
	}
	return has_code && maps->items[first].offset == 0;
}

const struct target_mapping *target_module(const struct target_maps *maps,
					   const char *name)
{
	const struct target_mapping *found = NULL;

	for (size_t i = 0; i < maps->count; i++) {
		if (!glibc_file_is(maps->items[i].path, name))
			continue;
		if (is_loaded(maps, i))
			return &maps->items[i];
		if (!found)
			found = &maps->items[i];
	}
	return found;
}

/* ---- Files of modules ---- */

/*
 * Opens the libclew.so of this installation instead of a mapped file that was
 * deleted. Accepts it only if its first page, which contains the build-id,
 * equals that in the process. Returns 0 or -errno.
 */
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

/*
 * Opens a module's file. Only privileged users may open files in map_files; for
 * other users the file's path is used.
 */
int target_open_module(pid_t pid, const struct target_mapping *module,
		       struct image *image)
{
	char *path = memory_printf("/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
				   pid, module->file_start, module->file_end);
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

int target_code(pid_t pid, const struct target_mapping *module, uint64_t at,
		void *out, size_t bytes)
{
	struct image image;
	const uint8_t *code;
	uint64_t left = 0;
	int err = target_open_module(pid, module, &image);

	if (err)
		return err;
	code = image_at(&image, at - target_base(module, &image), &left);
	err = code && left >= bytes ? 0 : -ENOENT;
	if (!err)
		memcpy(out, code, bytes);
	image_close(&image);
	return err;
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
	uint64_t found = 0, searched = 0;

	if (target_open_module(pid, module, &image) != 0)
		return 0;
	for (uint16_t i = 0; i < image.segment_count && !found; i++) {
		const Elf64_Phdr *segment = &image.segments[i];
		uint64_t left;
		const uint8_t *at, *match;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		at = image_at(&image, segment->p_vaddr, &left);
		if (!at || left > SEARCHED_MAX - searched)
			continue;
		searched += left;
		match = memmem(at, left, bytes, count);
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

/*
 * Reads the limit from /proc, because prlimit() requires the right to change
 * the process.
 */
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

/*
 * Reads the part of a stat file of /proc that follows the name into `text`; ""
 * on failure. The name may contain brackets, so it ends at the last bracket.
 * Frees `path`.
 */
static void read_stat_file(char *path, char *text, int bytes)
{
	FILE *file = fopen(path, "re");
	const char *end = NULL;

	free(path);
	*text = '\0';
	if (file && fgets(text, bytes, file))
		end = strrchr(text, ')');
	if (file)
		fclose(file);
	if (end)
		memmove(text, end + 1, strlen(end + 1) + 1);
	else
		*text = '\0';
}

static void read_stat(pid_t pid, pid_t tid, char *text, int bytes)
{
	read_stat_file(memory_printf("/proc/%d/task/%d/stat", pid, tid), text,
		       bytes);
}

char target_thread_state(pid_t pid, pid_t tid)
{
	char text[512];

	read_stat(pid, tid, text, sizeof(text));
	return *text == ' ' ? text[1] : '\0';
}

/*
 * Returns a field of a stat file, or 0. `number` is the field's number in
 * proc(5), at least 3. Frees `path`.
 */
static uint64_t stat_field(char *path, int number)
{
	char text[1024], *at = text;

	read_stat_file(path, text, sizeof(text));
	for (int field = 3; at && *at && field < number; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

uint64_t target_start(pid_t pid)
{
	return stat_field(memory_printf("/proc/%d/stat", pid), STAT_START);
}

uint64_t target_start_within(pid_t pid, pid_t own)
{
	return stat_field(memory_printf("/proc/%d/root/proc/%d/stat", pid, own),
			  STAT_START);
}

/*
 * Returns the start of the stack, which the stat file contains. The kernel
 * chooses it at random for each program that is executed, unless randomization
 * is switched off.
 */
uint64_t target_program_mark(pid_t pid)
{
	return stat_field(memory_printf("/proc/%d/stat", pid), STAT_STACK);
}

/*
 * Returns whether the process belongs to the kernel, by the bit PF_KTHREAD of
 * the kernel's linux/sched.h.
 */
int target_is_of_kernel(pid_t pid)
{
	unsigned int flags;
	char text[512];

	read_stat(pid, pid, text, sizeof(text));
	return sscanf(text, " %*c %*s %*s %*s %*s %*s %u", &flags) == 1 &&
	       flags & 0x00200000;
}

char *target_name(pid_t pid)
{
	char *path = memory_printf("/proc/%d/comm", pid);
	FILE *file = fopen(path, "re");
	char text[64] = "";

	free(path);
	if (file && !fgets(text, sizeof(text), file))
		*text = '\0';
	if (file)
		fclose(file);
	text[strcspn(text, "\n")] = '\0';
	return *text ? memory_printf("%s", text_printable(text)) : NULL;
}

int target_thread_is_going(pid_t pid, pid_t tid)
{
	const char state = target_thread_state(pid, tid);

	return !state || state == 'Z' || state == 'X';
}

int target_has_ended(pid_t pid)
{
	char *path = memory_printf("/proc/%d/exe", pid), program;
	const int has_none = readlink(path, &program, sizeof(program)) < 0 &&
			     errno == ENOENT;

	free(path);
	return has_none && !target_is_of_kernel(pid);
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
