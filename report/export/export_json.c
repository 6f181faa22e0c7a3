/* SPDX-License-Identifier: MIT */
/*
 * JSON: the output of `clew tree --json`, which also has the sums of `clew
 * report --json`.
 */
#include "report/export/export.h"
#include "report/write/json.h"

int export_json(struct export *export, FILE *out, char **why)
{
	json_tree(out, export->session,
		  &(struct tree_view){ .tree = export->tree });
	return 0;
}
