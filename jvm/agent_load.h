/* SPDX-License-Identifier: MIT */
/*
 * How a Java virtual machine comes to our agent: an option says that it shall load
 * libclew.so, which is there already, and it calls Agent_OnLoad().
 */
#ifndef CLEW_JVM_AGENT_LOAD_H
#define CLEW_JVM_AGENT_LOAD_H

/* Whether a machine is being made, which calls Agent_OnLoad(). */
void agent_await(int is_being_made);

/* "-agentpath:" and libclew.so as the loader knows it; NULL if it cannot be said. */
char *agent_option(void);

#endif
