/* SPDX-License-Identifier: MIT */
#include "tests/unit/exercise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/dump.h"
#include "report/labels.h"
#include "report/rules.h"
#include "report/views.h"
#include "report/writer.h"

static void write_callers(FILE *out, struct session *session)
{
	uint8_t *chosen =
		selection_named(&session->catalog, "(unknown function)");
	struct tree_view view = { .shows_callers = 1 };
	struct tree callers;

	tree_callers(&session->tree, chosen, 16, &callers);
	view.tree = &callers;
	writer_text.tree(out, session, &view);
	tree_fini(&callers);
	free(chosen);
}

static void write_with(const struct writer *writer, FILE *out,
		       struct session *session)
{
	struct tree_view view = { .tree = &session->tree };
	struct list_view list = { .catalog = &session->catalog,
				  .detail = LIST_ALL };
	struct flat flat;
	uint32_t *labels;

	labels = labels_of(&session->tree, &session->catalog, LABEL_MODULE);
	flat_init(&flat, &session->tree, labels,
		  session->catalog.function_count);
	free(labels);
	writer->flat(out, session,
		     &(struct flat_view){ .flat = &flat, .what = "module" });
	flat_fini(&flat);
	writer->tree(out, session, &view);
	writer->list(out, &list);
}

static void write_everything(struct session *session)
{
	FILE *out = fopen("/dev/null", "w");

	write_with(&writer_text, out, session);
	write_with(&writer_json, out, session);
	write_callers(out, session);
	for (size_t i = 0; i < session->recording.part_count; i++)
		dump_part(out, &session->recording.parts[i], 1);
	rules_warn(out, &session->recording, "");
	fclose(out);
}

int64_t exercise_recording(const char *path, int with_writers)
{
	static const struct whose everybody;
	struct session session;
	char *why = NULL;
	int64_t calls;
	int err = session_open(&session, path, &everybody, &why);

	if (err) {
		if (!why || strchr(why, '\n'))
			abort();
		free(why);
		return err;
	}
	if (with_writers)
		write_everything(&session);
	calls = (int64_t)session.summary.calls;
	session_close(&session);
	return calls;
}
