/* SPDX-License-Identifier: MIT */
/*
 * Orders of `clew` to libclew-deputy.so, which a JVM has loaded because of its
 * attach socket (cli/deputy/deputy.h). Both sides belong to one user, and each
 * checks this by the credentials of the socket.
 *
 * The option of the library is the name of an abstract socket, without the zero
 * in front. The library connects to that socket, and receives one order: a
 * struct deputy_order, then `bytes` bytes of strings. It answers with a struct
 * deputy_answer.
 *
 *	DEPUTY_RUN	The library starts a program. The message with the order
 *		has DEPUTY_FILES descriptors (SCM_RIGHTS), and the strings are
 *		the program's path, its arguments and its environment. The
 *		program waits until it can read a byte from the descriptor
 *		DEPUTY_CHANNEL, the library's end of the socket.
 *		The program starts with all signals blocked.
 *	DEPUTY_END	The program has closed that descriptor: process `pid`
 *		may no longer trace the JVM. If the JVM has become its parent,
 *		as process 1 does, the library waits for its exit, so that no
 *		zombie remains.
 */
#ifndef CLEW_WIRE_DEPUTY_ORDER_H
#define CLEW_WIRE_DEPUTY_ORDER_H

#include <stdint.h>

#define DEPUTY_LIBRARY "libclew-deputy.so"

/* Changes whenever the messages change. */
#define DEPUTY_VERSION 1

/*
 * Set in the environment of a program that the library has started. The value
 * is the set of signals that the program is to ignore, in hexadecimal: bit N -
 * 1 for signal N.
 */
#define DEPUTY_VARIABLE "CLEW_DEPUTY"

/* stdin, stdout, stderr, and the working directory. */
#define DEPUTY_FILES   4
#define DEPUTY_CHANNEL 3

/* Limits of an order: those of execve() for all strings together are lower. */
#define DEPUTY_BYTES_MAX   (4 << 20)
#define DEPUTY_STRINGS_MAX 65536

enum { DEPUTY_RUN = 1, DEPUTY_END = 2 };

struct deputy_order {
	uint32_t version;
	uint32_t action;
	int32_t pid; /* DEPUTY_END */
	/* DEPUTY_RUN */
	uint32_t arguments; /* how many, with the name of the program */
	uint32_t variables;
	uint32_t bytes;
	uint32_t umask;
};

struct deputy_answer {
	/* DEPUTY_RUN: 0 or the errno of the failed call */
	int32_t error;
	int32_t pid; /* DEPUTY_RUN: the program's process */
};

#endif
