/* SPDX-License-Identifier: MIT */
/* Writes an import as the parts of a recording: see import.h. */
#include "report/import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "wire/id.h"

enum { TALLY, FIRST_FUNCTION = 1 };

/* A part that is being written. */
struct import_part {
	const struct import *import;
	const struct import_process *process;
	FILE *out;
	uint64_t at;   /* number of bytes so far */
	uint64_t *ids; /* ids of the contexts */
	/* For each context, whether it or a context below it has numbers. */
	uint8_t *is_used;
	size_t used; /* number of these contexts */

	struct idmap seen;
};

static void put(struct import_part *part, const void *bytes, size_t count)
{
	if (count > 0)
		fwrite(bytes, 1, count, part->out);
	part->at += count;
}

static void put_zeros(struct import_part *part, uint64_t count)
{
	static const char zeros[256];

	for (; count > sizeof(zeros); count -= sizeof(zeros))
		put(part, zeros, sizeof(zeros));
	put(part, zeros, (size_t)count);
}

/* Chunks are multiples of 64 bytes, so that tables are aligned. */
static void begin_chunk(struct import_part *part, enum wire_chunk_kind kind,
			uint64_t payload_bytes)
{
	const struct wire_chunk chunk = {
		.kind = kind,
		.owner = TALLY,
		.bytes = sizeof(chunk) + ((payload_bytes + 63) & ~UINT64_C(63)),
		.used = payload_bytes,
	};

	put(part, &chunk, sizeof(chunk));
}

static void end_chunk(struct import_part *part)
{
	put_zeros(part, -part->at & 63);
}

/* ---- Numbers ---- */

static uint64_t value_of(const struct import_process *process, size_t column,
			 size_t context)
{
	const struct import_column *from = &process->columns[column];

	return context < from->count ? from->items[context] : 0;
}

static int has_value(const struct import_part *part, size_t context)
{
	for (size_t i = 0; i < part->import->column_count; i++)
		if (value_of(part->process, i, context))
			return 1;
	return 0;
}

static void find_used(struct import_part *part)
{
	const struct import_process *process = part->process;

	part->is_used = memory_zeroed(process->count, 1);
	/* Parents precede their children. */
	for (size_t i = process->count - 1; i > 0; i--) {
		part->is_used[i] |=
			process->contexts[i].calls > 0 || has_value(part, i);
		part->used += part->is_used[i];
		part->is_used[process->contexts[i].parent] |= part->is_used[i];
	}
}

/* ---- The source and the process ---- */

static void put_source(struct import_part *part, const char *file)
{
	const struct wire_import record = {
		.format = part->import->format,
		.flags = part->import->flags,
	};
	const size_t bytes = strlen(file);

	begin_chunk(part, WIRE_IMPORT, sizeof(record) + bytes);
	put(part, &record, sizeof(record));
	put(part, file, bytes);
	end_chunk(part);
}

static void put_process(struct import_part *part)
{
	const struct import_process *process = part->process;
	const size_t bytes = strlen(process->name) + 1;
	struct wire_thread thread = { .tid = process->pid, .tally = TALLY };

	begin_chunk(part, WIRE_PROCESS, bytes);
	put(part, process->name, bytes);
	end_chunk(part);
	strncpy(thread.name, process->name, sizeof(thread.name) - 1);
	begin_chunk(part, WIRE_THREADS, sizeof(thread));
	put(part, &thread, sizeof(thread));
	end_chunk(part);
}

/* ---- Functions ---- */

static void put_range(struct import_part *part)
{
	const struct wire_range range = {
		.first = FIRST_FUNCTION,
		.count = (uint32_t)part->import->function_count,
		.kind = WIRE_RANGE_IMPORTED,
	};

	begin_chunk(part, WIRE_RANGES, sizeof(range));
	put(part, &range, sizeof(range));
	end_chunk(part);
}

static void put_name(struct import_part *part, uint32_t function)
{
	const struct import_function *entry =
		&part->import->functions[function];
	const char *module = part->import->strings.items[entry->module];
	const char *name = part->import->strings.items[entry->name];
	const struct wire_imported_name record = {
		.number = FIRST_FUNCTION + function,
		.kind = entry->kind,
		.module_bytes = (uint32_t)strlen(module),
		.name_bytes = (uint32_t)strlen(name),
	};

	put(part, &record, sizeof(record));
	put(part, module, record.module_bytes);
	put(part, name, record.name_bytes);
	put_zeros(part, -part->at & 7);
}

/* Writes the names of the functions that the process has. */
static void put_names(struct import_part *part)
{
	const struct import *import = part->import;
	uint8_t *is_used = memory_zeroed(import->function_count, 1);
	uint64_t bytes = 0;

	for (size_t i = 1; i < part->process->count; i++)
		if (part->is_used[i])
			is_used[part->process->contexts[i].function] = 1;

	for (size_t i = 0; i < import->function_count; i++)
		if (is_used[i])
			bytes += wire_imported_bytes(
				strlen(import->strings.items
					       [import->functions[i].module]),
				strlen(import->strings.items
					       [import->functions[i].name]));
	begin_chunk(part, WIRE_IMPORTED_NAMES, bytes);
	for (uint32_t i = 0; i < import->function_count; i++)
		if (is_used[i])
			put_name(part, i);
	end_chunk(part);
	free(is_used);
}

/* ---- Contexts ---- */

/*
 * Returns 0 if an id is reserved, or if two contexts have the same id, which
 * readers cannot distinguish.
 */
static int make_ids(struct import_part *part)
{
	const struct import_process *process = part->process;

	part->ids = memory_zeroed(process->count, sizeof(*part->ids));
	part->ids[0] = ID_ROOT;
	/* Parents precede their children. */
	for (size_t i = 1; i < process->count; i++) {
		const struct import_context *context = &process->contexts[i];
		const uint64_t id =
			id_push(part->ids[context->parent],
				id_key(FIRST_FUNCTION + context->function));

		part->ids[i] = id;
		if (id == ID_ROOT || id == WIRE_COUNT_CLAIMED ||
		    idmap_find(&part->seen, id) ||
		    idmap_find(&part->seen, wire_tail_id(id)))
			return 0;
		*idmap_at(&part->seen, id) = 1;
	}
	return 1;
}

static unsigned int table_log2(const struct import_part *part)
{
	unsigned int log2 = WIRE_TALLY_TABLE_LOG2;

	while (part->used >> (log2 - 1))
		log2++;
	return log2;
}

/* Writes the tally, whose own count table is not used if there are calls. */
static void put_tally(struct import_part *part)
{
	const uint64_t start = part->at;
	const uint64_t contexts = part->used * sizeof(struct wire_context);
	const uint64_t contexts_bytes =
		sizeof(struct wire_chunk) + ((contexts + 63) & ~UINT64_C(63));
	const uint64_t table = start + WIRE_TALLY_BYTES + contexts_bytes +
			       sizeof(struct wire_chunk);
	const int has_calls = (part->import->flags & WIRE_IMPORT_CALLS) != 0;
	const struct wire_tally tally = {
		.table = has_calls ? wire_table_ref(table, table_log2(part))
				   : wire_table_ref(
					     start + WIRE_TALLY_TABLE_OFFSET,
					     WIRE_TALLY_TABLE_LOG2),
		.contexts = part->used,
	};

	begin_chunk(part, WIRE_TALLY,
		    WIRE_TALLY_BYTES - sizeof(struct wire_chunk));
	put(part, &tally, sizeof(tally));
	put_zeros(part, start + WIRE_TALLY_BYTES - part->at);
}

static void put_contexts(struct import_part *part)
{
	const struct import_process *process = part->process;

	begin_chunk(part, WIRE_CONTEXTS,
		    part->used * sizeof(struct wire_context));
	for (size_t i = 1; i < process->count; i++) {
		const struct wire_context context = {
			.id = part->ids[i],
			.function =
				FIRST_FUNCTION + process->contexts[i].function,
			.depth = process->contexts[i].depth,
		};

		if (part->is_used[i])
			put(part, &context, sizeof(context));
	}
	end_chunk(part);
}

static void put_counts(struct import_part *part)
{
	const struct import_process *process = part->process;
	const size_t size = (size_t)1 << table_log2(part);
	struct wire_count *table = memory_zeroed(size + 1, sizeof(*table));

	for (size_t i = 1; i < process->count; i++) {
		size_t at = (part->ids[i] >> 4) & (size - 1);

		if (!part->is_used[i])
			continue;

		while (table[at].id)
			at = (at + 1) & (size - 1);
		table[at].id = part->ids[i];
		table[at].field = process->contexts[i].calls & WIRE_CALLS;
	}
	begin_chunk(part, WIRE_TABLE, (size + 1) * sizeof(*table));
	put(part, table, (size + 1) * sizeof(*table));
	end_chunk(part);
	free(table);
}

/* ---- Values ---- */

static void put_values(struct import_part *part)
{
	const uint32_t columns = (uint32_t)part->import->column_count;
	struct wire_values head = { .columns = columns };

	for (size_t i = 1; i < part->process->count; i++)
		head.rows += has_value(part, i);
	begin_chunk(part, WIRE_VALUES,
		    wire_value_rows_offset(columns) +
			    head.rows * wire_value_row_bytes(columns));
	put(part, &head, sizeof(head));
	put(part, part->import->columns,
	    columns * sizeof(struct wire_value_kind));
	for (size_t i = 1; i < part->process->count; i++) {
		const struct wire_value_row row = { .id = part->ids[i],
						    .state = WIRE_ROW_CONTEXT };

		if (!has_value(part, i))
			continue;
		put(part, &row, sizeof(row));
		for (size_t j = 0; j < columns; j++) {
			const uint64_t value = value_of(part->process, j, i);

			put(part, &value, sizeof(value));
		}
	}
	end_chunk(part);
}

/* ---- The part ---- */

static void put_header(struct import_part *part, uint64_t end, uint64_t time_ns)
{
	const struct import *import = part->import;
	const uint64_t length_ns = import->last_ns - import->first_ns;
	struct wire_header header = {
		.version = WIRE_VERSION,
		.header_bytes = WIRE_HEADER_BYTES,
		.end = end,
		.state = WIRE_ENDED,
		.origin = WIRE_FROM_IMPORT,
		.pid = part->process->pid,
		.start_ns = time_ns > length_ns ? time_ns - length_ns : 0,
		.end_ns = time_ns,
		.max_contexts = IMPORT_CONTEXTS_MAX,
		.contexts = part->used,
		/* The clock of the file, in nanoseconds. */
		.first = { .tsc = import->first_ns, .ns = import->first_ns },
		.latest = { .tsc = import->last_ns, .ns = import->last_ns },
	};

	memcpy(header.magic, WIRE_MAGIC, sizeof(header.magic));
	rewind(part->out);
	put(part, &header, sizeof(header));
}

static int write_part(struct import_part *part, const char *file,
		      uint64_t time_ns, char **why)
{
	if (!make_ids(part))
		return fail(why, -EEXIST,
			    "%s: two stacks have the same id; clew cannot "
			    "store this file",
			    file);
	find_used(part);
	put_zeros(part, WIRE_HEADER_BYTES);

	put_source(part, file);
	put_process(part);
	put_range(part);
	put_names(part);
	put_tally(part);
	put_contexts(part);
	if (part->import->flags & WIRE_IMPORT_CALLS)
		put_counts(part);
	put_values(part);
	put_header(part, part->at, time_ns);
	return 0;
}

static int save_process(const struct import *import,
			const struct import_process *process,
			const char *directory, const char *file,
			uint64_t time_ns, char **why)
{
	struct import_part part = { .import = import, .process = process };
	char *path = memory_printf("%s/%u.0" WIRE_PART_SUFFIX, directory,
				   process->pid);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int err = 0;

	part.out = fd < 0 ? NULL : fdopen(fd, "w");
	if (part.out) {
		err = write_part(&part, file, time_ns, why);
		errno = EIO;
		if (!err && (fflush(part.out) != 0 || ferror(part.out)))
			err = fail(why, -errno, "%s: %s", path,
				   strerror(errno));
		fclose(part.out);
	} else {
		err = fail(why, -errno, "%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
	}
	free(part.ids);
	free(part.is_used);

	idmap_fini(&part.seen);
	free(path);
	return err;
}

int import_save(const struct import *import, const char *directory,
		const char *file, uint64_t time_ns, char **why)
{
	for (size_t i = 0; i < import->process_count; i++) {
		const struct import_process *process = &import->processes[i];
		const int err =
			process->count == 1
				? 0
				: save_process(import, process, directory, file,
					       time_ns, why);

		if (err)
			return err;
	}
	return 0;
}
