/* SPDX-License-Identifier: MIT */
/* See perfetto_packets.h. */
#include "report/export/perfetto_packets.h"

#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "base/varint.h"

enum {
	SEQUENCE = 1,
	STATE_CLEARED = 1, /* a value of sequence_flags */
	NEEDS_STATE = 2,
	/* the tag of Trace.packet: field 1, wire type bytes */
	PACKET_TAG = 1 << 3 | 2,
	HEAD_BYTES = 1 + VARINT_MOST,
};

void perfetto_init(struct perfetto *perfetto, struct export *export, FILE *out)
{
	*perfetto = (struct perfetto){
		.export = export,
		.catalog = &export->session->catalog,
		.out = out,
	};
}

void perfetto_fini(struct perfetto *perfetto)
{
	idmap_fini(&perfetto->named);
	idmap_fini(&perfetto->tracks);
	strings_fini(&perfetto->names);
	free(perfetto->packed);
	*perfetto = (struct perfetto){ 0 };
}

void perfetto_write(struct perfetto *perfetto, Perfetto__TracePacket *packet)
{
	uint8_t length[VARINT_MOST], *message;
	size_t bytes, length_bytes;

	packet->has_trusted_packet_sequence_id = 1;
	packet->trusted_packet_sequence_id = SEQUENCE;
	packet->has_sequence_flags = 1;
	packet->sequence_flags =
		perfetto->is_begun ? NEEDS_STATE : STATE_CLEARED;
	perfetto->is_begun = 1;
	bytes = perfetto__trace_packet__get_packed_size(packet);
	if (bytes > perfetto->packed_capacity) {
		free(perfetto->packed);
		perfetto->packed_capacity = 2 * bytes;
		perfetto->packed = memory_zeroed(
			HEAD_BYTES + perfetto->packed_capacity, 1);
	}
	message = perfetto->packed + HEAD_BYTES;
	perfetto__trace_packet__pack(packet, message);
	/*
	 * Tag and length go directly before the message, so one write suffices.
	 */
	length_bytes = (size_t)(varint_put(length, bytes) - length);
	message -= length_bytes;
	memcpy(message, length, length_bytes);
	*--message = PACKET_TAG;
	fwrite_unlocked(message, 1, 1 + length_bytes + bytes, perfetto->out);
}

/* ---- Tracks ---- */

/* Returns whether the track was not described before. */
static int is_new_track(struct perfetto *perfetto, uint64_t uuid)
{
	uint64_t *seen = idmap_at(&perfetto->tracks, uuid);
	const int is_new = !*seen;

	*seen = 1;
	return is_new;
}

static void describe(struct perfetto *perfetto,
		     Perfetto__TrackDescriptor *track, uint64_t uuid)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	track->has_uuid = 1;
	track->uuid = uuid;
	packet.track_descriptor = track;
	perfetto_write(perfetto, &packet);
}

/* Ids of processes are below 2^32, those of threads above. */
static uint64_t process_track(struct perfetto *perfetto, uint32_t pid)
{
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__ProcessDescriptor process =
		PERFETTO__PROCESS_DESCRIPTOR__INIT;
	char *command;

	if (!is_new_track(perfetto, pid))
		return pid;
	command = export_command(perfetto->export);
	process.has_pid = 1;
	process.pid = (int32_t)pid;
	process.process_name = command;
	track.process = &process;
	describe(perfetto, &track, pid);
	free(command);
	return pid;
}

uint64_t perfetto_thread(struct perfetto *perfetto, uint32_t pid, uint32_t tid,
			 const char *name)
{
	const uint64_t uuid = ((uint64_t)pid << 32 | tid) & INT64_MAX;
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;

	if (!is_new_track(perfetto, uuid))
		return uuid;
	track.has_parent_uuid = 1;
	track.parent_uuid = process_track(perfetto, pid);
	thread.has_pid = thread.has_tid = 1;
	thread.pid = (int32_t)pid;
	thread.tid = (int32_t)tid;
	thread.thread_name = *name ? (char *)name : NULL;
	track.thread = &thread;
	describe(perfetto, &track, uuid);
	return uuid;
}

uint64_t perfetto_track(struct perfetto *perfetto, uint64_t parent,
			uint64_t key, const char *name)
{
	const uint64_t uuid = key | ~(uint64_t)INT64_MAX;
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;

	if (!is_new_track(perfetto, uuid))
		return uuid;
	track.has_parent_uuid = 1;
	track.parent_uuid = parent;
	track.name = (char *)name;
	describe(perfetto, &track, uuid);
	return uuid;
}

/* ---- Names ---- */

uint64_t perfetto_name(struct perfetto *perfetto, const char *name)
{
	return 2 * (uint64_t)strings_number(&perfetto->names, name) + 1;
}

static const char *text_of(const struct perfetto *perfetto, uint64_t name)
{
	if (name % 2)
		return perfetto->names.items[name / 2];
	return catalog_marked_name(perfetto->catalog, (uint32_t)(name / 2 - 1));
}

/* ---- Events ---- */

void perfetto_event(struct perfetto *perfetto,
		    const struct perfetto_event *event)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__TrackEvent track_event = PERFETTO__TRACK_EVENT__INIT;
	Perfetto__InternedData interned = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__InternedName name = PERFETTO__INTERNED_NAME__INIT;
	Perfetto__InternedName *names[] = { &name };
	uint64_t *is_written;

	packet.has_timestamp = 1;
	packet.timestamp = event->time_ns;
	packet.track_event = &track_event;
	track_event.has_type = track_event.has_track_uuid = 1;
	track_event.type = event->type;
	track_event.track_uuid = event->track;
	track_event.debug_annotations = event->notes;
	track_event.n_debug_annotations = event->note_count;
	if (event->name) {
		track_event.has_name_iid = 1;
		track_event.name_iid = event->name;
		is_written = idmap_at(&perfetto->named, event->name);
		if (!*is_written) {
			*is_written = 1;
			name.has_iid = 1;
			name.iid = event->name;
			name.name = (char *)text_of(perfetto, event->name);
			interned.event_names = names;
			interned.n_event_names = 1;
			packet.interned_data = &interned;
		}
	}
	perfetto_write(perfetto, &packet);
}
