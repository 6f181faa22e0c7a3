/* SPDX-License-Identifier: MIT */
/*
 * The libclew.so of a hostile process: it answers each call of `clew attach`
 * with data that its test sets at compile time. ON_PREPARE, ON_ENTER, ON_LEAVE
 * and ON_ASK are statements.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "wire/attachment.h"
#include "wire/probe_requests.h"

#ifndef ON_PREPARE
#define ON_PREPARE
#endif
#ifndef ON_ENTER
#define ON_ENTER
#endif
#ifndef ON_LEAVE
#define ON_LEAVE
#endif
#ifndef ON_ASK
#define ON_ASK
#endif

struct wire_attachment clew_attachment = { .version = WIRE_ATTACH_VERSION };
struct wire_live_probes clew_probes = { .version = WIRE_LIVE_PROBES_VERSION };

static struct wire_frame frames[4];
static struct wire_text texts[2];
static uint8_t windows[1 << 23];

void clew_attach_prepare(const char *dir, uint64_t controller)
{
	strncpy(clew_attachment.dir, dir, sizeof(clew_attachment.dir) - 1);
	clew_attachment.controller = (uint32_t)controller;
	clew_attachment.result = 0;
	clew_attachment.state = WIRE_ATTACH_PREPARED;
	clew_attachment.texts = (uintptr_t)texts;
	clew_attachment.frames = (uintptr_t)frames;
	clew_attachment.frame_max = 4;
	clew_attachment.windows = (uintptr_t)windows;
	ON_PREPARE;
}

void clew_attach_enter(void *threads, uint64_t count)
{
	(void)threads;
	(void)count;
	clew_attachment.result = 0;
	clew_attachment.state = WIRE_ATTACH_ENTERED;
	ON_ENTER;
}

void clew_attach_runtimes(uint64_t wish)
{
	(void)wish;
	clew_attachment.result = 0;
}

void clew_attach_finish(void)
{
	clew_attachment.result = 0;
	clew_attachment.finish_wish = 0;
}

void clew_attach_detach(void *threads, uint64_t count)
{
	(void)threads;
	(void)count;
	clew_attachment.result = 0;
	clew_attachment.state = WIRE_ATTACH_LEFT;
	ON_LEAVE;
}

void clew_probes_request(const char *lines, uint64_t bytes)
{
	(void)lines;
	(void)bytes;
	clew_probes.state = WIRE_LIVE_DONE;
	ON_ASK;
}
