/* SPDX-License-Identifier: MIT */
/*
 * How the process that `clew cache warm` has executed answers: its exit status is
 * WIRE_WARMED and what is kept of the program. No other status means success, and clew's
 * own main() never returns such a one.
 */
#ifndef CLEW_WIRE_WARMED_H
#define CLEW_WIRE_WARMED_H

enum wire_warmed {
	WIRE_WARMED_STUBS = 1,
	WIRE_WARMED_TEXT = 2,
	/* it has no functions to be hooked, or another user can change it */
	WIRE_WARMED_NOTHING = 4,
	WIRE_WARMED_BUSY = 8, /* another process is making its stubs */
	WIRE_WARMED_ALL = 15,
	WIRE_WARMED = 96, /* 96 to 111 */
};

#endif
