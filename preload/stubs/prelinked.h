/* SPDX-License-Identifier: MIT */
/*
 * Prelinked stubs: the stubs of a module, composed once, stored in the cache
 * and mapped at the next start as a library is. Processes that map them share
 * their pages and compose only stubs that the file lacks.
 *
 * The bytes of a stub depend on the library that composes it and its template;
 * on the function's number, which follows from the module's build-id, or from
 * its path if it has none; on the offset of the thread's block from %fs; on the
 * displaced instructions; and, because these may contain relative addresses, on
 * the distance between stub and function. A module's stubs are therefore at a
 * fixed distance from it, the same in each process, one for each function of
 * the analysis, in the same order:
 *
 *	file	[ ELF image | head | flags | stub | stub | stub ...
 *		\ mapped at `start`, except for the heads of blocks (window.h)
 *
 * The file's head contains all other inputs. A module may have a few such
 * files, because the size of the libraries' thread-local storage differs
 * between programs. Files that another libclew.so has written, or that fail a
 * check, are replaced. At each start the displaced instructions are compared
 * with the code in memory, unless that is known to be the file's. A stub that
 * depends on anything else is not stored: it is detected by composing it twice,
 * for two addresses. Stubs at the head of a block are not stored either.
 * Functions without a stored stub get one as they would without a file. This
 * also applies to a whole module if the address range of its stubs is taken, or
 * if any check fails.
 */
#ifndef CLEW_STUBS_PRELINKED_H
#define CLEW_STUBS_PRELINKED_H

#include <stdint.h>

#include "image/arena.h"
#include "image/content.h"
#include "preload/stubs/prelinked_file.h"
#include "preload/stubs/stub_write.h"
#include "preload/stubs/window.h"
#include "wire/recording.h"

/* A module and the inputs of its stubs. */
struct prelinked_module {
	/* identifies the module's content; part of the names of its files */
	struct content content;
	const uint8_t *maker; /* build-id of the library that composes stubs */
	uint32_t maker_bytes;
	uint64_t base; /* load bias */
	struct window_user user;
	const struct wire_function *functions; /* from the analysis */
	uint32_t count;
	uint32_t first_number;
	struct stub_constants constants;
	uint32_t place; /* index of the distance, below PRELINKED_PLACES */
	/*
	 * Points to a flag that is set if another thread unloads the module
	 * while stubs are being composed.
	 */
	const uint8_t *is_gone;
};

/* Number of possible distances of a module's stubs; the first is preferred. */
#define PRELINKED_PLACES 3

/* Stubs that are mapped from a file; all members are 0 if there are none. */
struct prelinked {
	uint64_t stubs; /* address of the first function's stub */
	/* for each function 1 if it has a stub in the file, else 0 */
	const uint8_t *has;
};

/* Layout of a file. */
struct prelinked_layout {
	/* Offset of the stubs, and size of the file. */
	uint64_t stubs_at, bytes;
	struct pc_range place;
	uint64_t maker, key;
};

/* The file of a module's stubs. */
struct prelinked_found {
	int fd;
	uint32_t number; /* number of the file among the module's files */
	struct prelinked_layout layout;
	struct prelinked_head head;
};

/*
 * Finds the file of a module's stubs. Returns 0, or -ENOENT if no valid file
 * exists: it may be created as file found->number. Any other -errno means that
 * this process cannot use such stubs.
 */
int prelinked_find(struct prelinked_found *found,
		   const struct prelinked_module *module,
		   const struct prelinked_folder *folder);

/*
 * Maps the stubs and closes the file. `has` is allocated in the arena. Unless
 * code_is_known, the code in memory is compared with the code that the stubs
 * displace. Returns the same values as prelinked_find().
 */
int prelinked_map(struct prelinked *prelinked,
		  const struct prelinked_module *module,
		  const struct prelinked_found *found, int code_is_known,
		  struct windows *windows, struct arena *arena);

/*
 * Creates and stores the stubs. Nothing of the module may be patched yet.
 * Returns 0 or -errno.
 */
int prelinked_make(const struct prelinked_module *module,
		   const struct prelinked_folder *folder,
		   const struct decoder *decoder, struct arena *arena,
		   uint32_t number);

/* Composed stubs that are not in a file yet. */
struct prelinked_composed {
	uint8_t *stubs; /* unmapped by prelinked_free_composed() */
	uint64_t bytes;
	uint8_t *has;
};

/*
 * prelinked_make() in two steps. The first takes longer and rests
 * (sys/slices.h); the second opens files. Return 0 or -errno.
 */
int prelinked_compose(struct prelinked_composed *ahead,
		      const struct prelinked_module *module,
		      const struct decoder *decoder, struct arena *arena);
int prelinked_write(const struct prelinked_composed *ahead,
		    const struct prelinked_module *module,
		    const struct prelinked_folder *folder, struct arena *arena,
		    uint32_t number);
void prelinked_free_composed(struct prelinked_composed *ahead);

/*
 * Writes the name of a module's file: CONTENT-NUMBER.prelinked or .hooked, or
 * that of a file of stubs in the recording's folder, if clew is attached.
 * Returns 0 or -ENAMETOOLONG.
 */
int prelinked_name(char name[PRELINKED_NAME_BYTES],
		   const struct prelinked_module *module, uint32_t number,
		   enum prelinked_kind kind);

/* Returns the address of the i-th function's stub, or 0 if it has none. */
static inline uint64_t prelinked_stub(const struct prelinked *prelinked,
				      uint32_t i)
{
	uint64_t stub;

	if (!prelinked->stubs || !prelinked->has[i])
		return 0;
	stub = prelinked->stubs + i * stub_bytes();
	return stub % WINDOW_BLOCK_BYTES < WINDOW_HEAD_BYTES ? 0 : stub;
}

#endif
