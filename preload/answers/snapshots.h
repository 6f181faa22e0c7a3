/* SPDX-License-Identifier: MIT */
/*
 * Recordings of what the process has done so far, made by itself while it goes on.
 * Between any two instructions of the program's, by any thread, and in handlers.
 */
#ifndef CLEW_ANSWERS_SNAPSHOTS_H
#define CLEW_ANSWERS_SNAPSHOTS_H

/*
 * In a new directory. 0, or -errno: -ENODEV the process is not recorded, -EPERM its
 * system calls are filtered; of others there may be a part of it.
 */
int snapshot_write(const char *path);

/*
 * The next one of the process's own, PID.SEQ.snapshotN beside its part, N being the first
 * that is free. A mark tells of it, or of why there is none: "snapshot failed", an errno.
 */
void snapshot_take(void);

#endif
