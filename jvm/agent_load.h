/* SPDX-License-Identifier: MIT */
/*
 * How the agent gets into a JVM: an option makes the JVM load libclew.so, which
 * is already loaded, and call Agent_OnLoad().
 */
#ifndef CLEW_JVM_AGENT_LOAD_H
#define CLEW_JVM_AGENT_LOAD_H

/*
 * Stores whether a JVM is being created, which may then call Agent_OnLoad().
 * Any thread may call this function.
 */
void agent_await(int is_being_made);

/*
 * Returns "-agentpath:" with the path of libclew.so, in static memory, or NULL
 * if the path is not absolute, contains '=' or is too long.
 */
char *agent_option(void);

#endif
