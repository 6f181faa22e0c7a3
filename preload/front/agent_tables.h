/* SPDX-License-Identifier: MIT */
/*
 * In an attached process, lets a program that is linked with libclew-agent call
 * the functions of libclew.so (agent/agent_table.h).
 */
#ifndef CLEW_FRONT_AGENT_TABLES_H
#define CLEW_FRONT_AGENT_TABLES_H

#include <link.h>

#include "preload/modules/modules.h"

/*
 * Lets an agent library of this version of clew call clew's functions before
 * the session begins, until this is called again with is_lent = 0.
 */
void agent_tables_lend(const struct link_map *map, int is_lent);

/*
 * If the new module is a libclew-agent, adds the addresses of clew's functions
 * to the journal, as data of the module. If the program already runs with the
 * hooks, stores them as well. Called with the loader's lock held.
 */
void agent_tables_meet(const struct module *module);

#endif
