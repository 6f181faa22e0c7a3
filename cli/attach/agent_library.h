/* SPDX-License-Identifier: MIT */
/*
 * The agent library that a process loads besides libclew.so, such as
 * libclew-alloc.so (--agent).
 */
#ifndef CLEW_CLI_ATTACH_AGENT_LIBRARY_H
#define CLEW_CLI_ATTACH_AGENT_LIBRARY_H

/*
 * Parses FILE or FILE:OPTION. Sets *path to the file's absolute path, and
 * *directive to the value of the directive `agent`: the name of the file, and
 * the option. The caller frees both. Returns 0; or -errno and *why if the file
 * cannot be read or is no agent library.
 */
int agent_library_parse(const char *text, char **path, char **directive,
			char **why);

#endif
