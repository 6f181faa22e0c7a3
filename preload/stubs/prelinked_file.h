/* SPDX-License-Identifier: MIT */
/*
 * Files of prelinked stubs (prelinked.h) and of hooked text (patch/prelinked_text.h), and
 * which of them are believed.
 *
 * What is in such a file is executed, and is too much to be read through at each
 * start: 25 MB for cc1plus. So a file is believed for what the kernel says of it:
 *
 *	where it is	in a folder of the user's own that nobody else may write,
 *			in a file system of this machine
 *	whose it is	the user's: nobody else's, not root's either
 *	that it stays	nobody may write it (0400), and it has no other name
 *	that it is	its head says which inode it was written to: what was copied,
 *	the one written	or unpacked from a backup, is another
 *	that it is	its head says a time, drawn at random, and the last step of
 *	whole		writing sets that as the time of its last change. Each
 *			write that follows would set another
 *	that nothing	its head says in which boot of the machine it was written:
 *	was lost	since then the kernel has it whole, in memory or on disk,
 *			while a crash of the machine may leave holes
 *
 * The head itself is read and has a checksum. A file that is not believed is made
 * anew: under another name, which one process at a time has locked, and renamed.
 * Who may change what is behind such a file, the user or root, may change the
 * user's programs just as well.
 */
#ifndef CLEW_STUBS_PRELINKED_FILE_H
#define CLEW_STUBS_PRELINKED_FILE_H

#include <stdint.h>

#include "preload/stubs/stub_image.h"

#define PRELINKED_BOOT_BYTES 40
#define PRELINKED_NAME_BYTES 160

/* What a file has. */
enum prelinked_kind { PRELINKED_STUBS, PRELINKED_TEXT, PRELINKED_TABLE };

/*
 * Of stubs, behind an ELF image of the file, for those who look at the process from
 * outside. Of text, which is an ELF file of its own, and of a table: in its last page.
 */
struct prelinked_head {
	uint8_t magic[8];
	uint32_t version;
	uint32_t function_count;
	uint64_t bytes;    /* of the file */
	uint64_t stubs_at; /* offset; of text: of what is not the module's */
	uint64_t maker;    /* hash of who has made them, */
	uint64_t key;      /* ... of what else stubs are made of, */
	uint64_t code;     /* ... and of what they displace; of text: 0 */
	uint64_t flags; /* checksum of them (prelinked.h); of what is behind */
	uint64_t inode;
	int64_t seal_s; /* the time of its last change */
	int64_t seal_ns;
	char boot[PRELINKED_BOOT_BYTES];
	uint64_t checksum; /* of all before */
};

#define PRELINKED_HEAD_AT   WINDOW_HEAD_BYTES
#define PRELINKED_FLAGS_AT  (PRELINKED_HEAD_AT + WINDOW_HEAD_BYTES)
#define PRELINKED_HEAD_PAGE WINDOW_HEAD_BYTES

/* Where files are. Zero it; closed it is again. */
struct prelinked_folder {
	int is_open; /* it may be used */
	int fd;
	char boot[PRELINKED_BOOT_BYTES];
};

/* Where the head of a file of so many bytes is. */
static inline uint64_t prelinked_head_at(enum prelinked_kind kind,
					 uint64_t bytes)
{
	return kind == PRELINKED_STUBS ? PRELINKED_HEAD_AT
				       : bytes - PRELINKED_HEAD_PAGE;
}

/* 0, or -errno: -EPERM if nothing in it is believed. */
int prelinked_folder_open(struct prelinked_folder *folder, const char *path);
void prelinked_folder_close(struct prelinked_folder *folder);

/* Whether code may be mapped from its files: its file system is not mounted noexec. */
int prelinked_folder_may_have_code(const struct prelinked_folder *folder);

/*
 * A file to read, whose head is filled in and fits the file: or -errno, -ENOENT if
 * there is none, -EBADMSG or -EPERM if it is not believed.
 */
int prelinked_file_open(const struct prelinked_folder *folder, const char *name,
			enum prelinked_kind kind, struct prelinked_head *head);

/* One that is being written. */
struct prelinked_writing {
	const struct prelinked_folder *folder;
	const char *name;
	char temporary[PRELINKED_NAME_BYTES];
	enum prelinked_kind kind;
	int fd;
	struct prelinked_head head; /* of which the caller fills in its own */
};

/*
 * Begin a file of so many bytes. 0, or -errno: -EBUSY if another process is about
 * it, -ENOTSUP if the file system keeps no exact times.
 */
int prelinked_file_begin(struct prelinked_writing *writing,
			 const struct prelinked_folder *folder,
			 const char *name, enum prelinked_kind kind,
			 uint64_t bytes);
int prelinked_file_write(const struct prelinked_writing *writing,
			 const void *bytes, uint64_t count, uint64_t at);

/*
 * Writes the first bytes of another file at the same offsets. Returns 0 or -errno,
 * -ESTALE if the other file is shorter.
 */
int prelinked_file_copy(const struct prelinked_writing *writing, int from,
			uint64_t bytes);

/* It is whole: from now on others find it. 0 or -errno. Or else it is not. */
int prelinked_file_commit(struct prelinked_writing *writing);
void prelinked_file_revert(struct prelinked_writing *writing);

/* Fills in a file that is being written. Returns 0 or -errno. */
typedef int (*prelinked_filling)(const struct prelinked_writing *writing,
				 const void *context);

/*
 * The same as prelinked_file_open(), for a file of so many bytes, which is written first if
 * it does not exist. Returns -EBADMSG if the file has another size.
 */
int prelinked_file_open_or_make(const struct prelinked_folder *folder,
				const char *name, enum prelinked_kind kind,
				uint64_t bytes, prelinked_filling fill,
				const void *context);

/*
 * Whether a module's file is worth a copy, of which that many bytes are loaded. Bytes beyond
 * twice that are debug information, which may be too much.
 */
int prelinked_file_is_worth_copying(uint64_t bytes, uint64_t loaded);

/* FNV-1a of whole words; the rest is left out. */
uint64_t prelinked_sum(uint64_t sum, const void *words, uint64_t bytes);
#define PRELINKED_SUM_OF_NOTHING UINT64_C(0xcbf29ce484222325)

#endif
