/* SPDX-License-Identifier: MIT */
/*
 * Handlers of probes in handled.c. One build uses general registers only, the
 * other one also vector registers.
 */
#include <stdint.h>

#include "clew.h"
#include "clew_handler.h"

static uint64_t hits_of_all;

/* Increments $rdi. Counts its hits in the probe's word of data. */
CLEW_HANDLER(more)
{
	hit->registers->rdi += 1;
	__atomic_fetch_add((uint64_t *)hit->data, 1, __ATOMIC_RELAXED);
}

/* Sets $rax to a letter of the text that the option gives to the handler. */
CLEW_HANDLER(letter)
{
	const char *at = hit->text;

	for (uint64_t n = hit->registers->rdi % 4; n && *at; n--)
		at++;
	hit->registers->rax = (unsigned char)*at;
}

/*
 * Changes all general registers except rsp and rdi, which the program still
 * needs, and inverts the arithmetic flags.
 */
CLEW_HANDLER(all)
{
	struct clew_registers *to = hit->registers;

	to->rax = to->rbx = to->rcx = to->rdx = to->rsi = to->rbp = ~0UL;
	to->r8 = to->r9 = to->r10 = to->r11 = to->r12 = to->r13 = ~0UL;
	to->r14 = to->r15 = ~0UL;
	to->rflags ^=
		0xcd5; /* all arithmetic flags; 0x400 is the direction flag */
	to->rflags &= ~0x400UL;
}

CLEW_HANDLER(crash)
{
	if (hit->registers->rdi == 7)
		*(volatile int *)0x18 = 1;
}

/* Sets $rax to 1 if the hit's context is the one that clew_context() returns. */
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
