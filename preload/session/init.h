/* SPDX-License-Identifier: MIT */
#ifndef CLEW_SESSION_INIT_H
#define CLEW_SESSION_INIT_H

/* The library's __libc_start_main() calls this once, before libc's function. */
void init_before_main(void);

#endif
