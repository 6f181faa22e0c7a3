/* SPDX-License-Identifier: MIT */
/* See switch.h. */
#include "preload/hot/switch.h"

#include "preload/hot/sink.h"

static void turn_off(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	rt.sink->off();
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

void switch_update(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (switch_is_on())
		rt.sink->on();
	if (!switch_is_on())
		turn_off();
}

void switch_attach(struct tally *tally)
{
	hot.tally = tally;
	switch_update();
}

void switch_detach(void)
{
	hot.tally = NULL;
	turn_off();
}

void switch_begin(void)
{
	switch_detach();
	hot.muted = HOT_IS_HEARD;
}

uint32_t switch_mute(enum hot_muted why)
{
	const uint32_t former = hot.muted;

	hot.muted = why;
	turn_off();
	return former;
}

void switch_unmute(uint32_t former)
{
	hot.muted = former;
	switch_update();
}

void switch_want(enum hot_wanted wanted)
{
	if (hot.wanted == wanted)
		return;
	hot.wanted = (uint16_t)wanted;
	sink_moved(0);
	switch_update();
}

void switch_doubt(uint32_t calls)
{
	hot.doubts_left = calls;
	turn_off();
}

void switch_doubt_less(void)
{
	if (hot.doubts_left == 1)
		switch_trust();
	else if (hot.doubts_left)
		hot.doubts_left--;
}

void switch_trust(void)
{
	if (!hot.doubts_left)
		return;
	hot.doubts_left = 0;
	switch_update();
}
