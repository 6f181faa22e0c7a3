/* SPDX-License-Identifier: MIT */
#include "report/view/session.h"

#include <errno.h>

#include "base/fail.h"
#include "report/view/inlines.h"

int session_open(struct session *session, const char *path,
		 const struct whose *whose, char **why)
{
	struct merged merged;
	int err = recording_open(&session->recording, path, why);

	if (err)
		return err;
	catalog_init(&session->catalog);
	session->catalog.progress = whose->progress;
	session->shows_lines = session->has_color = session->is_quiet = 0;
	tree_init(&session->tree);
	session->timeline = (struct timeline){ 0 };
	merge_recording(&session->recording, whose, &session->catalog,
			&session->tree, &session->timeline, &merged);
	session->jni = merged.jni;
	if (merged.processes == 0 && (whose->pid || whose->thread)) {
		session_close(session);
		return fail(why, -ESRCH, "%s: no such process or thread", path);
	}
	summary_init(&session->summary, &session->recording, &session->catalog,
		     &session->tree, &merged);
	session->summary.shows_clew = whose->with_clew;
	session->metric =
		session->summary.time_ns > 0 ? METRIC_TIME : METRIC_CALLS;
	return 0;
}

void session_inline(struct session *session)
{
	struct tree inlined;

	tree_inline(&session->tree, &session->catalog, &inlined);
	tree_fini(&session->tree);
	session->tree = inlined;
}

void session_close(struct session *session)
{
	recording_close(&session->recording);
	catalog_fini(&session->catalog);
	tree_fini(&session->tree);
	timeline_fini(&session->timeline);
	jni_usage_fini(&session->jni);
}
