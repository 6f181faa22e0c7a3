/* SPDX-License-Identifier: MIT */
/*
 * The exit status of the process that `clew cache warm` executes: the sum of
 * WIRE_WARMED and of bits about the caches of the warmed program. All other
 * statuses mean failure; clew's own main() never returns a status of this
 * range.
 */
#ifndef CLEW_WIRE_WARMED_H
#define CLEW_WIRE_WARMED_H

enum wire_warmed {
	WIRE_WARMED_STUBS = 1, /* the program's prelinked stubs are cached */
	WIRE_WARMED_TEXT = 2,  /* its code with hooks is cached */
	/*
	 * Nothing was written: the program has no functions to hook, or another
	 * user can change its file.
	 */
	WIRE_WARMED_NOTHING = 4,
	/* Another process is writing the stubs of the program at this time. */
	WIRE_WARMED_BUSY = 8,
	WIRE_WARMED_ALL = 15,
	WIRE_WARMED = 96, /* with the bits added, 96 to 111 */
};

#endif
