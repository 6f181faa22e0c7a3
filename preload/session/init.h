/* SPDX-License-Identifier: MIT */
#ifndef CLEW_SESSION_INIT_H
#define CLEW_SESSION_INIT_H

/* Called by our __libc_start_main, once, before libc's. */
void init_before_main(void);

#endif
