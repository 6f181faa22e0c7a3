/* SPDX-License-Identifier: MIT */
#include "base/display_text.h"
#include "report/view/java_methods.h"
#include "report/write/text_writer.h"

#define GROUPED(number) (text_grouped(number).text)

/* What --java=exact has done. */
void text_java_methods(FILE *out, const struct session *session)
{
	const struct java_methods methods = java_methods_of(&session->catalog);

	if (methods.counted + methods.left == 0)
		return;
	fprintf(out, "Java: each call of %s method%s counted; %s left",
		GROUPED(methods.counted), methods.counted == 1 ? " is" : "s is",
		GROUPED(methods.left));
	for (unsigned int i = 0, some = 0; i < WIRE_JAVA_LEFT_COUNT; i++)
		if (methods.by_reason[i] > 0)
			fprintf(out, "%s%s: %s", some++ ? ", " : " (",
				java_left_text(i),
				GROUPED(methods.by_reason[i]));
	fputs(methods.left > 0 ? ")\n" : "\n", out);
}
