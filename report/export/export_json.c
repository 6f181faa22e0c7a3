/* SPDX-License-Identifier: MIT */
/* JSON: what `clew tree --json` writes, and `clew report --json` sums up. */
#include "report/export/export.h"
#include "report/write/json.h"

int export_json(struct export *export, FILE *out, char **why)
{
	json_tree(out, export->session,
		  &(struct tree_view){ .tree = export->tree });
	return 0;
}
