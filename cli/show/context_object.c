/* SPDX-License-Identifier: MIT */
/*
 * Creates trees with contexts that a user's shared object defines. The object
 * identifies a context by a number. The tree has functions only, so each
 * context is added to the catalog as a function with the context's name. If two
 * contexts have the same name, the second one's name contains its number.
 */
#include "cli/show/context_object.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/clew.h"
#include "base/display_text.h"
#include "base/fail.h"
#include "base/idmap.h"
#include "base/memory.h"
#include "report/model/call_labels.h"
#include "report/view/representation.h"

#define NAME_BYTES 1024

typedef uint64_t (*context_of)(uint64_t parent,
			       const struct clew_called *called);
typedef void (*context_name)(uint64_t context, char *name, size_t room);

struct context_object {
	context_of of;
	context_name name;
	struct catalog *catalog;
	/*
	 * Maps each context that the object has returned to the function of the
	 * catalog that represents it.
	 */
	struct idmap labels;
	/* Maps these functions to the object's contexts + 1. */
	struct idmap contexts;
};

static uint32_t name_context(struct context_object *object, uint64_t context)
{
	char name[NAME_BYTES] = "";
	char *text;
	uint32_t label;

	if (object->name)
		object->name(context, name, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	text = *name ? text_printable(memory_printf("%s", name))
		     : memory_printf("0x%" PRIx64, context);
	label = catalog_named(object->catalog, KIND_GROUP, CATALOG_NO_MODULE,
			      text);
	if (*idmap_at(&object->contexts, label)) {
		char *longer =
			memory_printf("%s (0x%" PRIx64 ")", text, context);

		label = catalog_named(object->catalog, KIND_GROUP,
				      CATALOG_NO_MODULE, longer);
		free(longer);
	}
	free(text);
	*idmap_at(&object->contexts, label) = context + 1;
	return label;
}

/*
 * Returns the context of a node, whose label is a function of the catalog.
 * Nodes outside all contexts, such as a thread's name, have context 0.
 */
static uint64_t context_at(struct context_object *object, uint32_t label)
{
	const uint64_t known = label ? *idmap_at(&object->contexts, label) : 0;

	return known ? known - 1 : 0;
}

/*
 * Maximum number of a call's values, of all probes together. The object does
 * not receive further ones.
 */
#define VALUES_MAX 512

static size_t tell_values(const struct call_label *label,
			  struct clew_called_value *values)
{
	size_t count = label ? label->value_count : 0;

	if (count > VALUES_MAX)
		count = VALUES_MAX;
	for (size_t i = 0; i < count; i++)
		values[i] = (struct clew_called_value){
			.name = label->values[i].name,
			.string = label->values[i].string,
			.number = label->values[i].number,
			.is_missing = label->values[i].is_missing,
		};
	return count;
}

static uint32_t step(void *argument, uint32_t parent, uint32_t function)
{
	struct context_object *object = argument;
	const struct call_label *label =
		catalog_label(object->catalog, function);
	const uint32_t plain = label ? label->function : function;
	struct clew_called_value values[VALUES_MAX];
	const struct clew_called called = {
		.function = catalog_name(object->catalog, plain),
		.module = catalog_module_name(object->catalog, plain),
		.vaddr = object->catalog->functions[plain].vaddr,
		.site = label ? label->site : NULL,
		.values = values,
		.value_count = tell_values(label, values),
	};
	const uint64_t from = context_at(object, parent);
	const uint64_t context = object->of(from, &called);
	uint64_t *known;
	uint32_t made;

	if (context == from && parent)
		return parent;
	/*
	 * Context 0 means outside all contexts. Calls there also need a name.
	 */
	if (!context)
		return catalog_named(object->catalog, KIND_GROUP,
				     CATALOG_NO_MODULE, "(no context)");
	known = idmap_at(&object->labels, context);
	if (*known)
		return (uint32_t)*known;
	made = name_context(object, context);
	*idmap_at(&object->labels, context) = made;
	return made;
}

/*
 * Opens the object by its absolute path: the loader searches its own folders
 * for a name without a slash.
 */
static void *open_object(const char *path, char **why)
{
	char *whole = realpath(path, NULL);
	void *object = whole ? dlopen(whole, RTLD_NOW | RTLD_LOCAL) : NULL;

	if (!whole)
		fail(why, -errno, "--context=%s: %s", path, strerror(errno));
	else if (!object)
		fail(why, -ELIBACC, "--context=%s: %s", path, dlerror());
	free(whole);
	return object;
}

int context_object_represent(const char *path, const struct tree *tree,
			     struct catalog *catalog, struct tree *represented,
			     char **why)
{
	struct context_object object = { .catalog = catalog };
	void *opened = open_object(path, why);

	if (!opened)
		return -ELIBACC;
	object.of = (context_of)dlsym(opened, "clew_context_of");
	object.name = (context_name)dlsym(opened, "clew_context_name");
	if (!object.of) {
		dlclose(opened);
		return fail(why, -ELIBACC,
			    "--context=%s: the object does not export "
			    "clew_context_of",
			    path);
	}
	tree_represent(tree, catalog, step, &object, represented);
	idmap_fini(&object.labels);
	idmap_fini(&object.contexts);
	dlclose(opened);
	return 0;
}
