/* SPDX-License-Identifier: MIT */
/* See dump_runtimes.h. */
#include "report/dump/dump_runtimes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/dump/dump_string.h"
#include "report/model/java_name.h"
#include "report/model/jni_usage.h"
#include "report/recording/bindings_reader.h"
#include "report/recording/makers_reader.h"
#include "report/recording/names_reader.h"

static void dump_ranges(FILE *out, const struct part_chunk *chunk)
{
	static const char *const names[] = {
		[WIRE_RANGE_MODULE] = "module",
		[WIRE_RANGE_JAVA] = "java",
		[WIRE_RANGE_GENERATED] = "generated",
		[WIRE_RANGE_PROBE] = "probe",
		[WIRE_RANGE_JAVA_STACK] = "java_stack",
		[WIRE_RANGE_JNI] = "jni",
		[WIRE_RANGE_JNI_NAME] = "jni_name",
		[WIRE_RANGE_JAVA_NATIVE] = "java_native",
		[WIRE_RANGE_GENERATED_CALLER] = "generated_caller",
		[WIRE_RANGE_JAVA_LEFT] = "java_left",
		[WIRE_RANGE_IMPORTED] = "imported",
	};
	const struct wire_range *ranges = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->used_bytes / sizeof(*ranges); i++)
		fprintf(out,
			"range first=%" PRIu32 " count=%" PRIu32
			" kind=%" PRIu32 " name=%s\n",
			ranges[i].first, ranges[i].count, ranges[i].kind,
			ranges[i].kind < WIRE_RANGE_KIND_COUNT
				? names[ranges[i].kind]
				: "unknown");
}

static void dump_names(FILE *out, const struct part_chunk *chunk)
{
	struct recorded_name name;
	size_t cursor = 0;

	while (names_next(chunk, &cursor, &name)) {
		fprintf(out, "name number=%" PRIu32, name.number);
		dump_string(out, "text", name.text, name.text_bytes);
	}
}

static void dump_texts(FILE *out, const char *key,
		       const struct recorded_texts *texts)
{
	char *name =
		java_name_of(texts->class_name, texts->name, texts->signature);

	dump_string(out, key, name, strlen(name));
	free(name);
}

static void dump_methods(FILE *out, const struct part_chunk *chunk)
{
	struct recorded_method method;
	size_t cursor = 0;

	while (methods_next(chunk, &cursor, &method)) {
		fprintf(out, "method number=%" PRIu32 " left=%" PRId32,
			method.number, (int32_t)method.left);
		dump_texts(out, "name", &method.texts);
	}
}

/* Writes item `index` of a list of pairs. */
static void dump_pair(FILE *out, size_t index, uint32_t first, uint32_t second)
{
	fprintf(out, "%s%" PRIu32 ":%" PRIu32, index ? "," : "", first, second);
}

static void dump_stacks(FILE *out, const struct part_chunk *chunk)
{
	struct recorded_stack stack;
	size_t cursor = 0;

	while (stacks_next(chunk, &cursor, &stack)) {
		fprintf(out, "stack number=%" PRIu32 " methods=", stack.number);
		for (uint32_t i = 0; i < stack.count; i++)
			dump_pair(out, i, stack.numbers[i], stack.bytecodes[i]);
		fputc('\n', out);
	}
}

static void dump_sources(FILE *out, const struct part_chunk *chunk)
{
	struct recorded_source source;
	size_t cursor = 0;

	while (sources_next(chunk, &cursor, &source)) {
		fprintf(out, "source number=%" PRIu32 " lines=", source.number);
		for (size_t i = 0; i < source.line_count; i++)
			dump_pair(out, i, source.lines[i].bytecode,
				  source.lines[i].line);
		dump_string(out, "file", source.path, strlen(source.path));
	}
}

static void dump_callers(FILE *out, const struct part_chunk *chunk)
{
	const struct wire_caller *caller;
	size_t cursor = 0;

	while ((caller = callers_next(chunk, &cursor)))
		fprintf(out,
			"caller number=%" PRIu32 " pc=%#" PRIx64 " tsc=%" PRIu64
			"\n",
			caller->head.number, caller->pc, caller->tsc);
}

/* Prints the records without interpreting them. */
static void dump_code_lines(FILE *out, const struct part_chunk *chunk)
{
	size_t left = chunk->used_bytes;
	const unsigned char *at = chunk->payload;

	while (left >= sizeof(struct wire_code_lines)) {
		const struct wire_code_lines *lines = (const void *)at;
		const size_t bytes = sizeof(*lines) +
				     (((size_t)lines->bytes + 7) & ~(size_t)7);

		if (bytes > left)
			return;
		fprintf(out,
			"code_lines start=%#" PRIx64 " tsc=%" PRIu64
			" methods=%" PRIu32 " bytes=%" PRIu32 "\n",
			lines->start, lines->tsc, lines->methods, lines->bytes);
		at += bytes;
		left -= bytes;
	}
}

static void dump_bindings(FILE *out, const struct part_chunk *chunk)
{
	struct recorded_binding binding;
	size_t cursor = 0;

	while (bindings_next(chunk, &cursor, &binding)) {
		fprintf(out,
			"binding pc=%#" PRIx64 " bound_ns=%" PRIu64
			" number=%" PRIu32 " intrinsic=%d",
			binding.pc, binding.bound_ns, binding.number,
			binding.is_intrinsic);
		dump_texts(out, "method", &binding.method);
	}
}

static void dump_codes(FILE *out, const struct part_chunk *chunk)
{
	struct recorded_code code;
	size_t cursor = 0;

	while (codes_next(chunk, &cursor, &code)) {
		fprintf(out,
			"code start=%#" PRIx64 " bytes=%" PRIu64 " tsc=%" PRIu64
			" kind=%d",
			code.start, code.code_bytes, code.tsc, (int)code.kind);
		if (code.kind == WIRE_CODE_JAVA)
			dump_texts(out, "name", &code.texts);
		else
			dump_string(out, "name", code.texts.name,
				    strlen(code.texts.name));
	}
}

static void dump_jni_notes(FILE *out, const struct part_chunk *chunk)
{
	const struct wire_jni_note *items = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->used_bytes / sizeof(*items); i++) {
		if (items[i].id == 0)
			continue;
		fprintf(out,
			"jni-note id=%#018" PRIx64 " what=%" PRIu32
			" name=%" PRIu32 " count=%" PRIu64 " amount=%" PRIu64
			" most=%" PRIu64 " text=%s\n",
			(uint64_t)items[i].id, items[i].what, items[i].name,
			(uint64_t)items[i].count, (uint64_t)items[i].amount,
			(uint64_t)items[i].most, jni_event_text(items[i].what));
	}
}

static void dump_jitdump(FILE *out, const struct part_chunk *chunk)
{
	fputs("jitdump", out);
	dump_string(out, "path", (const char *)chunk->payload,
		    chunk->used_bytes);
}

static void dump_mapped_code(FILE *out, const struct part_chunk *chunk)
{
	const struct wire_mapped_code *items = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->used_bytes / sizeof(*items); i++)
		fprintf(out,
			"mapped_code start=%#" PRIx64 " tsc=%" PRIu64
			" device=%#" PRIx64 " inode=%" PRIu64
			" offset=%#" PRIx64 " pc=%#" PRIx64 "\n",
			items[i].start, items[i].tsc, items[i].device,
			items[i].inode, items[i].offset, items[i].pc);
}

static void dump_makers(FILE *out, const struct part_chunk *chunk)
{
	struct recorded_maker maker;
	size_t cursor = 0;

	while (makers_next(chunk, &cursor, &maker)) {
		fprintf(out,
			"maker pc=%#" PRIx64 " start=%#" PRIx64 " end=%#" PRIx64
			" tsc=%" PRIu64 " gone_tsc=%" PRIu64,
			maker.pc, maker.start, maker.end, maker.tsc,
			maker.gone_tsc);
		dump_string(out, "name", maker.name, maker.name_bytes);
	}
}

void dump_runtimes(FILE *out, const struct part_chunk *chunk)
{
	static void (*const dumps[])(FILE *, const struct part_chunk *) = {
		[WIRE_RANGES] = dump_ranges,
		[WIRE_NAMES] = dump_names,
		[WIRE_BINDINGS] = dump_bindings,
		[WIRE_CODES] = dump_codes,
		[WIRE_JITDUMP] = dump_jitdump,
		[WIRE_SOURCES] = dump_sources,
		[WIRE_STACKS] = dump_stacks,
		[WIRE_METHODS] = dump_methods,
		[WIRE_CALLERS] = dump_callers,
		[WIRE_JNI_NOTES] = dump_jni_notes,
		[WIRE_MAKERS] = dump_makers,
		[WIRE_CODE_LINES] = dump_code_lines,
		[WIRE_MAPPED_CODE] = dump_mapped_code,
	};

	if (chunk->kind < sizeof(dumps) / sizeof(*dumps) && dumps[chunk->kind])
		dumps[chunk->kind](out, chunk);
}
