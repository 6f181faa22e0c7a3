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
	/*
	 * Maximum number of rows that a drawn jump spans. A jump for which no
	 * lane is free is not drawn either.
	 */
	ARROW_ROWS_MAX = 500,
};

enum arrow_cell {
	CELL_EMPTY,
	CELL_LINE,   /* a line that passes the row */
	CELL_TOP,    /* the first row of a line */
	CELL_MIDDLE, /* a row between: another jump, or the destination */
	CELL_BOTTOM, /* the last row of a line */
	CELL_DASH,   /* a dash that leads to a line further out */
	CELL_CROSS,  /* a dash over a line */
};

struct arrow_row {
	/* elements of enum arrow_cell, the innermost first */
	uint8_t cells[ARROW_LANES];
	uint8_t is_destination;
};

struct jump_arrows {
	struct arrow_row *rows; /* an array with a row for each instruction */
	unsigned int lanes;     /* number of lanes that are used */
};

void jump_arrows_init(struct jump_arrows *arrows,
		      const struct instructions *instructions);
void jump_arrows_fini(struct jump_arrows *arrows);

#endif
