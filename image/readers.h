/* SPDX-License-Identifier: MIT */
/*
 * Functions that look at their own return address.
 *
 * A hooked function has its stub's address where its caller's should be. That
 * is nothing to most, but setjmp saves it, an unwinder starts from it, dlopen
 * sees by it which module asks; and stripped code has no names to know them
 * by. The unwind information says of each instruction where the return address
 * lies, so a load from there gives them away:
 *
 *	mov (%rsp), %rdx	at the entry
 *	mov 0x8(%rbp), %rax	__builtin_return_address(0)
 *	pop %rdi		vfork, keeping it from the child
 *
 * Who overwrites it has its call end where clew does not see it, which is as
 * bad. But code that takes it from there only to jump to it, and leaves the stack
 * as a return would, does return, in its own way: into the stub that waits at
 * that place. So do coroutine switches, on another stack than they were called
 * on. Other code that has the address to go on at in a register, says the
 * unwind information, does not return but jumps as longjmp does.
 *
 * Compilers for size load a constant by a push and a pop, and the unwind
 * information does not contain that.
 *
 * Assembly by hand may have unwind information that forgets its pushes: of such
 * functions it is believed that they are no readers.
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
	uint8_t has_taken;  /* the return address, and not yet jumped there */
	uint8_t has_loaded; /* rather than popped: it is still on the stack */
	uint8_t taken_register;
	uint8_t returns_by_jump;
	uint8_t has_pushed; /* the instruction before; slot_offset was then */
	uint8_t has_pushed_constant; /* to be popped without a branch between */
	int64_t slot_offset;
};

/* Watch the function of this FDE, whose rules must stay. */
void reader_watch_begin(struct reader_watch *watch, const struct fde *fde);

/* One instruction, in order of vaddr. */
void reader_watch_insn(struct reader_watch *watch, const uint8_t *code,
		       const struct insn *insn, uint64_t vaddr);

/* When all were shown: whether it is such a function. */
int reader_watch_end(struct reader_watch *watch);

#endif
