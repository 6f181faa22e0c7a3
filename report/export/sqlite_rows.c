/* SPDX-License-Identifier: MIT */
/* See sqlite_rows.h. */
#include "report/export/sqlite_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"

static void note(struct rows *rows, int status)
{
	if (status == SQLITE_OK || status == SQLITE_DONE ||
	    rows->status != SQLITE_OK)
		return;
	rows->status = status;
	rows->why = memory_printf("%s", sqlite3_errmsg(rows->db));
}

void rows_execute(struct rows *rows, const char *sql)
{
	if (rows->status == SQLITE_OK)
		note(rows, sqlite3_exec(rows->db, sql, NULL, NULL, NULL));
}

void rows_begin(struct rows *rows, const char *table, int columns)
{
	char marks[] = "?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?";
	char *sql;

	marks[2 * columns - 1] = '\0';
	sql = memory_printf("INSERT INTO %s VALUES (%s)", table, marks);
	if (rows->status == SQLITE_OK)
		note(rows, sqlite3_prepare_v2(rows->db, sql, -1, &rows->insert,
					      NULL));
	free(sql);
	rows->column = 0;
}

void rows_end(struct rows *rows)
{
	sqlite3_finalize(rows->insert); /* sqlite3_finalize() accepts NULL */
	rows->insert = NULL;
}

void rows_number(struct rows *rows, uint64_t number)
{
	if (rows->status == SQLITE_OK)
		note(rows,
		     sqlite3_bind_int64(rows->insert, ++rows->column,
					number < INT64_MAX ? (int64_t)number
							   : INT64_MAX));
}

void rows_real(struct rows *rows, double number)
{
	if (rows->status == SQLITE_OK)
		note(rows,
		     sqlite3_bind_double(rows->insert, ++rows->column, number));
}

void rows_text(struct rows *rows, const char *text)
{
	char *copy;

	if (!text) {
		rows_null(rows);
		return;
	}
	if (rows->status != SQLITE_OK)
		return;
	copy = text_printable(memory_string(text, strlen(text)));
	note(rows,
	     sqlite3_bind_text(rows->insert, ++rows->column, copy, -1, free));
}

void rows_null(struct rows *rows)
{
	rows->column++;
}

void rows_next(struct rows *rows)
{
	if (rows->status != SQLITE_OK)
		return;
	note(rows, sqlite3_step(rows->insert));
	note(rows, sqlite3_reset(rows->insert));
	sqlite3_clear_bindings(rows->insert);
	rows->column = 0;
}
