/* SPDX-License-Identifier: MIT */
/*
 * What runtimes tell of the code that they make, on its way into the part. Any
 * thread, not in signal handlers. No libc.
 */
#ifndef CLEW_FRONT_RECORDS_H
#define CLEW_FRONT_RECORDS_H

#include <stdint.h>

#include "wire/recording.h"

/* Class and signature as class files have them. */
struct java_method {
	const char *class;
	const char *name;
	const char *signature;
};

/*
 * A native method's code is at pc from now on (struct wire_binding), and counts as the
 * function with that number, or, if that is 0 or WIRE_INTRINSIC, as the one at pc. What cannot be
 * recorded is counted in the header.
 */
void records_bind(uint64_t pc, uint32_t number,
		  const struct java_method *method);

/* What is recorded from now on goes to another part. Nobody records meanwhile. */
void records_begin_again(void);

/* One that has no name, for want of memory or by an error of the machine's. */
void records_miss(void);

/*
 * Code that the machine has made (struct wire_code): of a method, or a piece of its
 * own, such as its interpreter; and that it has given up. Returns its stamp.
 */
uint64_t records_compiled(uint64_t start, uint32_t bytes,
			  const struct java_method *method);
void records_generated(uint64_t start, uint32_t bytes, const char *name);
void records_gone(uint64_t start);

/* What is where in code of a method: numbers of methods, and bytes behind them. */
void records_lines(const struct wire_code_lines *head, const uint32_t *methods,
		   const void *bytes);

/*
 * Code of an object that a program has registered, or taken back (registered.h).
 * Names are cut where they are too long. Returns whether there was room.
 */
int records_registered(uint64_t start, uint64_t bytes, const char *name,
		       uint32_t object);
int records_unregistered(uint64_t start, uint32_t object);

/* Of one, or of all of a module's, no names are known. */
void records_unread(enum wire_unread why);

/*
 * The time, as a stamp. 1 where no time is taken: the program may have forbidden
 * itself the counter then.
 */
uint64_t records_stamp(void);

/*
 * The code at pc has made [start, end) executable (struct wire_maker); a pc of 0:
 * nobody knows who has. `mapped`, unless it is NULL, says which file that is; its stamp
 * is set here. Where the record says when that is over: the caller's to store; NULL if
 * there is no room.
 */
_Atomic uint64_t *records_made(uint64_t start, uint64_t end, uint64_t pc,
			       const char *name,
			       struct wire_mapped_code *mapped);

#endif
