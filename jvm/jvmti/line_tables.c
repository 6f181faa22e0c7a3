/* SPDX-License-Identifier: MIT */
/* See line_tables.h. */
#include "jvm/jvmti/line_tables.h"

#include <string.h>

#include "preload/hot/runtime.h"
#include "preload/record/recorder.h"
#include "preload/sys/sys.h"

#define SMALL_LINES 512 /* enough for most methods */

/* The JVM's data about one method, in memory that the JVM has allocated. */
struct written {
	char *file; /* name of the source file, without a folder */
	jvmtiLineNumberEntry *lines;
	jint count;
};

void line_tables_begin(jvmtiEnv *jvmti)
{
	const jvmtiCapabilities lines = { .can_get_line_numbers = 1 };
	const jvmtiCapabilities files = { .can_get_source_file_name = 1 };

	(*jvmti)->AddCapabilities(jvmti, &lines);
	(*jvmti)->AddCapabilities(jvmti, &files);
}

/*
 * Returns the length of the package's folder: "com/acme/" of "Lcom/acme/Foo;".
 */
static size_t folder_bytes(const char *class_name)
{
	const char *slash = strrchr(class_name, '/');

	return *class_name == 'L' && slash ? (size_t)(slash - class_name) : 0;
}

/*
 * Converts the JVM's lines, omits an entry if the entry before has the same
 * line, and returns the number of entries.
 */
static size_t put_lines(const struct written *written, struct wire_line *to)
{
	size_t count = 0;

	for (jint i = 0; i < written->count; i++) {
		const jvmtiLineNumberEntry *entry = &written->lines[i];
		const struct wire_line line = {
			.bytecode = (uint16_t)entry->start_location,
			.line = (uint16_t)entry->line_number,
		};

		if (count && to[count - 1].line == line.line &&
		    to[count - 1].bytecode < line.bytecode)
			continue;
		to[count++] = line;
	}
	return count;
}

static void record_lines(const struct written *written, const char *class_name,
			 uint32_t number, struct wire_line *lines)
{
	const struct name_text path[] = {
		{ class_name + 1, folder_bytes(class_name) },
		{ written->file, strlen(written->file) },
	};

	function_names_add_source(&rt.recorder->names, &rt.recorder->part,
				  number, path, lines,
				  put_lines(written, lines));
}

/* Records a method's table, unless it exceeds the maximum size of a record. */
static void record_in_room(const struct written *written,
			   const char *class_name, uint32_t number)
{
	const size_t bytes = (size_t)written->count * sizeof(struct wire_line);
	struct wire_line small[SMALL_LINES], *large;

	if (bytes <= sizeof(small)) {
		record_lines(written, class_name, number, small);
		return;
	}
	if (bytes > WIRE_SOURCE_BYTES_MAX)
		return;
	large = sys_map_private(WIRE_SOURCE_BYTES_MAX);
	if (sys_failed(large))
		return;
	record_lines(written, class_name, number, large);
	sys_munmap(large, WIRE_SOURCE_BYTES_MAX);
}

static uint16_t first_line(const struct written *written)
{
	const jvmtiLineNumberEntry *first = NULL;

	for (jint i = 0; i < written->count; i++)
		if (!first ||
		    written->lines[i].start_location < first->start_location)
			first = &written->lines[i];
	return first ? (uint16_t)first->line_number : 0;
}

uint16_t line_tables_beginning(jvmtiEnv *jvmti, jmethodID method, jclass class,
			       char **file)
{
	struct written written = { 0 };
	uint16_t line = 0;

	*file = NULL;
	if (!(*jvmti)->GetLineNumberTable(jvmti, method, &written.count,
					  &written.lines) &&
	    !(*jvmti)->GetSourceFileName(jvmti, class, &written.file))
		line = first_line(&written);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)written.lines);
	if (line)
		*file = written.file;
	else
		(*jvmti)->Deallocate(jvmti, (unsigned char *)written.file);
	return line;
}

void line_tables_record(jvmtiEnv *jvmti, jmethodID method, jclass class,
			const char *class_name, uint32_t number)
{
	struct written written = { 0 };

	if (!(*jvmti)->GetSourceFileName(jvmti, class, &written.file) &&
	    !(*jvmti)->GetLineNumberTable(jvmti, method, &written.count,
					  &written.lines))
		record_in_room(&written, class_name, number);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)written.file);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)written.lines);
}
