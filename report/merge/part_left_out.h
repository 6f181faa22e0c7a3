/* SPDX-License-Identifier: MIT */
/*
 * Reads which functions one process has not counted for some time, to keep a
 * budget.
 */
#ifndef CLEW_MERGE_PART_LEFT_OUT_H
#define CLEW_MERGE_PART_LEFT_OUT_H

#include "report/merge/numbering.h"
#include "report/model/function_catalog.h"
#include "report/recording/part_reader.h"

/*
 * Adds these functions of a part, with their times and estimated calls, to the
 * catalog.
 */
void part_left_out_add(const struct part_copy *part, struct catalog *catalog,
		       const struct numbering *numbering);

#endif
