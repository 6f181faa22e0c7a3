/* SPDX-License-Identifier: MIT */
/* See layers.h. */
#include "preload/hooking/layers.h"

#include <errno.h>
#include <stddef.h>

#include "jvm/jvm.h"
#include "preload/generated/registered.h"

static const struct managed_runtime *const runtimes[] = {
#if CLEW_JVM
	&jvm_runtime,
#endif
	&registered_runtimes,
	NULL,
};

void layers_meet_module(struct module *module, struct windows *windows,
			struct wire_function *functions, uint32_t count)
{
	for (size_t i = 0; runtimes[i]; i++)
		runtimes[i]->meet_module(module, windows, functions, count);
}

void layers_forget_numbers(void)
{
	for (size_t i = 0; runtimes[i]; i++)
		if (runtimes[i]->forget_numbers)
			runtimes[i]->forget_numbers();
}

static int is_there(const struct managed_runtime *runtime)
{
	return runtime->is_there && runtime->is_there();
}

int layers_are_there(void)
{
	for (size_t i = 0; runtimes[i]; i++)
		if (is_there(runtimes[i]))
			return 1;
	return 0;
}

void layers_begin_late(void)
{
	for (size_t i = 0; runtimes[i]; i++)
		if (is_there(runtimes[i]))
			runtimes[i]->begin_late();
}

int layers_switch(int is_on)
{
	int err = -ENOENT;

	for (size_t i = 0; runtimes[i]; i++)
		if (runtimes[i]->switch_calls && err)
			err = runtimes[i]->switch_calls(is_on);
	return err;
}

int layers_end_late(void)
{
	int err = 0;

	for (size_t i = 0; runtimes[i]; i++)
		if (is_there(runtimes[i]) && !err)
			err = runtimes[i]->end_late();
	return err;
}

void layers_abandon(void)
{
	for (size_t i = 0; runtimes[i]; i++)
		if (is_there(runtimes[i]))
			runtimes[i]->abandon();
}
