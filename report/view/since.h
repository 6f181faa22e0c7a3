/* SPDX-License-Identifier: MIT */
/*
 * What a recording contains in addition to an earlier snapshot of the same
 * processes.
 *
 * A process only adds to its part: functions, contexts and counts of a snapshot
 * also exist in each later one. Functions are the same if they begin at the
 * same address of the same module, or have the same name if they have no
 * address.
 */
#ifndef CLEW_VIEW_SINCE_H
#define CLEW_VIEW_SINCE_H

#include "report/view/session.h"

/*
 * Returns whether a process of `earlier` is also in the session's recording.
 * Its pid and its start identify a process.
 */
int session_has_process_of(const struct session *session,
			   const struct session *earlier);

/*
 * Subtracts the measures of `earlier` from the session's tree, in which nodes
 * without calls and time remain. Both trees have been transformed in the same
 * way. The times of single calls and the timeline stay unchanged.
 */
void session_subtract(struct session *session, struct session *earlier);

#endif
