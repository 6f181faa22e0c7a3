/* SPDX-License-Identifier: MIT */
/* Making bridges. */
#ifndef CLEW_JVM_BRIDGES_H
#define CLEW_JVM_BRIDGES_H

/*
 * A bridge to a native's code at `target`; `method` is the machine's name of the
 * method, of whose signature it follows how many arguments are on the stack. NULL: there is no memory, or
 * the signature is none. Any thread, not in signal handlers.
 */
void *bridges_make(void *target, const void *method, const char *signature);

#endif
