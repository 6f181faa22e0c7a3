/* SPDX-License-Identifier: MIT */
/*
 * Functions that read their own return address.
 *
 * In a hooked function the return address is its stub's. Most functions do not
 * notice; but setjmp saves it, an unwinder starts with it, dlopen finds the
 * calling module by it; and stripped code has no names. Unwind information
 * gives the location of the return address at each instruction, so a load from
 * there identifies such functions:
 *
 *	mov (%rsp), %rdx		at the entry
 *	mov 0x8(%rbp), %rax		__builtin_return_address(0)
 *	pop %rdi			vfork, to hide it from the child
 *
 * A function that overwrites its return address ends where clew does not see
 * it, and counts as a reader as well. Code that loads the return address only
 * to jump to it, with the stack as after a return, does return: into the stub.
 * Coroutine switches do so too, on another stack. All other code whose return
 * address is in a register, by its unwind information, does not return but
 * jumps as longjmp does.
 *
 * Compilers that optimize for size load a constant by a push and a pop, which
 * the unwind information does not contain.
 *
 * Unwind information of hand-written assembly may lack its pushes: such
 * functions are assumed not to be readers.
 */
#ifndef CLEW_IMAGE_READERS_H
#define CLEW_IMAGE_READERS_H

#include "disasm/decode.h"
#include "image/eh_frame.h"

/* Zero-initialised, it watches nothing. */
struct reader_watch {
	struct cfi_machine cfi;
	uint64_t vaddr;
	uint8_t is_watching;
	uint8_t is_reader;
	/*
	 * Whether the return address was loaded and no jump to it has followed.
	 */
	uint8_t has_taken;
	/* whether it was loaded by a mov, so that it is still on the stack */
	uint8_t has_loaded;
	uint8_t taken_register;
	uint8_t returns_by_jump;
	/*
	 * Whether the preceding instruction was a push. slot_offset is then the
	 * value before the push.
	 */
	uint8_t has_pushed;
	/*
	 * Whether a constant was pushed, and neither a branch nor a pop has
	 * followed.
	 */
	uint8_t has_pushed_constant;
	int64_t slot_offset;
};

/* Begins to watch the function of this FDE, whose rules must stay valid. */
void reader_watch_begin(struct reader_watch *watch, const struct fde *fde);

/* Handles the next instruction, in order of vaddr. */
void reader_watch_insn(struct reader_watch *watch, const uint8_t *code,
		       const struct insn *insn, uint64_t vaddr);

/* Returns, after the last instruction, whether the function is a reader. */
int reader_watch_end(struct reader_watch *watch);

#endif
