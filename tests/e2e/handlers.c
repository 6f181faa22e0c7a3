/* SPDX-License-Identifier: MIT */
/* Handlers of probes in handled.c, of general registers only where built so. */
#include <stdint.h>

#include "clew.h"
#include "clew_handler.h"

static uint64_t hits_of_all;

/* $rdi: one more. What came before is counted in the word of the probe. */
CLEW_HANDLER(more)
{
	hit->registers->rdi += 1;
	__atomic_fetch_add((uint64_t *)hit->data, 1, __ATOMIC_RELAXED);
}

/* As said behind its name: the n-th letter. */
CLEW_HANDLER(letter)
{
	const char *at = hit->text;

	for (uint64_t n = hit->registers->rdi % 4; n && *at; n--)
		at++;
	hit->registers->rax = (unsigned char)*at;
}

/* All registers but the stack's, and flags, to what they were not. */
CLEW_HANDLER(all)
{
	struct clew_registers *to = hit->registers;

	to->rax = to->rbx = to->rcx = to->rdx = to->rsi = to->rbp = ~0UL;
	to->r8 = to->r9 = to->r10 = to->r11 = to->r12 = to->r13 = ~0UL;
	to->r14 = to->r15 = ~0UL;
	to->rflags ^=
		0xcd5; /* all that count but direction's, which is 0x400 */
	to->rflags &= ~0x400UL;
}

CLEW_HANDLER(crash)
{
	if (hit->registers->rdi == 7)
		*(volatile int *)0x18 = 1;
}

/* 1: the context is the one that clew tells, whose innermost function is there. */
CLEW_HANDLER(context)
{
	struct clew_frame frames[8];
	const struct clew_here here = clew_context();
	const int known = clew_stack(hit->id, frames, 8);

	hit->registers->rax = hit->id && here.id == hit->id && known > 1 &&
			      frames[0].id == hit->id &&
			      clew_parent(hit->id) == frames[1].id;
}

CLEW_HANDLER(tally)
{
	hits_of_all++;
	hit->registers->rax = hits_of_all;
}
