/* SPDX-License-Identifier: MIT */
/*
 * Finds clew's wrappers (host/fronts.h) by name, for modules whose symbol order
 * does not lead to them.
 */
#ifndef CLEW_FRONT_FRONTS_FOUND_H
#define CLEW_FRONT_FRONTS_FOUND_H

/*
 * Returns an IFUNC resolver for the front of that name. NULL: there is none, or
 * the program's modules find another function before it.
 */
void *(*fronts_finder(const char *name))(void);

/*
 * Returns whether there are fronts for functions of the library of that name
 * (DT_NEEDED).
 */
int fronts_are_of(const char *library);

#endif
