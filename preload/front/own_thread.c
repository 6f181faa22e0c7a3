/* SPDX-License-Identifier: MIT */
/* See own_thread.h. */
#include "preload/front/own_thread.h"

#include <pthread.h>

#include "preload/host/lookup.h"
#include "preload/host/next.h"
#include "preload/hot/switch.h"
#include "preload/patch/trap.h"
#include "preload/sys/sys.h"

static void *begin(void *does)
{
	int (*const detach)(pthread_t) =
		(int (*)(pthread_t))lookup_other("pthread_detach");

	switch_mute(HOT_MUTED_OWN);
	if (detach)
		detach(pthread_self());
	((void (*)(void))does)();
	return NULL;
}

/*
 * Creates the thread. All signals are blocked meanwhile, because signals for
 * the program must not be delivered to that thread.
 */
int own_thread_make(void (*does)(void))
{
	const uint32_t said = trap_mask_request();
	pthread_t thread;
	uint64_t signals;
	int err;

	sys_block_signals(&signals);
	err = NEXT(pthread_create)(&thread, NULL, begin, (void *)does);
	sys_restore_signals(&signals);
	trap_restore_mask_request(said);
	return err;
}
