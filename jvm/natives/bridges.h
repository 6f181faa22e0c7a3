/* SPDX-License-Identifier: MIT */
/*
 * Creates bridges: a piece of code for each native method, which Java calls
 * instead of the method, and which counts the call below its Java callers
 * (bridge.h).
 */
#ifndef CLEW_JVM_NATIVES_BRIDGES_H
#define CLEW_JVM_NATIVES_BRIDGES_H

struct bridge;

/*
 * Creates a bridge to a native's code. `method` is the JVM's identifier. The
 * signature is not known yet, so each call copies as many stack words as there
 * may be arguments. Returns NULL if memory is short. Any thread may call this,
 * but no signal handler.
 */
struct bridge *bridges_make_early(void *native, const void *method);

/* Returns the entry of the bridge's code, which the JVM has to call. */
void *bridges_entry(const struct bridge *bridge);

/*
 * Sets the number of arguments on the stack by the method's signature. Returns
 * 0 if the signature is invalid.
 */
int bridges_tell(struct bridge *bridge, const char *signature);

/*
 * Creates a bridge with a known signature. Returns NULL if memory is short or
 * the signature is invalid.
 */
struct bridge *bridges_make(void *native, const void *method,
			    const char *signature);

/* Returns the bridge with that entry, or NULL. */
struct bridge *bridges_find(const void *entry);

/*
 * From now on bridges do not determine callers if the innermost function in the
 * context is a Java method.
 */
void bridges_yield(void);

/*
 * bridges_close() makes all bridges call natives directly, without counting
 * below their callers; bridges_open() undoes that.
 */
void bridges_close(void);
void bridges_open(void);

#endif
