/* SPDX-License-Identifier: MIT */
/*
 * Stores how often each call instruction has made a call (clew record --sites).
 */
#ifndef CLEW_CODE_CALL_SITES_H
#define CLEW_CODE_CALL_SITES_H

#include <stdint.h>

#include "base/idmap.h"
#include "report/view/session.h"

/* The caller sets all members to 0 before use. */
struct call_sites {
	/* maps (module + 1) << 48 | return address to the number of calls */
	struct idmap calls;
};

/*
 * Reads the call sites of the recording at `path` once more, if it has any.
 * The modules are those of `session`, which `whose` selected. Returns 0, or
 * -errno and *why.
 */
int call_sites_read(struct call_sites *sites, const struct session *session,
		    const char *path, const struct whose *whose, char **why);
void call_sites_fini(struct call_sites *sites);

/* Returns the calls that return to a vaddr of a module. */
uint64_t call_sites_of(const struct call_sites *sites, uint32_t module,
		       uint64_t vaddr);

#endif
