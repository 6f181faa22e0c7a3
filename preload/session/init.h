/* SPDX-License-Identifier: MIT */
#ifndef CLEW_SESSION_INIT_H
#define CLEW_SESSION_INIT_H

/*
 * The library's __libc_start_main() (start.S) calls this with its own arguments
 * once, before libc's function. With glibc, the constructors of all libraries
 * have run, so their functions can be called, and the program's own
 * constructors have not. With musl, no constructor has run.
 */
void init_before_main(const void *main, int argc, char **argv);

#endif
