/* SPDX-License-Identifier: MIT */
/*
 * The exit status of the process that `clew cache warm` executes: WIRE_WARMED,
 * with bits for what the caches now contain for the program. No other status
 * means success, and clew's own main() never returns such a status.
 */
#ifndef CLEW_WIRE_WARMED_H
#define CLEW_WIRE_WARMED_H

enum wire_warmed {
	WIRE_WARMED_STUBS = 1,
	WIRE_WARMED_TEXT = 2,
	/*
	 * The program has no functions to hook, or another user can change it.
	 */
	WIRE_WARMED_NOTHING = 4,
	WIRE_WARMED_BUSY = 8, /* another process is building its stubs */
	WIRE_WARMED_ALL = 15,
	WIRE_WARMED = 96, /* the range is 96 to 111 */
};

#endif
