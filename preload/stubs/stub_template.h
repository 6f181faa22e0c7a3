/* SPDX-License-Identifier: MIT */
/* The templates of stubs, in the layout of hot/stub_template.inc. */
#ifndef CLEW_STUBS_STUB_TEMPLATE_H
#define CLEW_STUBS_STUB_TEMPLATE_H

#include <stdint.h>

#include "preload/hot/layout.h"
#include "preload/hot/sink.h"

struct hole {
	uint16_t at; /* offset in the template */
	uint16_t kind;
};

/*
 * Number of offsets in a stub at which the return address moves between the
 * stack and the shadow.
 */
#define STUB_TURNS 6

struct stub_template {
	const uint8_t *start;
	const struct hole *holes, *holes_end;
	uint16_t bytes; /* size of a stub */
	uint16_t entry_at;
	/* Space for the displaced instructions. */
	uint16_t displaced_at, displaced_end;
	uint16_t turns[STUB_TURNS]; /* these offsets, in ascending order */
	uint16_t glance_at;         /* offset of the test for tail calls */
	uint16_t exit_elsewhere_at; /* see hot/shadow.h */
	uint16_t kind; /* kind of the stub's first part (STUB_PLAIN, ...) */
};

/*
 * Returns the template of this session's stubs, except leaves with a template
 * of their own.
 */
static inline const struct stub_template *stub_template(void)
{
	return rt.sink->stub;
}

/*
 * Returns the template of a stub with this byte at STUB_KIND_AT, from this
 * session or an earlier one.
 */
static inline const struct stub_template *stub_template_of(uint8_t kind)
{
	return kind == STUB_LEAF && rt.sink->leaf_stub ? rt.sink->leaf_stub
						       : rt.sink->stub;
}

#endif
