/* SPDX-License-Identifier: MIT */
/*
 * Lines that connect jumps with their destinations, beside the instructions of
 * a function. Jumps to one destination share a line. Each line has a lane:
 *
 *	lane 1 0
 *	     +---	jne  20
 *	     | +-	je   18
 *	     | |	add  %rax,%rcx
 *	     | +->	18: ...
 *	     +--->	20: ...
 */
#ifndef CLEW_CODE_JUMP_ARROWS_H
#define CLEW_CODE_JUMP_ARROWS_H

#include "report/code/instructions.h"

enum {
	ARROW_LANES = 8,
	/* A longer jump, and one that finds no lane, is not drawn. */
	ARROW_ROWS_MAX = 500,
};

enum arrow_cell {
	CELL_EMPTY,
	CELL_LINE,   /* passes by */
	CELL_TOP,    /* the line's first row */
	CELL_MIDDLE, /* another jump or the destination */
	CELL_BOTTOM, /* the last row */
	CELL_DASH,   /* of a line further out */
	CELL_CROSS,  /* a dash over a line */
};

struct arrow_row {
	uint8_t cells[ARROW_LANES]; /* enum arrow_cell; [0] is innermost */
	uint8_t is_destination;
};

struct jump_arrows {
	struct arrow_row *rows; /* one for each instruction */
	unsigned int lanes;     /* that are used */
};

void jump_arrows_init(struct jump_arrows *arrows,
		      const struct instructions *instructions);
void jump_arrows_fini(struct jump_arrows *arrows);

#endif
