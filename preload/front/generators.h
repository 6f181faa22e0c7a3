/* SPDX-License-Identifier: MIT */
/*
 * Modules that generate code at run time.
 *
 * What they generate calls them, and the two may well look up each other's
 * return addresses: a garbage collector walks the frames of generated code, an
 * exception finds its handler by where the runtime was called from. So the
 * stubs of such a module are guarded (hot/stub.S), and calls from no
 * module's text keep their return address, uncounted.
 *
 * What tells such a module is what it does: it makes memory executable. That is
 * before any code is there that could call it.
 *
 *	libruntime.so: mprotect(code, n, PROT_READ | PROT_EXEC)
 *	  -> here: the caller's module is looked up, its stubs are guarded,
 *	     the windows of [code, code + n) are no modules' alone any more
 */
#ifndef CLEW_FRONT_GENERATORS_H
#define CLEW_FRONT_GENERATORS_H

/*
 * The code at pc, a return address, makes memory executable. Any thread, at any
 * time, in a signal handler as well.
 */
void generators_note(const void *pc);

/*
 * Nothing can be guarded from now on (filter.h): all are that might come to
 * generate code. Likewise.
 */
void generators_foresee(void);

#endif
