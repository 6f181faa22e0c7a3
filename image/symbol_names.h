/* SPDX-License-Identifier: MIT */
/* Decisions about hooking that follow from a symbol's name alone. */
#ifndef CLEW_IMAGE_SYMBOL_NAMES_H
#define CLEW_IMAGE_SYMBOL_NAMES_H

/*
 * Returns whether the list of functions that are never hooked contains this
 * name.
 */
int name_is_never_hooked(const char *name);

/*
 * Return whether this is the name of a function that reads its own return
 * address, or also the return address of the function that calls it.
 */
int name_reads_its_return(const char *name);
int name_reads_its_callers_return(const char *name);

/*
 * Returns whether the name is X.cold or X.cold.N: a part that a compiler moved
 * out of function X.
 */
int name_is_cold_part(const char *name);

#endif
