/* SPDX-License-Identifier: MIT */
/*
 * Hooked text: a copy of a module's file with jumps written over its functions'
 * first bytes, and a table of these jumps. The file is stored in the cache
 * beside a file of the module's prelinked stubs (stubs/prelinked.h), to which
 * it belongs. At the next start it is mapped over the module's segments that
 * are not writable. Apart from the differences that are listed below, nothing
 * is then written, no page of the text is private to the process, and no work
 * is done for single functions.
 *
 *	file	[ the module's file, hooked | sites | islands | rest | head ]
 *	memory	[ headers | text | constants ]	from that file, same offsets
 *		[ variables ]			the module's own, unchanged
 *
 * The file has the same offsets, headers, symbols and unwind information as the
 * module's, so debuggers and profilers that open the mapped file work.
 *
 * The text is used if the replaced memory equals the file that it was made
 * from, which is checked without reading either (pristine.h). Differences in
 * this process are written over the mapping:
 *
 *	- Pages that were written since, by diversions (divert.h), are not
 *	  mapped; their functions are hooked one by one.
 *	- A function whose stub would be at the head of a block gets another.
 *	- A function that must not be hooked here gets its bytes back and is no
 *	  site: the table is cut there, and each piece is a patch. With many
 *	  cuts, the table is copied without these sites. If they are in more
 *	  pages than the hooked functions, the text is not used.
 *	- The rest, functions whose hooks differ between processes, are hooked
 *	  one by one: punned jumps, whose pads may be anywhere, probes, hosts
 *	  and guests.
 *
 * Called under the loader's lock, while no thread executes the module.
 */
#ifndef CLEW_PATCH_PRELINKED_TEXT_H
#define CLEW_PATCH_PRELINKED_TEXT_H

#include "preload/patch/code.h"
#include "preload/patch/patch_prepare.h"
#include "preload/patch/pristine.h"

#define PRELINKED_TEXT_WRITTEN_MAX 64

/* Data about the text. It follows the head in the file. */
struct prelinked_text_about {
	struct pristine_file file; /* the module's file */
	uint32_t site_count, island_count, rest_count, trap_count;
};

/* The module of a text. */
struct prelinked_text_module {
	const struct module *module;
	const struct prelinked_module *stubs_of;
	/* The functions with the verdicts that the file was made with. */
	const struct wire_function *analysed;
	/* the functions with their verdicts in this process */
	struct wire_function *functions;
	uint32_t count;
	uint32_t first_number;
};

/* Zero it before use. */
struct prelinked_text {
	/* about.file describes the module's file, and memory equals it */
	int is_pristine;
	int is_found; /* the fields below are valid */
	/* number of the file of stubs that the text belongs to */
	uint32_t number;
	uint64_t maker, key;
	int fd;
	struct prelinked_text_about about;
	/*
	 * sites, islands and rest are tables in the file of hooked text. They
	 * are in one private mapping of table_bytes bytes, from `sites` on.
	 */
	struct patch_site *sites;
	struct patch_text *islands;
	const uint32_t *rest; /* indices of functions */
	uint64_t table_bytes;
	/* Pages of the module that were written to in this process. */
	uint64_t written[PRELINKED_TEXT_WRITTEN_MAX];
	int written_count;
	/*
	 * Differences of this process, with absolute addresses. In the arena of
	 * the pass (hooking/hook.c).
	 */
	struct patch_text *fixes;
	uint32_t fix_count;
};

/*
 * Finds the file for these stubs. Returns 0 or -errno; -ENOENT if it may be
 * created, provided the text is pristine.
 */
int prelinked_text_find(struct prelinked_text *text,
			const struct prelinked_text_module *of,
			const struct prelinked_found *stubs,
			const struct prelinked_folder *folder,
			const struct pristine *pristine);

/*
 * Closes the text. If prelinked_text_prepare() has made no patches, also unmaps
 * the tables.
 */
void prelinked_text_close(struct prelinked_text *text, int has_patches);

/*
 * Creates the chain of patches of a module whose stubs are mapped and whose
 * text was found; commit it (patch.h) before closing the text. Patches are
 * allocated in `kept`. Returns 0, or -errno: then the module must be hooked
 * without its text.
 */
int prelinked_text_prepare(struct prelinked_text *text,
			   const struct prelinked_text_module *of,
			   struct patch_workshop *workshop,
			   const struct pristine *pristine, struct arena *kept,
			   struct arena *scratch, struct patch **chain);

/*
 * Creates and stores the file, from a patch that was prepared without a text
 * and is not committed yet. Returns 0 or -errno.
 */
int prelinked_text_make(const struct prelinked_text *text,
			const struct prelinked_text_module *of,
			const struct patch *patch,
			const struct prelinked *stubs,
			const struct prelinked_folder *folder,
			const struct pristine *pristine, struct arena *scratch);

/*
 * For patch_commit(). prelinked_text_map() maps the text over the module and
 * returns 0 or -errno. prelinked_text_unmap() maps the module's own file again,
 * if that file is unchanged.
 */
int prelinked_text_map(const struct prelinked_text *text,
		       const struct module *module);
void prelinked_text_unmap(const struct prelinked_text *text,
			  const struct module *module);
/*
 * For patch_commit(). prelinked_text_is_other() returns whether this process
 * needs other bytes than the text has. prelinked_text_write() writes them, and
 * returns 0 or -errno.
 */
int prelinked_text_is_other(const struct prelinked_text *text);
int prelinked_text_write(const struct prelinked_text *text,
			 struct code_writer *writer, const struct patch *chain);

/* ---- For the files that implement this ---- */

/* Offsets of the tables in the file. */
struct prelinked_text_layout {
	uint64_t tables_at, islands_at, rest_at, end;
	uint64_t head_at;
};

struct prelinked_text_layout prelinked_text_layout(
	const struct prelinked_text_about *about);

#endif
