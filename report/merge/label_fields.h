/* SPDX-License-Identifier: MIT */
/*
 * The values of probes that are the labels of calls: calls with different
 * values are counted separately.
 */
#ifndef CLEW_MERGE_LABEL_FIELDS_H
#define CLEW_MERGE_LABEL_FIELDS_H

#include "report/model/call_labels.h"
#include "report/recording/part_reader.h"
#include "wire/user_probe.h"

struct label_fields {
	/*
	 * Names of the values by number of the probe and index of the value,
	 * safe to print; NULL: not selected.
	 */
	char *names[WIRE_PROBES_MAX][WIRE_PROBE_FIELDS_MAX];
	uint8_t formats[WIRE_PROBES_MAX][WIRE_PROBE_FIELDS_MAX];
	uint16_t string_bytes[WIRE_PROBES_MAX][WIRE_PROBE_FIELDS_MAX];
	size_t count; /* number of selected values */
};

void label_fields_init(struct label_fields *fields,
		       const struct label_wish *wish,
		       const struct part_copy *part);
void label_fields_fini(struct label_fields *fields);

#endif
