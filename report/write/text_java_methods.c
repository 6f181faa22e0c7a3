/* SPDX-License-Identifier: MIT */
/* Numbers of counted Java methods as text. */
#include "base/display_text.h"
#include "report/view/java_methods.h"
#include "report/write/text_writer.h"

#define GROUPED(number) (text_grouped(number).text)

void text_java_counted(FILE *out, const struct java_methods *methods,
		       int is_in_place)
{
	const int is_one = methods->counted == 1;

	if (methods->standing_by < methods->counted ||
	    methods->standing_by == 0)
		fprintf(out, "each call of %s%s method%s counted",
			is_in_place ? "compiled code of " : "",
			GROUPED(methods->counted), is_one ? " is" : "s is");
	else
		fprintf(out,
			"calls of %s method%s are counted while clew attach "
			"is attached (standby)",
			GROUPED(methods->counted), is_one ? "" : "s");
}

/* Reports how many methods --java=exact, standby or inplace counts. */
void text_java_methods(FILE *out, const struct session *session)
{
	const struct java_methods methods = java_methods_of(&session->catalog);

	if (methods.counted + methods.left == 0)
		return;
	fputs("Java: ", out);
	text_java_counted(out, &methods, session->summary.is_in_place);
	fprintf(out, "; %s not counted", GROUPED(methods.left));
	for (unsigned int i = 0, some = 0; i < WIRE_JAVA_LEFT_COUNT; i++)
		if (methods.by_reason[i] > 0)
			fprintf(out, "%s%s: %s", some++ ? ", " : " (",
				java_left_text(i),
				GROUPED(methods.by_reason[i]));
	fputs(methods.left > 0 ? ")\n" : "\n", out);
	if (session->summary.is_in_place)
		fputs("Java: interpreted calls and inlined calls are not "
		      "counted\n",
		      out);
}
