/* SPDX-License-Identifier: MIT */
/*
 * Hooked text, mapped: a module's file once more, with jumps written over its functions'
 * first bytes, and a table of them. It is kept in the cache beside the module's prelinked
 * stubs (stubs/prelinked.h), of which one file goes with it, and at the next start is
 * mapped over the module, whatever is not writable of it. So nothing is written, nothing
 * of the text is this process's alone, and nothing is done for each function.
 *
 *	file	[ the module's file, hooked | sites | islands | rest | head ]
 *	memory	[ headers | text | constants ]  from that file, at its offsets
 *		[ variables ]                   the module's own, as they were
 *
 * As the offsets are the module's, and headers, symbols and unwind information are there,
 * debuggers and profilers that open what is mapped find what they look for.
 *
 * It is used if what it replaces is what it was made of, which is not read for that
 * (pristine.h). What is other in this process is written over what is mapped:
 *
 *	pages that have been written to since, by diversions (divert.h), are not mapped,
 *	and hooked as they are
 *	a function whose stub would be where a block has its head gets another
 *	one that is not to be hooked here gets its bytes back, and is no site: the table
 *	is cut there, and what is between is patches of their own; where there are many,
 *	it is a copy without them. Where they lie in more pages than what is hooked, the
 *	module is hooked without its text
 *	the rest, functions whose hooks are not the same everywhere, is hooked as ever:
 *	punned jumps, whose pads are anywhere, probes, hosts and guests
 *
 * Under the loader's lock, and nobody runs in the module.
 */
#ifndef CLEW_PATCH_PRELINKED_TEXT_H
#define CLEW_PATCH_PRELINKED_TEXT_H

#include "preload/patch/code.h"
#include "preload/patch/patch_prepare.h"
#include "preload/patch/pristine.h"

#define PRELINKED_TEXT_WRITTEN_MAX 64

/* In the file, behind its head. */
struct prelinked_text_about {
	struct pristine_file file; /* the module's */
	uint32_t site_count, island_count, rest_count, trap_count;
};

/* Whose text. */
struct prelinked_text_module {
	const struct module *module;
	const struct prelinked_module *stubs_of;
	const struct wire_function *analysed; /* as they are in the file */
	struct wire_function *functions;      /* as they are here */
	uint32_t count;
	uint32_t first_number;
};

/* Zero it. */
struct prelinked_text {
	int is_pristine; /* about.file is the module's, which is as it is there */
	int is_found;    /* the rest is filled in */
	uint32_t number; /* of the file of stubs */
	uint64_t maker, key;
	int fd;
	struct prelinked_text_about about;
	/* In private memory, mapped from the file. */
	struct patch_site *sites;
	struct patch_text *islands;
	const uint32_t *rest; /* indices of functions */
	uint64_t table_bytes;
	/* What is other in this process. */
	uint64_t written[PRELINKED_TEXT_WRITTEN_MAX]; /* pages */
	int written_count;
	struct patch_text *fixes; /* addresses; in the arena of the pass */
	uint32_t fix_count;
};

/*
 * Find the file that goes with these stubs. 0, or -errno; -ENOENT where it may be made, if
 * the text is pristine.
 */
int prelinked_text_find(struct prelinked_text *text,
			const struct prelinked_text_module *of,
			const struct prelinked_found *stubs,
			const struct prelinked_folder *folder,
			const struct pristine *pristine);

/* Until prelinked_text_prepare() has made patches, their table goes as well. */
void prelinked_text_close(struct prelinked_text *text, int has_patches);

/*
 * The chain of patches of a module whose stubs are mapped and whose text has been found, to
 * be committed (patch.h) before it is closed. Patches live in `kept`. 0, or -errno:
 * then it is to be hooked without.
 */
int prelinked_text_prepare(struct prelinked_text *text,
			   const struct prelinked_text_module *of,
			   struct patch_workshop *workshop,
			   const struct pristine *pristine, struct arena *kept,
			   struct arena *scratch, struct patch **chain);

/*
 * Make and keep the file, by what has been prepared otherwise and not yet been committed.
 * 0 or -errno.
 */
int prelinked_text_make(const struct prelinked_text *text,
			const struct prelinked_text_module *of,
			const struct patch *patch,
			const struct prelinked *stubs,
			const struct prelinked_folder *folder,
			const struct pristine *pristine, struct arena *scratch);

/* For patch_commit(): map it, or what it replaced. 0 or -errno. */
int prelinked_text_map(const struct prelinked_text *text,
		       const struct module *module);
void prelinked_text_unmap(const struct prelinked_text *text,
			  const struct module *module);
/* ... and write what is other. */
int prelinked_text_is_other(const struct prelinked_text *text);
int prelinked_text_write(const struct prelinked_text *text,
			 struct code_writer *writer, const struct patch *chain);

/* ---- For the files that implement this ---- */

/* Where tables are in the file. */
struct prelinked_text_layout {
	uint64_t tables_at, islands_at, rest_at, end;
	uint64_t head_at;
};

struct prelinked_text_layout prelinked_text_layout(
	const struct prelinked_text_about *about);

#endif
