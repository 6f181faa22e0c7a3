/* SPDX-License-Identifier: MIT */
/*
 * Code that asks the kernel itself, by a syscall instruction, to make memory
 * executable, or may do so. Who asks through libc is found out when it does
 * (preload/front/generators.h).
 */
#ifndef CLEW_IMAGE_MAPPERS_H
#define CLEW_IMAGE_MAPPERS_H

#include <stdint.h>

#include "disasm/decode.h"

struct mapper_watch {
	int is_known;    /* eax holds */
	uint32_t number; /* ... this */
	int maps; /* a system call that maps memory, or any one, was seen */
};

/* The next instruction of some code, in order. */
void mapper_watch_insn(struct mapper_watch *watch, const uint8_t *code,
		       const struct insn *insn);

/* What comes next is not run into. */
void mapper_watch_turn(struct mapper_watch *watch);

#endif
