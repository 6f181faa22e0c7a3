/* SPDX-License-Identifier: MIT */
/* See writer.h. */
#include "report/write/writer.h"

#include "report/write/json.h"
#include "report/write/text_writer.h"

const struct report_writer writer_text = {
	.flat = text_flat,
	.tree = text_tree,
	.marks = text_marks,
	.events = text_events,
	.snapshots = text_snapshots,
	.list = text_list,
	.butterfly = text_butterfly,
	.diff = text_diff,
	.annotation = text_annotation,
};

const struct report_writer writer_json = {
	.flat = json_flat,
	.tree = json_tree,
	.marks = json_marks,
	.events = json_events,
	.snapshots = json_snapshots,
	.list = json_list,
	.butterfly = json_butterfly,
	.diff = json_diff,
	.annotation = json_annotation,
};
