/* SPDX-License-Identifier: MIT */
/* See probe_records.h. */
#include "preload/probe/probe_records.h"

#include <stdatomic.h>

#include "wire/user_probe.h"

uint32_t probe_field_bytes(const struct expression_field *field)
{
	return field->format == WIRE_FIELD_STRING
		       ? 8 + ((field->string_bytes + 7U) & ~7U)
		       : 8;
}

static uint32_t padded(uint64_t bytes)
{
	return (uint32_t)((bytes + 7) & ~UINT64_C(7));
}

static void copy_text(void *to, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((char *)to)[i] = text[i];
}

static uint32_t text_bytes_of(const struct probe_field *field)
{
	return (uint32_t)(field->field.end - field->field.start);
}

/*
 * Writes the fields of a probe to `at`, unless that is NULL. Returns their size
 * in bytes.
 */
static uint64_t write_fields(unsigned char *at, const struct asked_probe *probe)
{
	uint64_t bytes = 0;
	uint32_t offset = sizeof(struct wire_probe_event);
	uint8_t index = 0;

	for (const struct probe_field *f = probe->action.fields; f;
	     f = f->next) {
		const uint32_t text = text_bytes_of(f);
		const uint32_t size =
			sizeof(struct wire_probe_field) + padded(text);

		if (at) {
			struct wire_probe_field *record = (void *)(at + bytes);

			*record = (struct wire_probe_field){
				.bytes = size,
				.text_bytes = text,
				.probe = (uint16_t)probe->number,
				.index = index++,
				.format = (uint8_t)f->field.format,
				.offset = (uint16_t)offset,
				.string_bytes =
					f->field.format == WIRE_FIELD_STRING
						? f->field.string_bytes
						: 0,
			};
			copy_text(record + 1, f->text + f->field.start, text);
		}
		bytes += size;
		offset += probe_field_bytes(&f->field);
	}
	return bytes;
}

/*
 * Writes the lines of a probe's actions to `at`, unless that is NULL. Returns
 * their size in bytes.
 */
static uint64_t write_lines(unsigned char *at, const struct asked_probe *probe)
{
	uint64_t bytes = 0;

	for (const struct probe_line *l = probe->lines; l; l = l->next) {
		uint32_t text = 0, size;

		while (l->text[text] && l->text[text] != PROBE_ACTION_MARK)
			text++;
		size = sizeof(struct wire_probe) + padded(text);
		if (at) {
			struct wire_probe *record = (void *)(at + bytes);

			record->bytes = size;
			record->text_bytes = text;
			record->number = probe->number;
			copy_text(record + 1, l->text, text);
		}
		bytes += size;
	}
	return bytes;
}

typedef uint64_t (*probe_writer)(unsigned char *at,
				 const struct asked_probe *probe);

static int record(struct part *part, enum wire_chunk_kind kind,
		  const struct asked_probe *probe, probe_writer write)
{
	const uint64_t bytes = write(NULL, probe);
	struct chunk chunk;
	int err;

	if (!bytes)
		return 0;
	err = part_alloc(part, kind, 0, bytes, &chunk);
	if (err)
		return err;
	write(chunk_payload(&chunk), probe);
	atomic_store_explicit(&chunk.head->used, bytes, memory_order_release);
	return 0;
}

int probe_records_add(struct part *part, const struct asked_probe *probe)
{
	const int err = record(part, WIRE_PROBE_ACTIONS, probe, write_lines);

	return err ? err : record(part, WIRE_PROBE_FIELDS, probe, write_fields);
}
