/* SPDX-License-Identifier: MIT */
/*
 * Writes the samples of a recording, each with its stack, in Perfetto's format.
 */
#ifndef CLEW_EXPORT_PERFETTO_SAMPLES_H
#define CLEW_EXPORT_PERFETTO_SAMPLES_H

#include "report/export/perfetto_packets.h"

void perfetto_samples(struct perfetto *perfetto);

#endif
