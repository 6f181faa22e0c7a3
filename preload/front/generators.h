/* SPDX-License-Identifier: MIT */
/*
 * Modules that generate code at run time.
 *
 * Generated code calls its runtime, and both may look up each other's return
 * addresses: a garbage collector walks the frames of generated code, and an
 * exception finds its handler by the return address into generated code. The
 * stubs of such a module are therefore guarded (hot/stub.S): calls from outside
 * the text of modules keep their return address and are not counted.
 *
 * clew recognizes such a module when it makes memory executable by a function
 * of libc, before any code there can call it.
 *
 *	libruntime.so:	mprotect(code, n, PROT_READ | PROT_EXEC)
 *		-> here: find the caller's module, guard its stubs, and mark
 *		   the windows of [code, code + n) as not only modules' text
 */
#ifndef CLEW_FRONT_GENERATORS_H
#define CLEW_FRONT_GENERATORS_H

/*
 * Notes that the code which contains pc, a return address, makes memory
 * executable. Any thread may call this function at any time, also in signal
 * handlers.
 */
void generators_note(const void *pc);

/*
 * Guards the stubs of all modules that might generate code. Called before a
 * system call filter is installed, after which stubs cannot be changed
 * (filter.h), and if the program had executable memory outside modules before
 * clew attached. May be called in the same contexts as the function above.
 */
void generators_foresee(void);

#endif
