/* SPDX-License-Identifier: MIT */
/* See firefox_columns.h. */
#include "report/export/firefox_columns.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

static void note_error(struct firefox_columns *columns)
{
	if (!columns->err)
		columns->err = errno ? -errno : -EIO;
}

void firefox_columns_begin(struct firefox_columns *columns,
			   const char *const *names)
{
	for (; *names && columns->count < FIREFOX_COLUMNS_MAX; names++) {
		struct firefox_column *column =
			&columns->items[columns->count++];

		column->name = *names;
		column->file = tmpfile();
		if (!column->file)
			note_error(columns);
	}
}

/* Returns the file, behind a separator; NULL: it could not be created. */
static FILE *next_value(struct firefox_columns *columns, size_t column)
{
	FILE *file = columns->items[column].file;

	if (file && columns->rows > 0)
		fputc(',', file);
	return file;
}

void firefox_put_number(struct firefox_columns *columns, size_t column,
			uint64_t value)
{
	FILE *file = next_value(columns, column);

	if (file)
		fprintf(file, "%" PRIu64, value);
}

void firefox_put_null(struct firefox_columns *columns, size_t column)
{
	FILE *file = next_value(columns, column);

	if (file)
		fputs("null", file);
}

void firefox_put_ms(struct firefox_columns *columns, size_t column, uint64_t ns)
{
	FILE *file = next_value(columns, column);

	if (file)
		fprintf(file, "%" PRIu64 ".%06" PRIu64, ns / 1000000,
			ns % 1000000);
}

void firefox_put_json(struct firefox_columns *columns, size_t column,
		      json_t *value)
{
	FILE *file = next_value(columns, column);

	if (file)
		json_dumpf(value, file, JSON_ENCODE_ANY | JSON_COMPACT);
	json_decref(value);
}

void firefox_columns_next(struct firefox_columns *columns)
{
	columns->rows++;
}

/* Copies a column and empties it. */
static void copy_column(struct firefox_columns *columns, FILE *file, FILE *out)
{
	char bytes[1 << 14];
	size_t count;

	rewind(file);
	while ((count = fread(bytes, 1, sizeof(bytes), file)) > 0)
		fwrite(bytes, 1, count, out);
	if (ferror(file))
		note_error(columns);
	rewind(file);
	if (ftruncate(fileno(file), 0) != 0)
		note_error(columns);
}

void firefox_columns_flush(struct firefox_columns *columns,
			   struct json_stream *object)
{
	for (size_t i = 0; i < columns->count; i++) {
		struct firefox_column *column = &columns->items[i];
		struct json_stream array =
			json_begin(object, column->name, "[");

		/* rewind() would discard the error of a failed write. */
		if (column->file &&
		    (fflush(column->file) != 0 || ferror(column->file)))
			note_error(columns);
		if (column->file)
			copy_column(columns, column->file, object->out);
		json_end(&array, "]");
	}
	json_member(object, "length", json_number(columns->rows));
	columns->rows = 0;
}

void firefox_columns_fini(struct firefox_columns *columns)
{
	for (size_t i = 0; i < columns->count; i++)
		if (columns->items[i].file)
			fclose(columns->items[i].file);
}
