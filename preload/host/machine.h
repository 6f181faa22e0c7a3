/* SPDX-License-Identifier: MIT */
#ifndef CLEW_HOST_MACHINE_H
#define CLEW_HOST_MACHINE_H

/*
 * Whether the process is run by an emulator of user programs: qemu-user and
 * valgrind keep a record of each reserved page. Reserving what we reserve takes
 * them minutes, if not all the memory there is.
 */
int machine_is_emulated(void);

/*
 * Whether the time stamp counter runs at one rate, always and on all
 * processors, and whether flags can be kept in ah, as timed stubs do.
 */
int machine_has_steady_clock(void);

/*
 * Whether the processor keeps return addresses of the calling thread a second
 * time, and compares: it would see through our shadow.
 */
int machine_has_shadow_stack(void);

#endif
