/* SPDX-License-Identifier: MIT */
/* Tests of transforms of trees, and of the sums that they preserve. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/view/labels.h"
#include "report/view/transform.h"

/* Names of functions. From LIBC_FIRST on, they are in libc, others in app. */
static const char *const names[] = { "a",      "b",      "c", "d",
				     "std::x", "std::y", "f", "malloc" };

enum { FUNCTIONS = sizeof(names) / sizeof(*names), LIBC_FIRST = 6 };

struct world {
	struct catalog catalog;
	struct tree tree;
	uint32_t functions[FUNCTIONS];
	struct timeline timeline;
};

static uint32_t add_module(struct catalog *catalog, const char *path)
{
	struct wire_module wire = { .state = 0 };
	const struct module_record record = {
		.module = &wire,
		.path = path,
		.path_bytes = (uint32_t)strlen(path),
	};
	struct catalog_list none;

	return catalog_add_module(catalog, &record, &none);
}

static void begin(struct world *world)
{
	uint32_t app, libc;

	memset(world, 0, sizeof(*world));
	catalog_init(&world->catalog);
	app = add_module(&world->catalog, "/bin/app");
	libc = add_module(&world->catalog, "/lib/libc.so.6");
	for (size_t i = 0; i < FUNCTIONS; i++)
		world->functions[i] =
			catalog_named(&world->catalog, KIND_NATIVE,
				      i < LIBC_FIRST ? app : libc, names[i]);
	tree_init(&world->tree);
}

static void end(struct world *world)
{
	tree_fini(&world->tree);
	timeline_fini(&world->timeline);
	catalog_fini(&world->catalog);
}

/* Adds calls and time in a context such as "a b std::x". Returns its node. */
static uint32_t add(struct world *world, const char *context, uint64_t calls,
		    uint64_t ns)
{
	char *copy = memory_string(context, strlen(context)), *rest = copy;
	uint32_t node = TREE_ROOT;

	for (char *name; (name = strsep(&rest, " "));)
		node = tree_child(
			&world->tree, node,
			catalog_named(
				&world->catalog, KIND_NATIVE,
				strcmp(name, "f") && strcmp(name, "malloc") ? 0
									    : 1,
				name));
	free(copy);
	tree_add(&world->tree, node,
		 &(struct measure){ .calls = calls, .ns = ns, .samples = 1 });
	return node;
}

static uint32_t find(struct world *world, const struct tree *tree,
		     const char *context)
{
	char *copy = memory_string(context, strlen(context)), *rest = copy;
	uint32_t node = TREE_ROOT;

	for (char *name; (name = strsep(&rest, "/"));) {
		uint32_t found = TREE_ROOT;

		for (uint32_t i = 1; i < tree->count; i++)
			if (tree->nodes[i].parent == node &&
			    strcmp(catalog_name(&world->catalog,
						tree->nodes[i].function),
				   name) == 0)
				found = i;
		if (found == TREE_ROOT)
			fail_msg("no context %s", context);
		node = found;
	}
	free(copy);
	return node;
}

static void assert_node(struct world *world, const struct tree *tree,
			const char *context, uint64_t calls, uint64_t ns,
			uint64_t calls_below)
{
	const uint32_t node = find(world, tree, context);

	assert_int_equal(tree_self(tree, node).calls, calls);
	assert_int_equal(tree_self(tree, node).ns, ns);
	assert_int_equal(tree_below(tree, node).calls, calls_below);
}

/* The options of a transform as text; NULL means not given. */
struct asked {
	const char *focus, *ignore, *collapse, *fold;
};

static void transform(struct world *world, const struct asked *asked,
		      struct tree *out)
{
	struct transform transform = { 0 };
	regex_t regexes[3];
	const char *texts[] = { asked->focus, asked->ignore, asked->collapse };
	const regex_t **used[] = { &transform.focus, &transform.ignore,
				   &transform.collapse };

	for (size_t i = 0; i < 3; i++) {
		if (!texts[i])
			continue;
		assert_int_equal(regcomp(&regexes[i], texts[i],
					 REG_EXTENDED | REG_NOSUB),
				 0);
		*used[i] = &regexes[i];
	}
	if (asked->fold)
		assert_int_equal(transform_add_folds(&transform, asked->fold),
				 0);
	tree_sum(&world->tree);
	tree_transform(&world->tree, &world->catalog, &transform,
		       &world->timeline, out);
	for (size_t i = 0; i < 3; i++)
		if (texts[i])
			regfree(&regexes[i]);
	transform_fini(&transform);
}

static void begin_example(struct world *world)
{
	begin(world);
	add(world, "a", 1, 5);
	add(world, "a b", 2, 10);
	add(world, "a b c", 4, 20);
	add(world, "a b c b", 3, 7);
	add(world, "a d", 6, 40);
	add(world, "d", 9, 1);
}

static void focus_keeps_contexts_with_their_callers(void **state)
{
	struct world world;
	struct tree out;

	(void)state;
	begin_example(&world);
	transform(&world, &(struct asked){ .focus = "^b$" }, &out);
	assert_int_equal(out.count, 5);
	assert_node(&world, &out, "a", 0, 0, 9);
	assert_node(&world, &out, "a/b", 2, 10, 9);
	assert_node(&world, &out, "a/b/c", 4, 20, 7);
	assert_node(&world, &out, "a/b/c/b", 3, 7, 3);
	assert_int_equal(tree_below(&out, TREE_ROOT).ns, 37);
	tree_fini(&out);
	end(&world);
}

static void ignore_removes_contexts(void **state)
{
	struct world world;
	struct tree out;

	(void)state;
	begin_example(&world);
	transform(&world, &(struct asked){ .ignore = "^c$" }, &out);
	assert_int_equal(out.count, 5);
	assert_node(&world, &out, "a", 1, 5, 9);
	assert_node(&world, &out, "a/b", 2, 10, 2);
	assert_node(&world, &out, "d", 9, 1, 9);
	tree_fini(&out);
	transform(&world, &(struct asked){ .focus = "^b$", .ignore = "^c$" },
		  &out);
	assert_int_equal(out.count, 3);
	assert_node(&world, &out, "a/b", 2, 10, 2);
	tree_fini(&out);
	end(&world);
}

static void collapse_makes_a_function_and_its_callees_one(void **state)
{
	struct world world;
	struct tree out;

	(void)state;
	begin_example(&world);
	transform(&world, &(struct asked){ .collapse = "^b$" }, &out);
	assert_int_equal(out.count, 5);
	assert_node(&world, &out, "a", 1, 5, 16);
	assert_node(&world, &out, "a/b (with callees)", 9, 37, 9);
	assert_node(&world, &out, "a/d", 6, 40, 6);
	tree_fini(&out);
	end(&world);
}

static void folding_makes_neighbours_of_a_namespace_one(void **state)
{
	struct world world;
	struct tree out;

	(void)state;
	begin(&world);
	add(&world, "a std::x", 1, 10);
	add(&world, "a std::x std::y", 2, 20);
	add(&world, "a std::x std::y b", 3, 30);
	add(&world, "a std::x std::y b std::x", 4, 40);
	add(&world, "a std::y f malloc", 5, 50);
	transform(&world, &(struct asked){ .fold = "std,module:libc*" }, &out);
	assert_int_equal(out.count, 6);
	assert_node(&world, &out, "a/(std)", 3, 30, 15);
	assert_node(&world, &out, "a/(std)/b", 3, 30, 7);
	assert_node(&world, &out, "a/(std)/b/(std)", 4, 40, 4);
	assert_node(&world, &out, "a/(std)/(libc.so.6)", 5, 50, 5);
	tree_fini(&out);
	end(&world);
}

static void folded_recursion_has_each_function_once_in_a_context(void **state)
{
	struct world world;
	struct tree out;

	(void)state;
	begin_example(&world);
	add(&world, "a b c b d", 11, 3);
	transform(&world, &(struct asked){ .fold = "recursion" }, &out);
	assert_node(&world, &out, "a/b", 5, 17, 20);
	assert_node(&world, &out, "a/b/c", 4, 20, 4);
	assert_node(&world, &out, "a/b/d", 11, 3, 11);
	tree_fini(&out);
	end(&world);
}

static void names_of_rust_and_java_have_namespaces(void **state)
{
	struct world world;
	struct tree out;

	(void)state;
	begin(&world);
	add(&world, "<alloc::vec::Vec<T>_as_Drop>::drop", 1, 1);
	add(&world, "java.util.HashMap.put", 2, 2);
	add(&world, "allocate", 3, 3);
	add(&world, "void std::sort<int>(int*)", 4, 4);
	transform(&world, &(struct asked){ .fold = "alloc,java.util,std" },
		  &out);
	assert_node(&world, &out, "(alloc)", 1, 1, 1);
	assert_node(&world, &out, "(java.util)", 2, 2, 2);
	assert_node(&world, &out, "allocate", 3, 3, 3);
	tree_fini(&out);
	end(&world);
}

static void empty_words_of_folds_are_refused(void **state)
{
	static const char *const wrong[] = { "", "std,", ",std",
					     "module:", "a,module:,b" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct transform transform = { 0 };

		assert_int_not_equal(transform_add_folds(&transform, wrong[i]),
				     0);
		transform_fini(&transform);
	}
}

static void samples_move_or_vanish_with_their_context(void **state)
{
	struct world world;
	struct tree out;
	uint32_t c, d;

	(void)state;
	begin_example(&world);
	c = add(&world, "a b c", 0, 0);
	d = add(&world, "a d", 0, 0);
	timeline_add(&world.timeline,
		     &(struct timeline_sample){ .node = c, .site = 7 });
	timeline_add(&world.timeline, &(struct timeline_sample){ .node = d });
	transform(&world, &(struct asked){ .collapse = "^b$", .ignore = "^d$" },
		  &out);
	assert_int_equal(world.timeline.count, 1);
	assert_int_equal(world.timeline.samples[0].node,
			 find(&world, &out, "a/b (with callees)"));
	assert_int_equal(world.timeline.samples[0].site, 0);
	tree_fini(&out);
	end(&world);
}

/* ---- Random trees ---- */

static uint32_t draw(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(*seed >> 33);
}

static void grow(struct world *world, uint64_t *seed)
{
	for (int i = 0; i < 200; i++) {
		const uint32_t parent =
			draw(seed) % (uint32_t)world->tree.count;
		const uint32_t node =
			tree_child(&world->tree, parent,
				   world->functions[draw(seed) % FUNCTIONS]);

		tree_add(&world->tree, node,
			 &(struct measure){ .calls = draw(seed) % 100,
					    .ns = draw(seed) % 1000,
					    .samples = draw(seed) % 3 });
	}
}

/* Returns the total of all functions whose names match, recursion once. */
static struct measure total_of(struct world *world, const char *pattern)
{
	struct measure total = { 0 };
	uint8_t *is_inside = memory_zeroed(world->tree.count, 1);
	regex_t regex;

	regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
	for (size_t i = 1; i < world->tree.count; i++) {
		const struct tree_node *node = &world->tree.nodes[i];
		const struct measure self = tree_self(&world->tree, i);

		is_inside[i] =
			is_inside[node->parent] ||
			regexec(&regex,
				catalog_name(&world->catalog, node->function),
				0, NULL, 0) == 0;
		if (is_inside[i])
			measure_add(&total, &self);
	}
	regfree(&regex);
	free(is_inside);
	return total;
}

static struct measure minus(struct measure a, struct measure b)
{
	return (struct measure){ .calls = a.calls - b.calls,
				 .ns = a.ns - b.ns,
				 .samples = a.samples - b.samples };
}

static void assert_sum(struct world *world, const struct asked *asked,
		       struct measure expected)
{
	struct measure sum = { 0 };
	struct tree out;

	transform(world, asked, &out);
	for (size_t i = 0; i < out.count; i++) {
		const struct measure self = tree_self(&out, i);

		measure_add(&sum, &self);
		assert_true(i == 0 || out.nodes[i].parent < i);
	}
	assert_int_equal(sum.calls, expected.calls);
	assert_int_equal(sum.ns, expected.ns);
	assert_int_equal(sum.samples, expected.samples);
	sum = tree_below(&out, TREE_ROOT);
	assert_int_equal(sum.calls, expected.calls);
	assert_int_equal(sum.ns, expected.ns);
	tree_fini(&out);
}

static void sums_are_kept_in_random_trees(void **state)
{
	static const char *const folds[] = { "std", "recursion", "module:libc*",
					     "std,recursion,module:*" };
	static const char *const patterns[] = { "^b$", "^(a|f)$", "x", "." };

	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		uint64_t random = seed;
		struct world world;
		struct measure all;

		begin(&world);
		grow(&world, &random);
		tree_sum(&world.tree);
		all = tree_below(&world.tree, TREE_ROOT);
		for (size_t i = 0; i < 4; i++) {
			const char *pattern = patterns[i];
			const struct measure part = total_of(&world, pattern);

			assert_sum(&world, &(struct asked){ .fold = folds[i] },
				   all);
			assert_sum(&world,
				   &(struct asked){ .collapse = pattern,
						    .fold = folds[i] },
				   all);
			assert_sum(&world, &(struct asked){ .focus = pattern },
				   part);
			assert_sum(&world,
				   &(struct asked){ .focus = pattern,
						    .collapse = "^c$",
						    .fold = folds[i] },
				   part);
			assert_sum(&world, &(struct asked){ .ignore = pattern },
				   minus(all, part));
		}
		end(&world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(focus_keeps_contexts_with_their_callers),
		cmocka_unit_test(ignore_removes_contexts),
		cmocka_unit_test(collapse_makes_a_function_and_its_callees_one),
		cmocka_unit_test(folding_makes_neighbours_of_a_namespace_one),
		cmocka_unit_test(
			folded_recursion_has_each_function_once_in_a_context),
		cmocka_unit_test(names_of_rust_and_java_have_namespaces),
		cmocka_unit_test(empty_words_of_folds_are_refused),
		cmocka_unit_test(samples_move_or_vanish_with_their_context),
		cmocka_unit_test(sums_are_kept_in_random_trees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
