/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is a baseline and, behind the first NUL byte, a
 * condition.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/view/baseline.h"
#include "report/view/gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int open_text(struct session *session, const uint8_t *data, size_t size)
{
	char *copy = memory_string((const char *)data, size);
	char *why = NULL;
	int err = baseline_parse(session, "x", copy, size, &why);

	free(copy);
	free(why);
	return err;
}

static void judge(const struct diff *diff, struct session *before,
		  struct session *after, const char *text)
{
	static const struct selection all;
	struct condition condition;
	struct gate gate;
	char *why = NULL;

	if (condition_parse(&condition, text, &why) == 0) {
		if (gate_init(&gate, diff, before, after, &all, &condition, 1,
			      &why) == 0)
			gate_fini(&gate);
		condition_fini(&condition);
	}
	free(why);
}

/* Compares the baseline with itself, and then with its first half. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = memchr(data, '\0', size);
	const size_t bytes = nul ? (size_t)(nul - data) : size;
	char *text =
		nul ? memory_string((const char *)nul + 1, size - bytes - 1)
		    : memory_string("calls(*)>0", 10);
	struct session before, after;
	struct diff diff;

	for (size_t part = 1; part <= 2; part++) {
		if (open_text(&before, data, bytes) != 0)
			break;
		if (open_text(&after, data, bytes / part) == 0) {
			diff_init(&diff, &before, &after);
			judge(&diff, &before, &after, text);
			diff_fini(&diff);
			session_close(&after);
		}
		session_close(&before);
	}
	free(text);
	return 0;
}
