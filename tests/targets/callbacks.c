/* SPDX-License-Identifier: MIT */
/* Callbacks from the C library: qsort, bsearch, tsearch, twalk, on_exit. */
#define TRUTH_MAIN
#include "tests/targets/exit_handlers.h"
#include "tests/targets/truth.h"

#include <search.h>

#define ITEMS 2000

static unsigned int items[ITEMS];

static COUNTED unsigned int key_of(const void *item)
{
	ENTER(key_of);
	unsigned int key = *(const unsigned int *)item;
	LEAVE();
	return key;
}

static COUNTED int compare(const void *left, const void *right)
{
	unsigned int a;
	unsigned int b;

	ENTER(compare);
	a = key_of(left);
	b = key_of(right);
	LEAVE();
	return (a > b) - (a < b);
}

/* A comparison that sorts, so that the library's frames are nested. */
static COUNTED int compare_by_sorting(const void *left, const void *right)
{
	unsigned int pair[2];

	ENTER(compare_by_sorting);
	pair[0] = *(const unsigned int *)left;
	pair[1] = *(const unsigned int *)right;
	qsort(pair, 2, sizeof(pair[0]), compare);
	LEAVE();
	return pair[0] == *(const unsigned int *)left ? -1 : 1;
}

static COUNTED void visit(const void *node, VISIT which, int depth)
{
	ENTER(visit);
	if (which == postorder || which == leaf)
		printf("%u ", key_of(*(unsigned int *const *)node));
	LEAVE();
}

static COUNTED void at_exit(int status, void *unused)
{
	ENTER(at_exit);
	LEAVE();
	truth_write();
}

TRUTH_INLINE void fill(void)
{
	unsigned int seed = 1;

	for (int i = 0; i < ITEMS; i++) {
		seed = seed * 1103515245 + 12345;
		items[i] = seed >> 8;
	}
}

int main(void)
{
	void *tree = NULL;
	unsigned int found = 0;

	ENTER(main);
	fill();
	on_exit(at_exit, NULL);
	qsort(items, ITEMS, sizeof(items[0]), compare);
	for (unsigned int i = 0; i < ITEMS; i++)
		found += bsearch(&items[i], items, ITEMS, sizeof(items[0]),
				 compare) != NULL;
	for (int i = 0; i < 40; i++)
		tsearch(&items[i * 7 % 40], &tree, compare);
	twalk(tree, visit);
	qsort(items, 50, sizeof(items[0]), compare_by_sorting);
	printf("\nfound %u first %u last %u\n", found, items[0],
	       items[ITEMS - 1]);
	LEAVE();
	return 0;
}
