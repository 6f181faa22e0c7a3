/* SPDX-License-Identifier: MIT */
/* Advice on the use of JNI as text. */
#include "report/view/jni_advice.h"
#include "report/write/text_writer.h"

void text_jni(FILE *out, struct session *session,
	      const struct selection *selection)
{
	struct jni_advice advice;

	jni_advice_init(&advice, &session->jni, &session->catalog, selection);
	if (advice.count > 0) {
		text_begin(out, session->has_color, STYLE_HEADING);
		fputs("What to change:\n", out);
		text_end(out, session->has_color, STYLE_HEADING);
	}
	for (size_t i = 0; i < advice.count; i++)
		fprintf(out, "- %s\n", advice.sentences[i]);
	jni_advice_fini(&advice);
}
