/* SPDX-License-Identifier: MIT */
#include "preload/layers.h"

#include <stddef.h>

#include "jvm/jvm.h"
#include "preload/front/registered.h"

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
