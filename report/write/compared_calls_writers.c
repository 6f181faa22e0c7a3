/* SPDX-License-Identifier: MIT */
/* Compares two calls of a function by context, largest differences first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/model/tree_walk.h"
#include "report/write/json.h"
#include "report/write/text_writer.h"
#include "report/write/trace_calls.h"

static const char *const side_names[COMPARED_SIDES] = {
	[COMPARED_FAST] = "fast",
	[COMPARED_SLOW] = "slow",
};

/* Writes a change such as "+1.20 ms", or "-" if there is none. */
static void write_change(FILE *out, int64_t ns)
{
	char text[sizeof(struct duration) + 1] = "-";

	if (ns)
		snprintf(text, sizeof(text), "%c%s", ns < 0 ? '-' : '+',
			 text_duration((uint64_t)(ns < 0 ? -ns : ns)).text);
	fprintf(out, "%10s ", text);
}

/* Columns that are omitted first, so that names have room. */
struct compared_columns {
	int has_change, has_itself;
};

static struct compared_columns columns_of(const struct trace_output *output)
{
	unsigned int used = 43;
	struct compared_columns columns;

	columns.has_itself = text_has_room(output->width, &used, 11);
	columns.has_change = text_has_room(output->width, &used, 11);
	return columns;
}

static void write_side(FILE *out, const struct compared_context *context)
{
	if (context->calls)
		fprintf(out, "%10s %9s ", text_duration(context->total_ns).text,
			text_grouped(context->calls).text);
	else
		fprintf(out, "%10s %9s ", "-", "-");
}

static void write_row(struct trace_output *output,
		      const struct compared_columns *columns,
		      const struct compared_calls *compared, uint32_t node,
		      uint32_t depth)
{
	const struct compared_context *fast =
		&compared->contexts[node].of[COMPARED_FAST];
	const struct compared_context *slow =
		&compared->contexts[node].of[COMPARED_SLOW];

	write_side(output->out, fast);
	write_side(output->out, slow);
	if (columns->has_change)
		write_change(output->out,
			     (int64_t)slow->total_ns - (int64_t)fast->total_ns);
	if (columns->has_itself)
		write_change(output->out, slow->self_ns - fast->self_ns);
	fprintf(output->out, "%*s%s\n", (int)(2 * (depth - 1)) + 1, "",
		shown_name(&output->names, output->traces->catalog,
			   compared->tree.nodes[node].function));
}

/* Chooses the names of all functions of the tree. */
static void add_names(struct trace_output *output, const struct tree *tree)
{
	uint32_t *functions = memory_zeroed(tree->count, sizeof(*functions));

	for (size_t i = TREE_ROOT + 1; i < tree->count; i++)
		functions[i - 1] = tree->nodes[i].function;
	shown_names_add(&output->names, output->traces->catalog, functions,
			tree->count - 1);
	free(functions);
}

void text_compared_calls(struct trace_output *output,
			 const struct compared_calls *compared)
{
	const struct compared_columns columns = columns_of(output);
	struct tree_walk walk;
	enum tree_step step;

	text_begin(output->out, output->has_color, STYLE_HEADING);
	add_names(output, &compared->tree);
	fprintf(output->out, "%10s %9s %10s %9s %s%s function\n", "fast, wall",
		"calls", "slow, wall", "calls",
		columns.has_change ? "    change " : "",
		columns.has_itself ? "    itself " : "");
	text_end(output->out, output->has_color, STYLE_HEADING);
	tree_walk_init(&walk, &compared->tree, METRIC_TIME);
	while ((step = tree_walk_next(&walk)) != TREE_END)
		if (step == TREE_ENTER)
			write_row(output, &columns, compared, walk.node,
				  walk.depth);
	tree_walk_fini(&walk);
	fprintf(output->out,
		"\ntwo of %s calls, in threads %" PRIu32 " and %" PRIu32
		"%s; the times are upper bounds,\n"
		"which include waiting and other programs' use of the "
		"processor\n",
		text_grouped(compared->all).text,
		compared->of[COMPARED_FAST].end.tid,
		compared->of[COMPARED_SLOW].end.tid,
		compared->is_of_snapshot ? " (the call of this snapshot)" : "");
}

/* ---- The main path ---- */

/* Number of frames that are shown of each end of a long path. */
enum { PATH_ENDS = 3 };

static void write_percents(FILE *out, const struct time_share *share)
{
	char least[16], most[16];

	snprintf(least, sizeof(least), "%.0f", share->least * 100);
	snprintf(most, sizeof(most), "%.0f", share->most * 100);
	if (strcmp(least, most) != 0)
		fprintf(out, "%s to ", least);
	fprintf(out, "%s %%", most);
}

static void write_path(struct trace_output *output,
		       const struct compared_calls *compared,
		       const struct main_path *path)
{
	for (size_t i = 0; i < path->count; i++) {
		const uint32_t node = path->nodes[i];

		if (i)
			fputs(" > ", output->out);
		if (i == PATH_ENDS && path->count > 2 * PATH_ENDS + 1) {
			fputs("...", output->out);
			i = path->count - PATH_ENDS - 1;
			continue;
		}
		fputs(shown_name(&output->names, output->traces->catalog,
				 compared->tree.nodes[node].function),
		      output->out);
	}
}

void text_main_path(struct trace_output *output,
		    const struct compared_calls *compared)
{
	const struct time_share *shares;
	struct main_path path;

	main_path_find(&path, compared);
	shares = path.count ? path.of : path.self;
	fputs(compared->is_of_snapshot ? "the call of this snapshot: "
				       : "the slowest call: ",
	      output->out);
	write_percents(output->out, &shares[COMPARED_SLOW]);
	if (path.count) {
		fputs(" of it below ", output->out);
		write_path(output, compared, &path);
	} else {
		fputs(" of it in the function itself", output->out);
		if (shares[COMPARED_SLOW].most < .5)
			fputs(", and no callee has more than half",
			      output->out);
	}
	if (!compared->is_alone) {
		fputs("; the median call spends ", output->out);
		write_percents(output->out, &shares[COMPARED_FAST]);
		fputs(" there (--against=median compares both)", output->out);
	}
	fputc('\n', output->out);
	main_path_fini(&path);
}

static json_t *json_share(const struct time_share *share)
{
	return json_pack("{sfsf}", "least", share->least, "most", share->most);
}

static json_t *json_shares(const struct compared_calls *compared,
			   const struct time_share *shares)
{
	return json_pack(
		"{soso}", "slow", json_share(&shares[COMPARED_SLOW]), "median",
		compared->is_alone ? json_null()
				   : json_share(&shares[COMPARED_FAST]));
}

void json_main_path(const struct trace_output *output,
		    const struct compared_calls *compared)
{
	json_t *names = json_array(), *object;
	struct main_path path;

	main_path_find(&path, compared);
	for (size_t i = 0; i < path.count; i++) {
		const uint32_t node = path.nodes[i];

		json_array_append_new(
			names,
			json_function(output->traces->catalog,
				      compared->tree.nodes[node].function));
	}
	object = json_pack("{sssbsososo}", "kind", "main_path", "snapshot",
			   compared->is_of_snapshot, "path", names, "below",
			   json_shares(compared, path.of), "self",
			   json_shares(compared, path.self));
	json_dumpf(object, output->out, JSON_COMPACT);
	json_decref(object);
	fputc('\n', output->out);
	main_path_fini(&path);
}

/* ---- JSON of the comparison ---- */

static json_t *json_side(const struct compared_context *context)
{
	return json_pack("{sososo}", "calls", json_number(context->calls),
			 "total_ns", json_number(context->total_ns), "self_ns",
			 json_integer((json_int_t)context->self_ns));
}

/* Writes one JSON object for each line. */
void json_compared_calls(const struct trace_output *output,
			 const struct compared_calls *compared)
{
	struct tree_walk walk;
	enum tree_step step;

	tree_walk_init(&walk, &compared->tree, METRIC_TIME);
	while ((step = tree_walk_next(&walk)) != TREE_END) {
		json_t *object;

		if (step != TREE_ENTER)
			continue;
		object =
			json_function(output->traces->catalog,
				      compared->tree.nodes[walk.node].function);
		json_object_set_new(object, "kind", json_string("compared"));
		json_object_set_new(object, "depth",
				    json_number(walk.depth - 1));
		for (int side = 0; side < COMPARED_SIDES; side++)
			json_object_set_new(
				object, side_names[side],
				json_side(&compared->contexts[walk.node]
						   .of[side]));
		json_dumpf(object, output->out, JSON_COMPACT);
		json_decref(object);
		fputc('\n', output->out);
	}
	tree_walk_fini(&walk);
}
