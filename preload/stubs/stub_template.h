/* SPDX-License-Identifier: MIT */
/*
 * The templates that stubs are made from, as hot/stub_template.inc lays
 * them out.
 */
#ifndef CLEW_STUBS_STUB_TEMPLATE_H
#define CLEW_STUBS_STUB_TEMPLATE_H

#include <stdint.h>

#include "preload/hot/layout.h"
#include "preload/hot/sink.h"

struct hole {
	uint16_t at; /* offset in the template */
	uint16_t kind;
};

/* From these offsets on the return address is where it was not before. */
#define STUB_TURNS 6

struct stub_template {
	const uint8_t *start;
	const struct hole *holes, *holes_end;
	uint16_t bytes; /* of a stub */
	uint16_t entry_at;
	uint16_t displaced_at, displaced_end; /* room for the instructions */
	uint16_t turns[STUB_TURNS];           /* into the shadow, or back */
	uint16_t glance_at;                   /* the test for tail calls */
	uint16_t exit_elsewhere_at;           /* hot/shadow.h */
	uint16_t kind;                        /* of its first part */
};

/* What this process makes its stubs from. */
static inline const struct stub_template *stub_template(void)
{
	return rt.sink->stub;
}

/* That of a stub with this byte at STUB_KIND_AT, of this session or one before it. */
static inline const struct stub_template *stub_template_of(uint8_t kind)
{
	return kind == STUB_LEAF && rt.sink->leaf_stub ? rt.sink->leaf_stub
						       : rt.sink->stub;
}

#endif
