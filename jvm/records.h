/* SPDX-License-Identifier: MIT */
/*
 * What the machine tells, on its way into the part. Any thread, not in signal
 * handlers. No libc.
 */
#ifndef CLEW_JVM_RECORDS_H
#define CLEW_JVM_RECORDS_H

#include <stdint.h>

/* Class and signature as class files have them. */
struct java_method {
	const char *class;
	const char *name;
	const char *signature;
};

/*
 * A native method's code is at pc from now on (struct wire_binding). What cannot be
 * recorded is counted in the header.
 */
void records_bind(uint64_t pc, const struct java_method *method);

/* One that has no name, for want of memory or by an error of the machine's. */
void records_miss(void);

/*
 * Code that the machine has made (struct wire_code): of a method, or a piece of its
 * own, such as its interpreter; and that it has given up.
 */
void records_compiled(uint64_t start, uint32_t bytes,
		      const struct java_method *method);
void records_generated(uint64_t start, uint32_t bytes, const char *name);
void records_gone(uint64_t start);

#endif
