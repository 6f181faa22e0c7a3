/* SPDX-License-Identifier: MIT */
/*
 * Code that makes memory executable by its own syscall instruction, or may do
 * so. Code that calls libc for that is observed at run time
 * (preload/front/generators.h).
 */
#ifndef CLEW_IMAGE_MAPPERS_H
#define CLEW_IMAGE_MAPPERS_H

#include <stdint.h>

#include "disasm/decode.h"

struct mapper_watch {
	int is_known;    /* whether the value of eax is known */
	uint32_t number; /* the value of eax */
	/* A system call that maps memory, or an unknown one, was found. */
	int maps;
};

/* Handles the next instruction, in order. */
void mapper_watch_insn(struct mapper_watch *watch, const uint8_t *code,
		       const struct insn *insn);

/* Notes that the next instruction is not executed after the last one. */
void mapper_watch_turn(struct mapper_watch *watch);

#endif
