/* SPDX-License-Identifier: MIT */
#include "tests/unit/made.h"

#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int made_set_up(void **state)
{
	struct made_world *world = calloc(1, sizeof(*world));

	world->directory = fixture_directory();
	*state = world;
	return 0;
}

int made_tear_down(void **state)
{
	struct made_world *world = *state;

	fixture_remove(world->directory);
	free(world);
	return 0;
}

void made_begin(struct fixture *fixture, uint32_t pid)
{
	fixture_init(fixture, pid, 0);
	fixture_module(fixture, "/lib/app", 1, 8);
	fixture_thread(fixture, pid, "main", 0);
	fixture_tally(fixture, 0, 0, 0);
}

void made_end(struct made_world *world, struct fixture *fixture)
{
	fixture_save_part(fixture, world->directory);
	fixture_fini(fixture);
}

void made_read(struct made_world *world, const struct whose *whose)
{
	char *why;

	assert_int_equal(
		session_open(&world->session, world->directory, whose, &why),
		0);
}

const struct tree_node *made_node(const struct session *session,
				  const uint32_t *functions)
{
	uint32_t at = TREE_ROOT;

	for (; *functions; functions++) {
		uint32_t function = FUNCTION_FIRST + *functions - 1;

		at = tree_find(&session->tree, at, function);
		if (at == TREE_ROOT)
			return NULL;
	}
	return &session->tree.nodes[at];
}

const struct tree_node *made_child(const struct session *session,
				   uint32_t parent, uint32_t function)
{
	const uint32_t child = tree_find(&session->tree, parent, function);

	return child == TREE_ROOT ? NULL : &session->tree.nodes[child];
}

/*
 * Reads the recording and returns its only problem, or NULL. The caller frees
 * it.
 */
static char *problem_of(struct made_world *world, struct fixture *fixture)
{
	const struct recording *recording = &world->session.recording;
	char *problem = NULL;

	made_end(world, fixture);
	made_read(world, &(struct whose){ 0 });
	assert_in_range(recording->problem_count, 0, 1);
	if (recording->problem_count > 0)
		problem = memory_printf("%s", recording->problems[0]);
	session_close(&world->session);
	return problem;
}

/* Reads the part in each state that it may have. */
void made_assert_problem(struct made_world *world,
			 const struct fixture *fixture, enum wire_state state,
			 const char *words)
{
	struct fixture copy = { .size = fixture->size };
	char *problem;

	copy.bytes = memory_zeroed(copy.size, 1);
	memcpy(copy.bytes, fixture->bytes, copy.size);
	fixture_header(&copy)->state = state;
	problem = problem_of(world, &copy);
	if (words) {
		assert_non_null(problem);
		assert_non_null(strstr(problem, words));
	} else {
		assert_null(problem);
	}
	free(problem);
}
