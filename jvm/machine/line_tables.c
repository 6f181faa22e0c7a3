/* SPDX-License-Identifier: MIT */
/* See line_tables.h. */
#include "jvm/machine/line_tables.h"

#include <string.h>

#include "preload/hot/runtime.h"
#include "preload/record/recorder.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/sys.h"

#define SMALL_BYTES 2048 /* enough for most methods */

/* The JVM's data about one method, in memory that the JVM has allocated. */
struct written {
	char *file; /* without a folder */
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
 * Returns the length of the package's folder: "com/acme" of "Lcom/acme/Foo;".
 */
static size_t folder_bytes(const char *class_name)
{
	const char *slash = strrchr(class_name, '/');

	return *class_name == 'L' && slash ? (size_t)(slash - class_name) : 0;
}

static size_t path_bytes(const char *class_name, const char *file)
{
	const size_t bytes = folder_bytes(class_name) + strlen(file) + 1;

	return (bytes + 3) & ~(size_t)3;
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

static void tell(const struct written *written, const char *class_name,
		 uint32_t number, unsigned char *text)
{
	const size_t folder = folder_bytes(class_name);
	const size_t path = path_bytes(class_name, written->file);
	size_t count;

	for (size_t i = path - 4; i < path; i++)
		text[i] = 0;
	copy_bytes(text, class_name + 1, folder);
	copy_bytes(text + folder, written->file, strlen(written->file));
	count = put_lines(written, (struct wire_line *)(void *)(text + path));
	function_names_tell(&rt.recorder->names, &rt.recorder->part,
			    NAMES_SOURCE, number, text,
			    path + count * sizeof(struct wire_line));
}

/* Records a method's table, unless it exceeds the maximum size of a record. */
static void tell_in_room(const struct written *written, const char *class_name,
			 uint32_t number)
{
	const size_t bytes = path_bytes(class_name, written->file) +
			     (size_t)written->count * sizeof(struct wire_line);
	_Alignas(8) unsigned char small[SMALL_BYTES];
	unsigned char *large;

	if (bytes <= sizeof(small)) {
		tell(written, class_name, number, small);
		return;
	}
	if (bytes > WIRE_SOURCE_BYTES_MAX)
		return;
	large = sys_map_private(WIRE_SOURCE_BYTES_MAX);
	if (sys_failed(large))
		return;
	tell(written, class_name, number, large);
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

void line_tables_tell(jvmtiEnv *jvmti, jmethodID method, jclass class,
		      const char *class_name, uint32_t number)
{
	struct written written = { 0 };

	if (!(*jvmti)->GetSourceFileName(jvmti, class, &written.file) &&
	    !(*jvmti)->GetLineNumberTable(jvmti, method, &written.count,
					  &written.lines))
		tell_in_room(&written, class_name, number);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)written.file);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)written.lines);
}
