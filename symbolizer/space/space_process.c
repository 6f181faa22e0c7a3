/* SPDX-License-Identifier: MIT */
/*
 * The mappings of a running process, from /proc.
 *
 * The file at a path may differ from the one that the process has mapped:
 * packages are upgraded, and containers have their own files. A file is
 * therefore searched by the mapped inode: at its path, at that path below the
 * process's root, and finally by the kernel's link to the mapped file, which
 * exists also for deleted files but is not accessible to every user.
 *
 * In addition, the build-id is read from the process's memory, which usually
 * contains a file's first page, and only a file with that build-id is used. A
 * new file at the path of a deleted one is therefore not mistaken for it, while
 * the old file's index is found if the cache has it.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "symbolizer/elf/notes.h"
#include "symbolizer/module.h"
#include "symbolizer/space/space.h"

static const char DELETED[] = " (deleted)";
static const char VDSO[] = "[vdso]";

enum { HEAD_BYTES = 64 * 1024 };

/* Reads memory of a process. Returns how many bytes could be read. */
static size_t read_memory(int pid, uint64_t start, void *out, size_t bytes)
{
	struct iovec here = { .iov_base = out, .iov_len = bytes };
	struct iovec there = { .iov_base = (void *)(uintptr_t)start,
			       .iov_len = bytes };
	ssize_t count = process_vm_readv(pid, &here, 1, &there, 1, 0);

	return count > 0 ? (size_t)count : 0;
}

/* Returns the build-id from the start of an ELF file, which may be empty. */
static struct a2n_build_id head_build_id(struct span head)
{
	struct a2n_build_id id = { 0 };
	Elf64_Ehdr header;

	if (head.bytes < sizeof(header))
		return id;
	memcpy(&header, head.at, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(Elf64_Phdr))
		return id;
	for (size_t i = 0; i < header.e_phnum; i++) {
		struct cursor cursor = cursor_at(head, header.e_phoff);
		struct cursor part;
		Elf64_Phdr segment;

		cursor_skip(&cursor, i * sizeof(segment));
		part = cursor_part(&cursor, sizeof(segment));
		if (part.is_bad)
			return id;
		memcpy(&segment, part.at, sizeof(segment));
		part = cursor_at(head, segment.p_offset);
		part = cursor_part(&part, segment.p_filesz);
		if (segment.p_type == PT_NOTE && !part.is_bad &&
		    notes_build_id((struct span){ part.at, cursor_left(&part) },
				   segment.p_align, &id))
			return id;
	}
	return id;
}

/*
 * Reads the build-id of the file that begins with this mapping. The vDSO, which
 * is in no file, is opened from memory. Without a build-id it stays unknown,
 * because another vDSO may have the same name.
 */
static struct a2n_build_id read_head(struct a2n *a2n, int pid,
				     const struct a2n_mapping *mapping)
{
	struct a2n_build_id id = { 0 };
	size_t bytes = mapping->bytes < HEAD_BYTES ? mapping->bytes
						   : (size_t)HEAD_BYTES;
	uint8_t *head = malloc(bytes);
	struct span span = { .at = head };

	if (!head)
		return id;
	span.bytes = read_memory(pid, mapping->start, head, bytes);
	id = head_build_id(span);
	if (a2n && id.bytes > 0 && strcmp(mapping->path, VDSO) == 0)
		module_open_image(a2n, VDSO, span, &id);
	free(head);
	return id;
}

/*
 * Returns whether the user has given a root directory. Then files are searched
 * only below it.
 */
static int has_root(const struct a2n_space *space)
{
	return space->a2n && *space->a2n->root;
}

/* /proc escapes only newlines in paths, as "\012". */
static void unescape(char *path)
{
	char *to = path;

	for (const char *from = path; *from; to++) {
		int is_newline = strncmp(from, "\\012", 4) == 0;

		*to = is_newline ? '\n' : *from;
		from += is_newline ? 4 : 1;
	}
	*to = '\0';
}

struct area {
	struct a2n_mapping mapping; /* `path` is set later */
	uint64_t inode;
	char *path; /* as in /proc */
};

/*
 * Parses a line of /proc/PID/maps; the path points into its text. Anonymous
 * memory is skipped.
 */
static int parse_line(char *text, struct area *out)
{
	unsigned long long start, end, offset, inode;
	int at = 0;

	text[strcspn(text, "\n")] = '\0';
	if (sscanf(text, "%llx-%llx %*4s %llx %*s %llu %n", &start, &end,
		   &offset, &inode, &at) != 4 ||
	    at == 0 || end <= start)
		return 0;
	out->path = text + at;
	if (*out->path != '/' && *out->path != '[')
		return 0;
	unescape(out->path);
	out->inode = inode;
	out->mapping = (struct a2n_mapping){ .start = start,
					     .bytes = end - start,
					     .file_offset = offset,
					     .path = out->path };
	return 1;
}

/* Overlay file systems report another device, so only the inode is compared. */
static int is_inode_at(const char *path, uint64_t inode)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	       status.st_ino == inode;
}

/*
 * Returns a path at which a file that is not at its own path can be read. If
 * there is none, a file with a known build-id keeps its path, and others become
 * "[PATH]", which is never opened.
 */
static char *find_elsewhere(int pid, const struct area *area, int has_build_id)
{
	const struct a2n_mapping *mapping = &area->mapping;
	size_t length = strlen(area->path), suffix = sizeof(DELETED) - 1;
	char *path = NULL;

	if (asprintf(&path, "/proc/%d/root%s", pid, area->path) < 0 ||
	    is_inode_at(path, area->inode))
		return path;
	free(path);
	path = NULL;
	if (asprintf(&path, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid,
		     mapping->start, mapping->start + mapping->bytes) < 0 ||
	    is_inode_at(path, area->inode))
		return path;
	free(path);
	if (!has_build_id)
		return asprintf(&path, "[%s]", area->path) < 0 ? NULL : path;
	if (length > suffix &&
	    strcmp(area->path + length - suffix, DELETED) == 0)
		length -= suffix;
	return strndup(area->path, length);
}

struct snapshot {
	struct a2n_space *space;
	int pid;
	uint64_t time;
	char *path;  /* path of the last file in /proc/PID/maps, or NULL */
	char *found; /* path at which that file can be read */
	struct a2n_build_id build_id;
};

/*
 * Handles the first of several adjacent mappings of a file in /proc/PID/maps.
 * Replaces the previous file's data in *snapshot: stores the new file's path,
 * its build-id, and the path at which it can be read. Returns 0 or -ENOMEM.
 */
static int begin_file(struct snapshot *snapshot, const struct area *area)
{
	free(snapshot->path);
	free(snapshot->found);
	snapshot->found = NULL;
	snapshot->build_id = (struct a2n_build_id){ 0 };
	snapshot->path = strdup(area->path);
	if (!snapshot->path)
		return -ENOMEM;
	if ((*area->path == '/' && area->mapping.file_offset == 0) ||
	    strcmp(area->path, VDSO) == 0)
		snapshot->build_id = read_head(snapshot->space->a2n,
					       snapshot->pid, &area->mapping);
	if (*area->path != '/' || has_root(snapshot->space) ||
	    is_inode_at(area->path, area->inode))
		snapshot->found = strdup(area->path);
	else
		snapshot->found = find_elsewhere(snapshot->pid, area,
						 snapshot->build_id.bytes > 0);
	return snapshot->found ? 0 : -ENOMEM;
}

static int add_line(struct snapshot *snapshot, char *text)
{
	struct area area;
	int err;

	if (!parse_line(text, &area))
		return 0;
	if (!snapshot->path || strcmp(snapshot->path, area.path) != 0) {
		err = begin_file(snapshot, &area);
		if (err)
			return err;
	}
	area.mapping.path = snapshot->found;
	area.mapping.build_id = snapshot->build_id;
	return space_map_below(snapshot->space, &area.mapping, snapshot->time);
}

int a2n_space_map_process(struct a2n_space *space, int pid, uint64_t time)
{
	struct snapshot snapshot = { .space = space, .pid = pid, .time = time };
	char name[64], *line = NULL;
	size_t capacity = 0;
	FILE *maps;
	int err;

	if (time == A2N_LATEST)
		return -EINVAL;
	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	maps = fopen(name, "re");
	if (!maps)
		return -errno;
	err = space_clear_mappings(space, time);
	errno = 0;
	while (!err && getline(&line, &capacity, maps) > 0)
		err = add_line(&snapshot, line);
	if (!err && ferror(maps))
		err = errno ? -errno : -EIO;
	fclose(maps);
	free(snapshot.path);
	free(snapshot.found);
	free(line);
	return err;
}
