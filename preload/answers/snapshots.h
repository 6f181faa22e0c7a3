/* SPDX-License-Identifier: MIT */
/*
 * Snapshots: recordings of the process's activity so far, written by the
 * process itself while it continues. These functions may be called between any
 * two instructions of the program, by any thread, and in signal handlers.
 */
#ifndef CLEW_ANSWERS_SNAPSHOTS_H
#define CLEW_ANSWERS_SNAPSHOTS_H

#include <stdint.h>

/*
 * Writes a snapshot to a new folder. Returns 0, or -errno: -ENODEV if the
 * process is not recorded, -EPERM if its system calls are filtered; after other
 * errors the folder may be incomplete.
 */
int snapshot_write(const char *path);

/*
 * Writes the next snapshot beside the process's part, PID.SEQ.snapshotN with
 * the first free N. Records a mark for it when the folder is created, and a
 * mark "snapshot failed" with the errno if the snapshot fails.
 */
void snapshot_take(void);

/*
 * Like snapshot_take(), but because of the thread's innermost call, which has
 * taken `ticks` so far (0 if this is unknown). A second mark records that call.
 */
void snapshot_take_of_call(uint64_t ticks);

/*
 * Like snapshot_take_of_call(), but removes the folder of a snapshot that
 * fails. Returns the snapshot's number, or -errno.
 */
int snapshot_take_whole(uint64_t ticks);

/*
 * Removes the folder of a snapshot that this process has written. The mark
 * "snapshot removed" records its number.
 */
void snapshot_remove(uint32_t number);

#endif
