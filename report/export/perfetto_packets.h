/* SPDX-License-Identifier: MIT */
/*
 * Packets of a trace in Perfetto's format (perfetto.proto).
 *
 * Packets are written one by one, as one sequence. A name is in the first
 * packet that needs it, with a number that replaces it in later packets. A
 * track is described before its first event.
 */
#ifndef CLEW_EXPORT_PERFETTO_PACKETS_H
#define CLEW_EXPORT_PERFETTO_PACKETS_H

#include <report/perfetto.pb-c.h>

#include "base/idmap.h"
#include "base/strings.h"
#include "report/export/export.h"

/* Values of Perfetto's specification. */
enum perfetto_type {
	PERFETTO_BEGIN = 1,
	PERFETTO_END = 2,
	PERFETTO_INSTANT = 3,
};

struct perfetto {
	struct export *export;
	struct catalog *catalog;
	FILE *out;
	/* maps the number of a name that was written to 1 */
	struct idmap named;
	/* maps the uuid of a track that was described to 1 */
	struct idmap tracks;
	struct strings names; /* names other than those of functions */
	uint8_t *packed;      /* buffer for one packet with its header */
	size_t packed_capacity;
	int is_begun;
};

void perfetto_init(struct perfetto *perfetto, struct export *export, FILE *out);
void perfetto_fini(struct perfetto *perfetto);

void perfetto_write(struct perfetto *perfetto, Perfetto__TracePacket *packet);

/*
 * Returns the track of a thread and describes it on first use. `name` may be
 * "".
 */
uint64_t perfetto_thread(struct perfetto *perfetto, uint32_t pid, uint32_t tid,
			 const char *name);

/* Returns a track below another one, identified by `key`, not 0. */
uint64_t perfetto_track(struct perfetto *perfetto, uint64_t parent,
			uint64_t key, const char *name);

/*
 * Return the number of a function's name, which is even, or of another name,
 * which is odd.
 */
static inline uint64_t perfetto_function(uint32_t function)
{
	return 2 * ((uint64_t)function + 1);
}
uint64_t perfetto_name(struct perfetto *perfetto, const char *name);

struct perfetto_event {
	uint64_t time_ns; /* CLOCK_REALTIME */
	uint64_t track;
	uint64_t name; /* 0 for PERFETTO_END */
	enum perfetto_type type;
	Perfetto__DebugAnnotation **notes;
	size_t note_count;
};

void perfetto_event(struct perfetto *perfetto,
		    const struct perfetto_event *event);

#endif
