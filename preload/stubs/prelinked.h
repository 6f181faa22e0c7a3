/* SPDX-License-Identifier: MIT */
/*
 * Prelinked stubs: those of a module, made once, kept in the cache and mapped at
 * the next start as a library is. Who only maps them shares them with others, and
 * has composed nothing.
 *
 * A stub is a function of a few things: of who makes it, and the template; of the function's number,
 * which follows from the module's build-id, or its path where it has none; of where the
 * thread's block is from %fs; of the displaced instructions; and, as these refer to places from where they
 * stand, of the distance between stub and function. So a module's stubs lie at a
 * distance of their own from it, the same in each process, one for each function
 * of the analysis, in their order:
 *
 *	file	[ ELF image | head | flags | stub | stub | stub ...
 *		      \ mapped at `start`, but for the heads of blocks (window.h)
 *
 * What else stubs are made of is in the file's head. A module has a few such files,
 * as what programs have before the library in their thread-local storage differs;
 * those that another libclew.so has made, or that are not believed, are replaced.
 * What is displaced is compared with the code in memory at each start. A stub that
 * depends on anything else, which is found out by composing it twice, as if for
 * another place, is not kept, nor is one where a block has its head: such functions
 * get theirs as they do where nothing is kept. So does all of the module, where its
 * stubs' place is taken, or anything is not as it should be.
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

/* Whose stubs, and what they are made of. */
struct prelinked_module {
	struct content content; /* what its files are called by */
	const uint8_t *maker;   /* the build-id of whoever makes stubs */
	uint32_t maker_bytes;
	uint64_t base; /* load bias */
	struct window_user user;
	const struct wire_function *functions; /* as the analysis has them */
	uint32_t count;
	uint32_t first_number;
	struct stub_constants constants;
	uint32_t place; /* which, below PRELINKED_PLACES */
	/* Others may unload the module where stubs are composed ahead. */
	const uint8_t *is_gone;
};

/* At how many distances a module's stubs may be, the first being the best. */
#define PRELINKED_PLACES 3

/* What is mapped. All zero: nothing. */
struct prelinked {
	uint64_t stubs;     /* where the first function's is, or would be */
	const uint8_t *has; /* by function: 1 if there is one */
};

/* Where what is. */
struct prelinked_layout {
	uint64_t stubs_at, bytes; /* in the file, and of it */
	struct pc_range place;
	uint64_t maker, key;
};

/* The file of a module's stubs. */
struct prelinked_found {
	int fd;
	uint32_t number; /* which of the module's it is, or is to be */
	struct prelinked_layout layout;
	struct prelinked_head head;
};

/*
 * Find the file of a module's stubs. 0, or: -ENOENT if none are kept that are
 * believed: they may be made, as the found->number-th file; or another -errno where they
 * are of no use to this process.
 */
int prelinked_find(struct prelinked_found *found,
		   const struct prelinked_module *module,
		   const struct prelinked_folder *folder);

/*
 * Map them, and close the file. `has` lives in the arena. The code in memory is compared
 * with that which they displace, unless it is known to be the same. As above.
 */
int prelinked_map(struct prelinked *prelinked,
		  const struct prelinked_module *module,
		  const struct prelinked_found *found, int code_is_known,
		  struct windows *windows, struct arena *arena);

/* Make and keep them; nothing of the module has been patched yet. 0 or -errno. */
int prelinked_make(const struct prelinked_module *module,
		   const struct prelinked_folder *folder,
		   const struct decoder *decoder, struct arena *arena,
		   uint32_t number);

/* Stubs that are composed, and not in a file yet. */
struct prelinked_ahead {
	uint8_t *stubs; /* prelinked_forget_ahead() unmaps them */
	uint64_t bytes;
	uint8_t *has;
};

/*
 * prelinked_make() in two steps, of which the first takes longer and rests
 * (sys/slices.h), and the second opens files. 0 or -errno.
 */
int prelinked_compose(struct prelinked_ahead *ahead,
		      const struct prelinked_module *module,
		      const struct decoder *decoder, struct arena *arena);
int prelinked_write(const struct prelinked_ahead *ahead,
		    const struct prelinked_module *module,
		    const struct prelinked_folder *folder, struct arena *arena,
		    uint32_t number);
void prelinked_forget_ahead(struct prelinked_ahead *ahead);

/*
 * The name of a module's file of that kind: CONTENT-NUMBER.prelinked or .hooked. 0 or
 * -ENAMETOOLONG.
 */
int prelinked_name(char name[PRELINKED_NAME_BYTES],
		   const struct prelinked_module *module, uint32_t number,
		   enum prelinked_kind kind);

/* Where the stub of the i-th function begins, 0: it has none there. */
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
