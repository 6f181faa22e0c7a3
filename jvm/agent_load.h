/* SPDX-License-Identifier: MIT */
/*
 * How the agent gets into a JVM: an option makes the JVM load libclew.so, which
 * is already loaded, and call Agent_OnLoad().
 */
#ifndef CLEW_JVM_AGENT_LOAD_H
#define CLEW_JVM_AGENT_LOAD_H

/* Stores whether a JVM is being created, which will call Agent_OnLoad(). */
void agent_await(int is_being_made);

/*
 * Returns "-agentpath:" with the path of libclew.so, or NULL if that is not
 * usable.
 */
char *agent_option(void);

#endif
