/* SPDX-License-Identifier: MIT */
/*
 * What a symbol's name alone tells about hooking its function.
 */
#ifndef CLEW_IMAGE_SYMBOL_NAMES_H
#define CLEW_IMAGE_SYMBOL_NAMES_H

/* On the list of functions never to hook. */
int name_is_never_hooked(const char *name);

/*
 * A function of other modules that reads its own return address; or that reads
 * also the return address of the function that calls it.
 */
int name_reads_its_return(const char *name);
int name_reads_its_callers_return(const char *name);

/* X.cold or X.cold.N: what a compiler moved out of function X. */
int name_is_cold_part(const char *name);

#endif
