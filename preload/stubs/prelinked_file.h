/* SPDX-License-Identifier: MIT */
/*
 * Files of prelinked stubs (prelinked.h), of hooked text
 * (patch/prelinked_text.h), of tables (shared_table.h) and of what budgets have
 * learnt (budget/budget_learnt.h), and the checks before they are used.
 *
 * Stubs and text are executed, and are too large to be verified at each start:
 * 25 MB for cc1plus. The checks therefore use the kernel's data about the file:
 *
 *	location	in a folder of the user's own that no other user may
 *			write to, in a local file system
 *	owner		the user; no other user and not root
 *	unchanged	nobody may write to it (0400), and it has no other name
 *			(hooked text may have one: perf adds it)
 *	original	the head contains the inode number; a copy, or a file
 *			unpacked from a backup, has another
 *	complete	the head contains a random time, which the last step of
 *			writing sets as the file's modification time. Any later
 *			write would change it
 *	not lost	the head contains the boot id of the system: since that
 *			boot the kernel has the whole file in memory or on disk,
 *			while a crash of the system may leave holes (not
 *			checked for what budgets have learnt: that file is read
 *			completely and has a checksum)
 *
 * The head itself is read completely and has a checksum. A file is written
 * under another name, which one process at a time has locked, and is then
 * renamed. Users who can defeat these checks, the user or root, can also change
 * the user's programs.
 */
#ifndef CLEW_STUBS_PRELINKED_FILE_H
#define CLEW_STUBS_PRELINKED_FILE_H

#include <stdint.h>

#include "preload/stubs/stub_image.h"

#define PRELINKED_BOOT_BYTES 40
#define PRELINKED_NAME_BYTES 160

/* The contents of a file. */
enum prelinked_kind {
	PRELINKED_STUBS,
	PRELINKED_TEXT,
	PRELINKED_TABLE,
	PRELINKED_LEARNT,
};

/*
 * The header. In a file of stubs it follows an ELF image of the file, for tools
 * that inspect the process from outside. In all other files, of which hooked
 * text is itself an ELF file, it is in the last page.
 */
struct prelinked_head {
	uint8_t magic[8];
	uint32_t version;
	uint32_t function_count;
	uint64_t bytes; /* size of the file */
	/*
	 * Offset of the stubs. In hooked text: offset of the first byte that
	 * does not belong to the module's file.
	 */
	uint64_t stubs_at;
	uint64_t maker; /* hash of the library that wrote the file */
	uint64_t key;   /* hash of all other inputs of stubs */
	uint64_t code;  /* hash of the displaced code; in hooked text 0 */
	/*
	 * Checksum of the flags (prelinked.h). In hooked text: of the
	 * description of the text (patch/prelinked_text.c). In files of
	 * budgets: of everything before the last page.
	 */
	uint64_t flags;
	uint64_t inode;
	int64_t seal_s; /* the file's modification time */
	int64_t seal_ns;
	char boot[PRELINKED_BOOT_BYTES];
	uint64_t checksum; /* checksum of all fields before this one */
};

#define PRELINKED_HEAD_AT   WINDOW_HEAD_BYTES
#define PRELINKED_FLAGS_AT  (PRELINKED_HEAD_AT + WINDOW_HEAD_BYTES)
#define PRELINKED_HEAD_PAGE WINDOW_HEAD_BYTES

/* The folder of the files. Zero it before use. */
struct prelinked_folder {
	int is_open; /* files in the folder may be used */
	int fd;
	char boot[PRELINKED_BOOT_BYTES];
};

/* Returns the offset of the head in a file of this size. */
static inline uint64_t prelinked_head_at(enum prelinked_kind kind,
					 uint64_t bytes)
{
	return kind == PRELINKED_STUBS ? PRELINKED_HEAD_AT
				       : bytes - PRELINKED_HEAD_PAGE;
}

/*
 * Opens the folder at `path`, or, if that folder belongs to another user, the
 * one in it that is named by the number of this process's user. Returns 0 or
 * -errno: -EPERM if no file in either folder may be used.
 */
int prelinked_folder_open(struct prelinked_folder *folder, const char *path);
void prelinked_folder_close(struct prelinked_folder *folder);

/*
 * Returns whether code may be mapped from the folder's files: its file system
 * is not mounted noexec.
 */
int prelinked_folder_may_have_code(const struct prelinked_folder *folder);

/*
 * Opens a file for reading and fills in its head. Returns a descriptor or
 * -errno: -ENOENT if there is none, -EBADMSG or -EPERM if it fails a check.
 */
int prelinked_file_open(const struct prelinked_folder *folder, const char *name,
			enum prelinked_kind kind, struct prelinked_head *head);

/* A file that is being written. */
struct prelinked_writing {
	const struct prelinked_folder *folder;
	const char *name;
	char temporary[PRELINKED_NAME_BYTES];
	enum prelinked_kind kind;
	int fd;
	struct prelinked_head head; /* the caller sets its own fields */
};

/*
 * Begins a file of this size. Returns 0 or -errno: -EBUSY if another process is
 * writing it, -ENOTSUP if the file system stores no exact times.
 */
int prelinked_file_begin(struct prelinked_writing *writing,
			 const struct prelinked_folder *folder,
			 const char *name, enum prelinked_kind kind,
			 uint64_t bytes);
int prelinked_file_write(const struct prelinked_writing *writing,
			 const void *bytes, uint64_t count, uint64_t at);

/*
 * Writes the first bytes of another file at the same offsets. Returns 0 or
 * -errno, -ESTALE if the other file is shorter.
 */
int prelinked_file_copy(const struct prelinked_writing *writing, int from,
			uint64_t bytes);

/*
 * Completes the file: other processes can find it. Returns 0 or -errno.
 * prelinked_file_revert() drops it instead.
 */
int prelinked_file_commit(struct prelinked_writing *writing);
void prelinked_file_revert(struct prelinked_writing *writing);

/* Fills in a file that is being written. Returns 0 or -errno. */
typedef int (*prelinked_filling)(const struct prelinked_writing *writing,
				 const void *context);

/*
 * Like prelinked_file_open(), for a file of this size, which is written first
 * if it does not exist. Returns -EBADMSG if the file has another size.
 */
int prelinked_file_open_or_make(const struct prelinked_folder *folder,
				const char *name, enum prelinked_kind kind,
				uint64_t bytes, prelinked_filling fill,
				const void *context);

/*
 * Returns whether a module's file is small enough to be copied. The file has
 * `bytes` bytes, of which the loader maps `loaded` bytes. The part beyond twice
 * `loaded` is taken for debug information. A file with more than 64 MiB of
 * debug information is not worth a copy.
 */
int prelinked_file_is_worth_copying(uint64_t bytes, uint64_t loaded);

/* Adds whole 64-bit words to an FNV-1a hash. Remaining bytes are ignored. */
uint64_t prelinked_sum(uint64_t sum, const void *words, uint64_t bytes);
#define PRELINKED_SUM_OF_NOTHING UINT64_C(0xcbf29ce484222325)

#endif
