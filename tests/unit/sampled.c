/* SPDX-License-Identifier: MIT */
#include "tests/unit/sampled.h"

#include "tests/unit/unit.h"

#include <stdlib.h>

#include "wire/id.h"

int sampled_set_up(void **state)
{
	struct sampled_world *world = calloc(1, sizeof(*world));
	struct fixture *fixture = &world->fixture;

	world->directory = fixture_directory();
	fixture_init(fixture, 100, 0);
	fixture_module(fixture, "/lib/app", 1, 8);
	fixture_thread(fixture, 100, "main", 0);
	fixture_tally(fixture, 0, 0, 0);
	world->main = fixture_context(fixture, 0, ID_ROOT, 1, 1);
	world->f = fixture_context(fixture, 0, world->main, 2, 10);
	world->g = fixture_context(fixture, 0, world->main, 3, 10);
	world->h = fixture_context(fixture, 0, world->f, 4, 10);
	*state = world;
	return 0;
}

int sampled_tear_down(void **state)
{
	struct sampled_world *world = *state;

	fixture_fini(&world->fixture);
	fixture_remove(world->directory);
	free(world);
	return 0;
}

void sampled_add(struct sampled_world *world, uint64_t id, uint64_t where)
{
	fixture_sample(&world->fixture, 0, id, where, 1000);
}

void sampled_read_as(struct sampled_world *world, const struct whose *whose)
{
	char *why;

	fixture_save_part(&world->fixture, world->directory);
	assert_int_equal(
		session_open(&world->session, world->directory, whose, &why),
		0);
}

void sampled_read(struct sampled_world *world)
{
	static const struct whose everybody;

	sampled_read_as(world, &everybody);
}

const struct tree_node *sampled_node(const struct session *session,
				     const uint32_t *functions)
{
	uint32_t at = TREE_ROOT;

	for (; *functions; functions++) {
		at = tree_find(&session->tree, at, *functions);
		if (at == TREE_ROOT)
			return NULL;
	}
	return &session->tree.nodes[at];
}

void sampled_assert(const struct sampled_world *world,
		    const struct tree_node *node, uint64_t samples)
{
	struct measure self;

	assert_non_null(node);
	self = node_self(&world->session.tree, node);
	assert_int_equal(self.samples, samples);
	assert_int_equal(self.ns, 1000 * samples);
}
