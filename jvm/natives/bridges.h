/* SPDX-License-Identifier: MIT */
/*
 * Making bridges: the piece of code, one for each native method, that Java calls
 * instead of it, and that counts the call below its Java callers (bridge.h).
 */
#ifndef CLEW_JVM_NATIVES_BRIDGES_H
#define CLEW_JVM_NATIVES_BRIDGES_H

struct bridge;

/*
 * A bridge to a native's code; `method` is the machine's name of the method, whose
 * signature is not known yet, so that every call copies as many words of the stack
 * as there may be arguments. NULL: there is no memory. Any thread, not in signal handlers.
 */
struct bridge *bridges_make_early(void *native, const void *method);

/* Where it is entered: what the machine is told. */
void *bridges_entry(const struct bridge *bridge);

/*
 * The method's signature, of which it follows how many arguments are on the stack.
 * False if that is none.
 */
int bridges_tell(struct bridge *bridge, const char *signature);

/* A bridge of which all is known. NULL: there is no memory, or that is no signature. */
struct bridge *bridges_make(void *native, const void *method,
			    const char *signature);

/* The bridge that is entered there; NULL: none is. */
struct bridge *bridges_find(const void *entry);

/* From now on none asks who calls where the innermost in the context is in Java. */
void bridges_yield(void);

/* No call is counted by its callers any more; each goes to the native itself. */
void bridges_close(void);
void bridges_open(void);

#endif
