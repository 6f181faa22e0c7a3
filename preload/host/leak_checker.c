/* SPDX-License-Identifier: MIT */
/* See leak_checker.h. */
#include "preload/host/leak_checker.h"

#include <fcntl.h>

#include "preload/sys/sys.h"

#define VARIABLE "HEAPCHECK="

/* How much of the variable's name the current entry has matched. */
struct variable_match {
	unsigned int matched;
	int is_other; /* the entry is another variable */
	int is_set;
};

static void match_byte(struct variable_match *match, char byte)
{
	if (byte == '\0') {
		*match = (struct variable_match){ .is_set = match->is_set };
	} else if (match->matched == sizeof(VARIABLE) - 1) {
		match->is_set = 1; /* the value is not empty */
	} else if (!match->is_other) {
		match->is_other = byte != VARIABLE[match->matched];
		match->matched += !match->is_other;
	}
}

int leak_checker_is_requested(void)
{
	int fd = sys_open("/proc/self/environ", O_RDONLY | O_CLOEXEC, 0);
	struct variable_match match = { 0 };
	char bytes[1024];
	long got;

	if (fd < 0)
		return 0;
	while (!match.is_set && (got = sys_read(fd, bytes, sizeof(bytes))) > 0)
		for (long i = 0; i < got; i++)
			match_byte(&match, bytes[i]);
	sys_close(fd);
	return match.is_set;
}
