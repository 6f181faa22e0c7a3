/* SPDX-License-Identifier: MIT */
/*
 * In an attached process, lets a program that is linked with libclew-agent call
 * the functions of libclew.so (agent/agent_table.h).
 */
#ifndef CLEW_FRONT_AGENT_TABLES_H
#define CLEW_FRONT_AGENT_TABLES_H

#include "preload/modules/modules.h"

/*
 * If the new module is a libclew-agent, adds the addresses of clew's functions
 * to the journal, as data of the module. If the program already runs with the
 * hooks, stores them as well. Called with the loader's lock held.
 */
void agent_tables_meet(const struct module *module);

#endif
