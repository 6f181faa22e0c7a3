/* SPDX-License-Identifier: MIT */
/* Language runtimes that read return addresses on their own stacks. */
#ifndef CLEW_GENERATED_RUNTIMES_H
#define CLEW_GENERATED_RUNTIMES_H

/*
 * Registers clew's resolver of return addresses with runtimes that support one.
 * Called once, before main; may call hooked functions.
 */
void runtimes_announce(void);

#endif
