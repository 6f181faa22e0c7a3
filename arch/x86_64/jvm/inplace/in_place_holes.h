/* SPDX-License-Identifier: MIT */
/*
 * Holes in the templates of in_place.S, which are filled in when a stub is
 * written. Included by .S files: preprocessor definitions only.
 */
#ifndef CLEW_JVM_INPLACE_IN_PLACE_HOLES_H
#define CLEW_JVM_INPLACE_IN_PLACE_HOLES_H

#define IN_PLACE_TLS 0 /* 32 bits: add the offset of struct hot_thread */
/* Distance from the stack pointer to the return address. */
#define IN_PLACE_RISE   1
#define IN_PLACE_SERIAL 2
#define IN_PLACE_NUMBER 3
#define IN_PLACE_KEY    4
#define IN_PLACE_WAYS   5 /* add the distance to struct in_place_ways */
#define IN_PLACE_GO_ON                                                         \
	6 /* this many bytes: displaced instructions and a jump back */

#define IN_PLACE_GO_ON_BYTES 16

#endif
