/* SPDX-License-Identifier: MIT */
/* The names of the folders of snapshots, PID.SEQ.snapshotN. */
#ifndef CLEW_WIRE_SNAPSHOT_NAME_H
#define CLEW_WIRE_SNAPSHOT_NAME_H

#include "wire/recording.h"

/*
 * Returns the number N of the snapshot with this name. Returns 0 if the name
 * does not end with ".snapshot" and a number of 32 bits.
 */
static inline uint32_t wire_snapshot_number(const char *name)
{
	static const char suffix[] = WIRE_SNAPSHOT_SUFFIX;
	const char *dot = name, *at;
	uint64_t number = 0;

	for (at = name; *at; at++)
		if (*at == '.')
			dot = at;
	for (at = suffix; *at; at++)
		if (*dot++ != *at)
			return 0;
	for (at = dot; *at >= '0' && *at <= '9' && number <= UINT32_MAX; at++)
		number = number * 10 + (uint64_t)(*at - '0');
	return *at || number > UINT32_MAX ? 0 : (uint32_t)number;
}

#endif
