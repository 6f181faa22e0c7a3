/* SPDX-License-Identifier: MIT */
/*
 * The columns of a thread's samples or markers.
 *
 * The format has an array for each column, while a trace yields rows. Each
 * column is therefore stored in a temporary file without a name, and copied
 * into the profile when the thread is complete. A trace may have any length.
 */
#ifndef CLEW_EXPORT_FIREFOX_COLUMNS_H
#define CLEW_EXPORT_FIREFOX_COLUMNS_H

#include "report/write/json.h"

struct firefox_column {
	const char *name;
	FILE *file;
};

enum { FIREFOX_COLUMNS_MAX = 8 };

/* The caller sets all members to 0 before use. */
struct firefox_columns {
	struct firefox_column items[FIREFOX_COLUMNS_MAX];
	size_t count;  /* number of columns */
	uint64_t rows; /* number of rows so far */
	int err;       /* -errno of the first error */
};

/* Begins a table. The names end with NULL and must exist until the end. */
void firefox_columns_begin(struct firefox_columns *columns,
			   const char *const *names);

/* Add a row's value to a column; firefox_columns_next() ends the row. */
void firefox_put_number(struct firefox_columns *columns, size_t column,
			uint64_t value);
void firefox_put_null(struct firefox_columns *columns, size_t column);
/* Writes nanoseconds as milliseconds. */
void firefox_put_ms(struct firefox_columns *columns, size_t column,
		    uint64_t ns);
void firefox_put_json(struct firefox_columns *columns, size_t column,
		      json_t *value);
void firefox_columns_next(struct firefox_columns *columns);

/*
 * Writes the columns and "length" as members of an object, and begins an empty
 * table with the same columns.
 */
void firefox_columns_flush(struct firefox_columns *columns,
			   struct json_stream *object);

void firefox_columns_fini(struct firefox_columns *columns);

#endif
