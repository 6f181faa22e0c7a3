/* SPDX-License-Identifier: MIT */
/*
 * Jitdumps that the program writes: jit-PID.dump, in any folder. Who writes one
 * maps a page of it as executable, for perf to learn where it is.
 */
#ifndef CLEW_FRONT_JITDUMPS_H
#define CLEW_FRONT_JITDUMPS_H

/*
 * The program has mapped the file of that path as executable: records the path if it
 * is this process's jitdump. Any thread; errno stays.
 */
void jitdumps_note(const char *path);

#endif
