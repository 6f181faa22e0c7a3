/* SPDX-License-Identifier: MIT */
/* remote PID prints the stack of a process according to libunwind-ptrace. */
#include <libunwind-ptrace.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

static int print(pid_t pid)
{
	unw_addr_space_t space = unw_create_addr_space(&_UPT_accessors, 0);
	void *context = _UPT_create(pid);
	unw_cursor_t cursor;
	int result;

	if (!space || !context || unw_init_remote(&cursor, space, context))
		return 1;
	do {
		char name[256] = "?";
		unw_word_t offset;

		unw_get_proc_name(&cursor, name, sizeof(name), &offset);
		puts(name);
		result = unw_step(&cursor);
	} while (result > 0);
	_UPT_destroy(context);
	return result != 0;
}

int main(int argc, char **argv)
{
	pid_t pid = argc > 1 ? atoi(argv[1]) : 0;
	int status, failed;

	if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) ||
	    waitpid(pid, &status, 0) != pid)
		return 2;
	failed = print(pid);
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return failed;
}
