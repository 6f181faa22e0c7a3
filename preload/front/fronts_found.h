/* SPDX-License-Identifier: MIT */
/*
 * Fronts (host/fronts.h) for who does not find them by himself.
 */
#ifndef CLEW_FRONT_FRONTS_FOUND_H
#define CLEW_FRONT_FRONTS_FOUND_H

/*
 * An IFUNC resolver that returns the front of that name. NULL: there is none, or
 * modules of the program's find another function before it.
 */
void *(*fronts_finder(const char *name))(void);

/* Whether fronts stand before functions of the library of that name (DT_NEEDED). */
int fronts_are_of(const char *library);

#endif
