/* SPDX-License-Identifier: MIT */
/* See call_labels.h. */
#include "report/model/call_labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- Names ---- */

static void write_value(FILE *out, const struct mark_value *value)
{
	char *text = mark_value_text(value);

	fprintf(out, "%s=%s", value->name, text);
	free(text);
}

static char *name_of(struct catalog *catalog, const struct call_label *label)
{
	char *name = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&name, &bytes);

	if (!out)
		memory_exhausted();
	fputs(catalog_name(catalog, label->function), out);
	for (size_t i = 0; i < label->value_count; i++) {
		fputs(i ? ", " : " [", out);
		write_value(out, &label->values[i]);
	}
	if (label->value_count)
		fputs("]", out);
	if (label->site)
		fprintf(out, " @ %s", label->site);
	fclose(out);
	return name;
}

/* ---- Labels ---- */

static char *copy_text(const char *text)
{
	return text ? memory_string(text, strlen(text)) : NULL;
}

static struct call_label copy_of(const struct call_label *label)
{
	struct mark_value *values =
		memory_zeroed(label->value_count + 1, sizeof(*values));

	for (size_t i = 0; i < label->value_count; i++) {
		values[i] = label->values[i];
		values[i].name = copy_text(label->values[i].name);
		values[i].string = copy_text(label->values[i].string);
	}
	return (struct call_label){
		.function = label->function,
		.site = copy_text(label->site),
		.site_index = label->site_index,
		.values = values,
		.value_count = label->value_count,
	};
}

uint32_t catalog_labelled(struct catalog *catalog,
			  const struct call_label *label)
{
	char *name = name_of(catalog, label);
	const uint32_t made =
		catalog_named(catalog, catalog_kind(catalog, label->function),
			      catalog->functions[label->function].module, name);

	free(name);
	if (catalog->functions[made].label)
		return made;
	catalog->labels =
		memory_grow(catalog->labels, catalog->label_count,
			    &catalog->label_capacity, sizeof(*catalog->labels));
	catalog->labels[catalog->label_count++] = copy_of(label);
	catalog->functions[made].label = (uint32_t)catalog->label_count;
	catalog->functions[made].whole = label->function;
	return made;
}

const struct call_label *catalog_label(const struct catalog *catalog,
				       uint32_t function)
{
	const uint32_t label = catalog->functions[function].label;

	return label ? &catalog->labels[label - 1] : NULL;
}
