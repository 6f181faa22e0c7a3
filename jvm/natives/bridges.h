/* SPDX-License-Identifier: MIT */
/*
 * Creates bridges (bridge.h): pieces of code that Java calls instead of native
 * methods.
 */
#ifndef CLEW_JVM_NATIVES_BRIDGES_H
#define CLEW_JVM_NATIVES_BRIDGES_H

struct bridge;

/*
 * Creates a bridge for the native method with code at `native`. `method` is the
 * JVM's identifier of the method. The signature is not known yet, so each call
 * through the bridge copies as many stack words as a method can have arguments.
 * If clew has attached to a running process, returns an existing bridge for
 * this code and method, if there is one. Returns NULL if memory is short or
 * system calls are filtered. Any thread may call this, but no signal handler.
 */
struct bridge *bridges_make_early(void *native, const void *method);

/* Returns the entry of the bridge's code, which the JVM has to call. */
void *bridges_entry(const struct bridge *bridge);

/*
 * Sets how many words of arguments the bridge copies on the stack, by the
 * method's signature. Returns 1, or 0 if the signature is invalid.
 */
int bridges_set_arguments(struct bridge *bridge, const char *signature);

/*
 * Like bridges_make_early(), for a known signature. Returns NULL also if the
 * signature is invalid.
 */
struct bridge *bridges_make(void *native, const void *method,
			    const char *signature);

/* Returns the bridge whose code contains the address `entry`, or NULL. */
struct bridge *bridges_find(const void *entry);

/*
 * From now on a bridge does not determine the caller if the innermost function
 * of the thread's context is a Java method.
 */
void bridges_yield(void);

/*
 * bridges_close() makes all bridges call their native's code, not its relay,
 * and makes them stop determining callers, for the time while clew is detached.
 * bridges_open() makes them determine callers again.
 */
void bridges_close(void);
void bridges_open(void);

#endif
