/* SPDX-License-Identifier: MIT */
/* The tables of a database: what creates them, and, once they are filled, their indices. */
#ifndef CLEW_EXPORT_SQLITE_SCHEMA_H
#define CLEW_EXPORT_SQLITE_SCHEMA_H

enum { SQLITE_SCHEMA_VERSION = 1 };

extern const char sqlite_schema[];
extern const char sqlite_indices[];

#endif
