/* SPDX-License-Identifier: MIT */
/* JSON of a function's source lines and instructions, with their costs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/write/json.h"

/* Adds "self_ns", "samples", "calls_made" and the 95 % interval. */
static void set_cost(json_t *value, const struct annotation *annotation,
		     const struct code_cost *cost)
{
	const double all = (double)annotation->self.ns;
	struct share_interval likely;

	json_object_set_new(value, "self_ns", json_number(cost->ns));
	json_object_set_new(value, "samples", json_number(cost->samples));
	json_object_set_new(value, "calls_made", json_number(cost->calls));
	if (cost->samples == 0)
		return;
	likely = annotation_share(annotation, cost);
	json_object_set_new(
		value, "self_ns_95",
		json_pack("[oo]", json_number((uint64_t)(all * likely.low)),
			  json_number((uint64_t)(all * likely.high))));
}

static json_t *line_of(struct session *session,
		       const struct annotation_view *view,
		       const struct annotation *annotation,
		       const struct annotated_line *line)
{
	json_t *value = json_object();
	const char *text =
		source_line(source_files_find(view->sources, &session->catalog,
					      annotation->module, line->file),
			    line->line);

	json_object_set_new(value, "file", json_text(line->file));
	json_object_set_new(value, "line", json_number(line->line));
	if (line->inlined)
		json_object_set_new(value, "inlined", json_text(line->inlined));
	set_cost(value, annotation, &line->self);
	json_object_set_new(value, "inlined_ns", json_number(line->own.ns));
	json_object_set_new(value, "total_ns", json_number(line->total_ns));
	if (text)
		json_object_set_new(value, "text", json_text(text));
	return value;
}

static json_t *address(uint64_t vaddr)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, vaddr);
	return json_string(text);
}

static json_t *instruction_of(const struct annotation *annotation, size_t row)
{
	const struct instruction *one = &annotation->code.items[row];
	json_t *value = json_object();

	json_object_set_new(value, "vaddr", address(one->vaddr));
	json_object_set_new(value, "bytes", json_number(one->bytes));
	json_object_set_new(
		value, "text",
		json_text(instruction_text(&annotation->code, one)));
	if (one->target != NO_TARGET)
		json_object_set_new(value, "target", address(one->target));
	if (one->import)
		json_object_set_new(
			value, "import",
			json_text(annotation->code.texts + one->import));
	if (annotation->rows[row].line != NO_ITEM)
		json_object_set_new(value, "line",
				    json_number(annotation->rows[row].line));
	set_cost(value, annotation, &annotation->rows[row].cost);
	json_object_set_new(value, "total_ns",
			    json_number(annotation->rows[row].total_ns));
	return value;
}

static void write_function(struct json_stream *functions,
			   struct session *session,
			   const struct annotation_view *view,
			   const struct annotation *annotation)
{
	struct json_stream object = json_begin(functions, NULL, "{"), list;
	json_t *value = json_function(&session->catalog, annotation->function);
	const char *key;
	json_t *member;

	json_object_foreach(value, key, member)
		json_member(&object, key, json_incref(member));
	json_decref(value);
	json_member(&object, "calls", json_number(annotation->self.calls));
	json_member(&object, "self_ns", json_number(annotation->self.ns));
	json_member(&object, "samples", json_number(annotation->self.samples));
	json_member(&object, "total_ns", json_number(annotation->total_ns));
	json_member(&object, "unplaced_ns",
		    json_number(annotation->unplaced_ns));
	json_member(&object, "unplaced_calls_ns",
		    json_number(annotation->unplaced_calls_ns));
	json_member(&object, "has_call_sites",
		    json_boolean(annotation->has_call_sites));
	if (annotation->why)
		json_member(&object, "no_instructions",
			    json_text(annotation->why));
	list = json_begin(&object, "lines", "[");
	for (size_t i = 0; i < annotation->line_count; i++)
		json_member(&list, NULL,
			    line_of(session, view, annotation,
				    &annotation->lines[i]));
	json_end(&list, "]");
	list = json_begin(&object, "instructions", "[");
	for (size_t i = 0; i < annotation->code.count; i++)
		json_member(&list, NULL, instruction_of(annotation, i));
	json_end(&list, "]");
	json_end(&object, "}");
}

void json_annotation(FILE *out, struct session *session,
		     const struct annotation_view *view)
{
	struct json_stream file = { .out = out }, object, functions;

	object = json_begin(&file, NULL, "{");
	json_summary(&object, session);
	functions = json_begin(&object, "functions", "[");
	for (size_t i = 0; i < view->count; i++)
		write_function(&functions, session, view, &view->items[i]);
	json_end(&functions, "]");
	json_end(&object, "}\n");
}
