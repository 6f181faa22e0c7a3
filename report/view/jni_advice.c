/* SPDX-License-Identifier: MIT */
/* See jni_advice.h. */
#include "report/view/jni_advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"

#define GROUPED(number)  (text_grouped(number).text)
#define DURATION(number) (text_duration(number).text)

enum { NAMES_SHOWN = 3 };

/* Facts about one call, of one kind. */
struct subject_notes {
	/* the call's notes; for events with names, one for each name */
	const struct jni_note *notes;
	size_t count;
	struct jni_note sum;
};

/* ---- Selection ---- */

static int is_platforms(const char *class)
{
	static const char *const packages[] = { "java.", "javax.", "jdk.",
						"sun.", "com.sun." };

	for (size_t i = 0; i < sizeof(packages) / sizeof(*packages); i++)
		if (strncmp(class, packages[i], strlen(packages[i])) == 0)
			return 1;
	return 0;
}

/*
 * Returns whether a JNI function copies a region, such as GetIntArrayRegion().
 * There is no advice on these functions, because advice recommends them.
 */
static int is_region(const char *function)
{
	const char *end = strstr(function, "Region");

	return end && end[strlen("Region")] == '\0';
}

static int concerns_us(struct catalog *catalog, const struct jni_note *sum)
{
	if (sum->call.caller == FUNCTION_NONE ||
	    (sum->call.native != FUNCTION_NONE &&
	     is_platforms(catalog_name(catalog, sum->call.native))))
		return 0;
	return sum->what != WIRE_JNI_COPY ||
	       !is_region(catalog_name(catalog, sum->call.function));
}

static int is_worth_saying(const struct subject_notes *subject)
{
	const struct jni_note *sum = &subject->sum;

	switch (sum->what) {
	case WIRE_JNI_LOOKUP:
		return sum->count >= JNI_LOOKUPS_LEAST &&
		       sum->count >= 10 * subject->count;
	case WIRE_JNI_COPY:
		return sum->amount >= JNI_COPIED_BYTES_LEAST ||
		       sum->count >= JNI_COPIES_LEAST;
	case WIRE_JNI_GLOBALS:
		return sum->count >= sum->amount + JNI_GLOBALS_LEAST;
	default:
		return sum->count > 0;
	}
}

/* Returns the value by which advice of one kind is sorted. */
static uint64_t weight_of(const struct subject_notes *subject)
{
	const struct jni_note *sum = &subject->sum;

	switch (sum->what) {
	case WIRE_JNI_COPY:
	case WIRE_JNI_CRITICAL:
		return sum->amount;
	case WIRE_JNI_GLOBALS:
		return sum->count - sum->amount;
	default:
		return sum->count;
	}
}

static int compare(const void *left, const void *right)
{
	const struct subject_notes *a = left, *b = right;
	const uint64_t heavy = weight_of(a), other = weight_of(b);

	if (a->sum.what != b->sum.what)
		return a->sum.what < b->sum.what ? -1 : 1;
	if (heavy != other)
		return heavy > other ? -1 : 1;
	return jni_call_compare(&a->sum.call, &b->sum.call);
}

/* ---- Texts ---- */

/* Writes a number of bytes, like "1.5 GB". */
static void put_bytes(FILE *out, uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KB", "MB", "GB", "TB" };
	double number = (double)bytes;
	size_t unit = 0;

	while (number >= 10000 && unit + 1 < sizeof(units) / sizeof(*units)) {
		number /= 1000;
		unit++;
	}
	fprintf(out, "%.*f %s", unit && number < 100 ? 1 : 0, number,
		units[unit]);
}

/*
 * Writes the location of a call: "helper(), below com.acme.A.native() <-
 * com.acme.A.run()".
 */
static void put_place(FILE *out, struct catalog *catalog,
		      const struct jni_call *call)
{
	fputs(catalog_name(catalog, call->caller), out);
	if (call->native != FUNCTION_NONE && call->native != call->caller)
		fprintf(out, ", below %s", catalog_name(catalog, call->native));
	if (call->java != FUNCTION_NONE)
		fprintf(out, " <- %s", catalog_name(catalog, call->java));
}

static int by_count(const void *left, const void *right)
{
	const struct jni_note *a = left, *b = right;

	return a->count > b->count ? -1 : a->count < b->count;
}

static void put_names(FILE *out, const struct subject_notes *subject)
{
	struct jni_note *sorted =
		memory_zeroed(subject->count, sizeof(*sorted));

	memcpy(sorted, subject->notes, subject->count * sizeof(*sorted));
	qsort(sorted, subject->count, sizeof(*sorted), by_count);
	for (size_t i = 0; i < subject->count && i < NAMES_SHOWN; i++)
		fprintf(out, "%s%s", i ? ", " : "", sorted[i].name);
	if (subject->count > NAMES_SHOWN)
		fprintf(out, " and %s more",
			GROUPED(subject->count - NAMES_SHOWN));
	free(sorted);
}

static void put_lookups(FILE *out, struct catalog *catalog,
			const struct subject_notes *subject)
{
	fprintf(out, "%s was called %s times for %s name%s (",
		catalog_name(catalog, subject->sum.call.function),
		GROUPED(subject->sum.count), GROUPED(subject->count),
		text_plural(subject->count));
	put_names(out, subject);
	fputs(") by ", out);
	put_place(out, catalog, &subject->sum.call);
	fputs(": look up each name once and store the result (a class as a "
	      "global reference)",
	      out);
}

static void put_copies(FILE *out, struct catalog *catalog,
		       const struct jni_note *sum)
{
	fprintf(out, "%s copied ", catalog_name(catalog, sum->call.function));
	put_bytes(out, sum->amount);
	fprintf(out, " in %s call%s (up to ", GROUPED(sum->count),
		text_plural(sum->count));
	put_bytes(out, sum->most);
	fputs(" at once) for ", out);
	put_place(out, catalog, &sum->call);
	fputs(": copy only the part that is needed (Get...Region), or share "
	      "memory (a direct buffer, or a short critical section)",
	      out);
}

static void put_critical(FILE *out, struct catalog *catalog,
			 const struct jni_note *sum)
{
	put_place(out, catalog, &sum->call);
	fprintf(out, " held a critical section (%s) for over 1 ms %s time%s, ",
		catalog_name(catalog, sum->call.function), GROUPED(sum->count),
		text_plural(sum->count));
	fprintf(out, "the longest %s, ", DURATION(sum->most));
	fprintf(out,
		"%s in total: the garbage collector, and threads that wait for "
		"it, may be delayed; release the section sooner, or copy",
		DURATION(sum->amount));
}

static void put_locals(FILE *out, struct catalog *catalog,
		       const struct jni_note *sum)
{
	fprintf(out, "%s call%s of ", GROUPED(sum->count),
		text_plural(sum->count));
	put_place(out, catalog, &sum->call);
	fprintf(out,
		" exceeded the ensured number of local references, with up to "
		"%s, created by %s: delete them in loops (DeleteLocalRef), or "
		"use PushLocalFrame or EnsureLocalCapacity",
		GROUPED(sum->most), catalog_name(catalog, sum->call.function));
}

static void put_globals(FILE *out, struct catalog *catalog,
			const struct jni_note *sum)
{
	fprintf(out, "%s of the %s references that %s created",
		GROUPED(sum->count - sum->amount), GROUPED(sum->count),
		catalog_name(catalog, sum->call.function));
	fputs(" for ", out);
	put_place(out, catalog, &sum->call);
	fputs(" were never deleted: their objects stay in memory", out);
}

static char *sentence_of(struct catalog *catalog,
			 const struct subject_notes *subject)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		memory_exhausted();
	switch (subject->sum.what) {
	case WIRE_JNI_LOOKUP:
		put_lookups(out, catalog, subject);
		break;
	case WIRE_JNI_COPY:
		put_copies(out, catalog, &subject->sum);
		break;
	case WIRE_JNI_CRITICAL:
		put_critical(out, catalog, &subject->sum);
		break;
	case WIRE_JNI_LOCALS:
		put_locals(out, catalog, &subject->sum);
		break;
	default:
		put_globals(out, catalog, &subject->sum);
	}
	fclose(out);
	return text;
}

/* ---- */

static int is_selected(const struct selection *selection,
		       struct catalog *catalog, const struct jni_call *call)
{
	const uint32_t parts[] = { call->function, call->caller, call->native,
				   call->java };

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (selection_has_function(selection, catalog, parts[i]))
			return 1;
	return 0;
}

/* Returns the index of the first entry of another call or kind. */
static size_t end_of(const struct jni_usage *notes, size_t first)
{
	const struct jni_note *one = &notes->items[first];
	size_t i = first;

	while (i < notes->count && notes->items[i].what == one->what &&
	       jni_call_compare(&notes->items[i].call, &one->call) == 0)
		i++;
	return i;
}

static struct subject_notes subject_of(const struct jni_usage *notes,
				       size_t first, size_t end)
{
	struct subject_notes subject = {
		.notes = &notes->items[first],
		.count = end - first,
		.sum = notes->items[first],
	};

	for (size_t i = first + 1; i < end; i++) {
		subject.sum.count += notes->items[i].count;
		subject.sum.amount += notes->items[i].amount;
		if (notes->items[i].most > subject.sum.most)
			subject.sum.most = notes->items[i].most;
	}
	return subject;
}

void jni_advice_init(struct jni_advice *advice, const struct jni_usage *notes,
		     struct catalog *catalog, const struct selection *selection)
{
	struct subject_notes *subjects =
		memory_zeroed(notes->count + 1, sizeof(*subjects));
	size_t count = 0;

	*advice = (struct jni_advice){ 0 };
	for (size_t i = 0; i < notes->count;) {
		const size_t end = end_of(notes, i);

		subjects[count] = subject_of(notes, i, end);
		count += is_worth_saying(&subjects[count]) &&
			 concerns_us(catalog, &subjects[count].sum) &&
			 is_selected(selection, catalog,
				     &subjects[count].sum.call);
		i = end;
	}
	if (count > 0)
		qsort(subjects, count, sizeof(*subjects), compare);
	for (size_t i = 0; i < count; i++) {
		advice->sentences = memory_grow(
			advice->sentences, advice->count, &advice->capacity,
			sizeof(*advice->sentences));
		advice->sentences[advice->count++] =
			sentence_of(catalog, &subjects[i]);
	}
	free(subjects);
}

void jni_advice_fini(struct jni_advice *advice)
{
	for (size_t i = 0; i < advice->count; i++)
		free(advice->sentences[i]);
	free(advice->sentences);
	*advice = (struct jni_advice){ 0 };
}
