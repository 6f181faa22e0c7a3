/* SPDX-License-Identifier: MIT */
/*
 * Kinds of holes in the templates of in_place.S. The holes are filled in when a
 * stub is written. This file is also included by .S files, so it contains
 * preprocessor definitions only.
 */
#ifndef CLEW_JVM_INPLACE_IN_PLACE_HOLES_H
#define CLEW_JVM_INPLACE_IN_PLACE_HOLES_H

/*
 * 32 bits, to which the offset of struct hot_thread in thread-local memory is
 * added
 */
#define IN_PLACE_TLS 0
/* Distance from the stack pointer to the return address. */
#define IN_PLACE_RISE   1
#define IN_PLACE_SERIAL 2
#define IN_PLACE_NUMBER 3
#define IN_PLACE_KEY    4
#define IN_PLACE_WAYS   5 /* the distance to struct in_place_ways is added */
#define IN_PLACE_GO_ON  6 /* displaced instructions and a jump back */

/* Size of the hole IN_PLACE_GO_ON. */
#define IN_PLACE_GO_ON_BYTES 16

#endif
