/* SPDX-License-Identifier: MIT */
/* See otlp_answer.h. */
#include "report/export/otlp_answer.h"

#include <errno.h>
#include <stdlib.h>

#include <report/otlp.pb-c.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"

int otlp_check_answer(const void *answer, size_t bytes, char **why)
{
	Otlp__Response *response = otlp__response__unpack(NULL, bytes, answer);
	const Otlp__PartialSuccess *partial =
		response ? response->partial_success : NULL;
	int err = 0;
	char *text;

	if (partial && partial->rejected_profiles > 0) {
		text = text_printable(
			memory_printf("%.200s", partial->error_message));
		err = fail(why, -EREMOTEIO,
			   "the collector rejected %lld profile%s%s%s",
			   (long long)partial->rejected_profiles,
			   text_plural((uint64_t)partial->rejected_profiles),
			   *text ? ": " : "", text);
		free(text);
	}
	if (response)
		otlp__response__free_unpacked(response, NULL);
	return err;
}
