/* SPDX-License-Identifier: MIT */
/*
 * Writes what runtimes report about generated code to the part. Any thread may
 * call these functions, but only records_made() and records_stamp() in signal
 * handlers. Only the functions about the JVM's code and methods call libc.
 */
#ifndef CLEW_GENERATED_RECORDS_H
#define CLEW_GENERATED_RECORDS_H

#include <stdint.h>

#include "wire/recording.h"

/* Class and signature in the form of class files. */
struct java_method {
	const char *class;
	const char *name;
	const char *signature;
};

/*
 * Records that a native method's code is at pc (struct wire_binding). The
 * method counts as the function with that number or, if that is 0 or
 * WIRE_INTRINSIC, as the function at pc. Failures are counted in the header.
 */
void records_bind(uint64_t pc, uint32_t number,
		  const struct java_method *method);

/*
 * Called when later records will go to another part. No other thread may record
 * meanwhile.
 */
void records_begin_again(void);

/*
 * Counts a native method whose name could not be recorded, because there was no
 * memory or the JVM reported an error.
 */
void records_miss(void);

/*
 * Record that the JVM has generated code (struct wire_code) for a method, or
 * for itself, such as its interpreter, and that code was freed.
 * records_compiled() returns the record's time stamp.
 */
uint64_t records_compiled(uint64_t start, uint32_t bytes,
			  const struct java_method *method);
void records_generated(uint64_t start, uint32_t bytes, const char *name);
void records_unloaded(uint64_t start);

/*
 * Records the inlined methods in a method's code: numbers of methods, followed
 * by bytes.
 */
void records_lines(const struct wire_code_lines *head, const uint32_t *methods,
		   const void *bytes);

/*
 * Record code in an object that a program has registered or unregistered
 * (registered.h). Long names are cut. Return 0 if there was no space.
 */
int records_registered(uint64_t start, uint64_t bytes, const char *name,
		       uint32_t object);
int records_unregistered(uint64_t start, uint32_t object);

/*
 * Records that the symbols of one object, or of all objects of a module, could
 * not be read.
 */
void records_unread(enum wire_unread why);

/*
 * Returns the present time as a stamp, or 1 if no time is measured: the program
 * may have disabled the counter.
 */
uint64_t records_stamp(void);

/*
 * Records that the code at pc (0: unknown) has made [start, end) executable
 * (struct wire_maker). If the memory is mapped from a file, `mapped` describes
 * it; this function sets its time stamp. Returns where to store the time at
 * which the memory is unmapped, or NULL if there is no space.
 */
_Atomic uint64_t *records_made(uint64_t start, uint64_t end, uint64_t pc,
			       const char *name,
			       struct wire_mapped_code *mapped);

#endif
