/* SPDX-License-Identifier: MIT */
/*
 * The snapshots beside the parts of a recording (PID.SEQ.snapshotN), with the
 * calls that caused them. The marks of the recording describe these calls
 * (wire/mark_records.h).
 */
#ifndef CLEW_VIEW_SNAPSHOT_LIST_H
#define CLEW_VIEW_SNAPSHOT_LIST_H

#include "report/view/session.h"

struct listed_snapshot {
	/* name of the snapshot's folder in the recording's folder */
	char *folder;
	uint32_t number;
	uint32_t pid;
	uint32_t tid; /* 0 if there is no mark, so that the call is unknown */
	/* index in the catalog, or FUNCTION_NONE if it is unknown */
	uint32_t function;
	uint64_t time_ns; /* CLOCK_REALTIME; 0 if there is no mark */
	/*
	 * duration of the call until the snapshot; 0 if the probe measured none
	 */
	uint64_t call_ns;
	/* whether a call of the function caused the snapshot */
	int is_of_call;
	int has_trace;
};

struct snapshot_list {
	struct listed_snapshot
		*items; /* the slowest call first, then by time */
	size_t count, capacity;
	/* number of snapshots that those of slower calls have replaced */
	uint64_t removed;
	/*
	 * Text of the place of the only probe that makes snapshots, without
	 * "%return"; NULL if several probes do. Names a call whose function is
	 * unknown: a ring may have no packet with its context any more.
	 */
	char *place;
};

/*
 * Lists the snapshots of a session, which must stay open. `path` is the
 * recording's folder.
 */
void snapshot_list_init(struct snapshot_list *list,
			const struct session *session, const char *path);
void snapshot_list_fini(struct snapshot_list *list);

/*
 * Returns the name of the function whose call caused the snapshot, or NULL if
 * no call did or the function is unknown. The caller frees the text.
 */
char *snapshot_call_name(const struct snapshot_list *list,
			 const struct listed_snapshot *one,
			 struct session *session);

/*
 * Returns the function and the duration of a snapshot's call: "handle, 413 ms",
 * "handle", or "" if no call caused it or the function is unknown. The caller
 * frees the text.
 */
char *snapshot_call_text(const struct snapshot_list *list,
			 const struct listed_snapshot *one,
			 struct session *session);

/*
 * Returns the command that shows the first snapshot, "clew trace --slowest
 * handle DIR/1.0.snapshot2" for example. `path` is the recording's folder as
 * the user names it. The list must not be empty. The caller frees the text.
 */
char *snapshot_list_command(const struct snapshot_list *list,
			    struct session *session, const char *path);

#endif
