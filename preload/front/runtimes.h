/* SPDX-License-Identifier: MIT */
/*
 * Language runtimes that read return addresses off their own stacks.
 */
#ifndef CLEW_FRONT_RUNTIMES_H
#define CLEW_FRONT_RUNTIMES_H

/*
 * Tell those that offer a way to be told where return addresses are now.
 * Once, before main; may call hooked functions.
 */
void runtimes_tell(void);

#endif
