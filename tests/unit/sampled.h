/* SPDX-License-Identifier: MIT */
/*
 * A process that is being sampled, and then read. main (1) calls f (2) and g
 * (3). f calls h (4). 5 to 8 are never called.
 */
#ifndef CLEW_TESTS_SAMPLED_H
#define CLEW_TESTS_SAMPLED_H

#include "report/view/session.h"
#include "tests/unit/fixture.h"
#include "tests/unit/node_measures.h"

struct sampled_world {
	char *directory;
	struct fixture fixture;
	struct session session;
	uint64_t main, f, g, h;
};

/* Set-up and tear-down of tests whose state is a struct sampled_world. */
int sampled_set_up(void **state);
int sampled_tear_down(void **state);

/* Adds a sample of 1,000 ns. */
void sampled_add(struct sampled_world *world, uint64_t id, uint64_t where);

void sampled_read_as(struct sampled_world *world, const struct whose *whose);
void sampled_read(struct sampled_world *world);

/*
 * Returns the node at the end of a chain of the catalog's functions, which 0
 * ends.
 */
const struct tree_node *sampled_node(const struct session *session,
				     const uint32_t *functions);

#define F(number) (FUNCTION_FIRST + (number)-1)
#define NODE(world, ...)                                                       \
	sampled_node(&(world)->session, (const uint32_t[]){ __VA_ARGS__, 0 })

/* Checks that a node itself has this many samples of sampled_add(). */
void sampled_assert(const struct sampled_world *world,
		    const struct tree_node *node, uint64_t samples);

#endif
