/* SPDX-License-Identifier: MIT */
#ifndef CLEW_HOST_MACHINE_H
#define CLEW_HOST_MACHINE_H

/*
 * Returns whether an emulator of user programs runs the process: qemu-user and
 * valgrind record each reserved page. Reserving clew's address space would take
 * them minutes, or all memory.
 */
int machine_is_emulated(void);

/*
 * Returns whether the time stamp counter has one rate, always and on all
 * processors, and whether flags can be saved in ah, as timed stubs do.
 */
int machine_has_steady_clock(void);

/*
 * Returns whether the processor stores a second copy of the calling thread's
 * return addresses and compares them: it would detect the moved return
 * addresses.
 */
int machine_has_shadow_stack(void);

#endif
