/* SPDX-License-Identifier: MIT */
/*
 * The call that caused a snapshot (wire/mark_records.h). It is active at the
 * end of the snapshot's trace.
 */
#ifndef CLEW_TRACE_SNAPSHOT_CALL_H
#define CLEW_TRACE_SNAPSHOT_CALL_H

#include <stdint.h>

#include "report/recording/part_reader.h"

/*
 * Returns the thread whose call caused the snapshot that contains this part; 0
 * if the part is not in a snapshot, or no call caused it. The name of the
 * part's folder is that of the snapshot.
 */
uint32_t snapshot_call_thread(const struct part_copy *part);

#endif
