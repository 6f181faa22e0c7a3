/* SPDX-License-Identifier: MIT */
#ifndef CLEW_PRELOAD_MACHINE_H
#define CLEW_PRELOAD_MACHINE_H

/*
 * Whether the process is run by an emulator of user programs. qemu-user keeps
 * a record of each reserved page: reserving what we reserve takes it minutes
 * and all the memory there is.
 */
int machine_is_emulated(void);

#endif
