/* SPDX-License-Identifier: MIT */
/* Declarations that maps_own_file.c and its library share. */
#ifndef CLEW_TESTS_MAPS_OWN_FILE_H
#define CLEW_TESTS_MAPS_OWN_FILE_H

/* Adds the numbers up to `last` to a total. Returns the total. */
unsigned long library_add(unsigned long last);

#endif
