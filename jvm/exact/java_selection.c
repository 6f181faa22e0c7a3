/* SPDX-License-Identifier: MIT */
/* See java_selection.h. */
#include "jvm/exact/java_selection.h"

#include <errno.h>
#include <string.h>

#include "image/arena.h"
#include "jvm/exact/tracker_class.h"
#include "match/ere.h"
#include "match/glob.h"
#include "preload/hot/large_table.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/lock.h"
#include "preload/sys/text.h"

#define PATTERNS_MAX 256
#define NAME_BYTES   2048
#define WILD         "*?[\\"

struct pattern {
	const char *text;
	int excludes;
	int is_regex;
	struct ere regex;
};

static struct {
	/*
	 * Taken while a regular expression is used, because only one thread may
	 * do so at a time.
	 */
	struct lock lock;
	struct arena arena;
	struct pattern patterns[PATTERNS_MAX];
	uint32_t count;
	int includes;
} selection LARGE_TABLE;

/* ---- Reading ---- */

/*
 * Returns the end of the pattern at the start of the text: a comma, the end of
 * the text, or the character behind a regular expression's closing slash, since
 * such an expression may contain commas.
 */
static const char *end_of(const char *text)
{
	const char *at = text + (*text == '!');

	if (*at == '/') {
		at = strchr(at + 1, '/');
		return at ? at + 1 : text + strlen(text);
	}
	return at + strcspn(at, ",");
}

static int add(const char *text, size_t bytes)
{
	struct pattern *one = &selection.patterns[selection.count];
	const char *why;
	char *copy;
	int err = 0;

	if (selection.count == PATTERNS_MAX)
		return -E2BIG;
	*one = (struct pattern){ .excludes = *text == '!' };
	text += one->excludes;
	bytes -= (size_t)one->excludes;
	one->is_regex = bytes > 1 && text[0] == '/' && text[bytes - 1] == '/';
	text += one->is_regex;
	bytes -= one->is_regex ? 2 : 0;
	copy = arena_alloc(&selection.arena, bytes + 1);
	if (!copy)
		return -ENOMEM;
	copy_bytes(copy, text, bytes);
	one->text = copy;
	if (one->is_regex)
		err = ere_compile(&one->regex, copy, arena_memory,
				  &selection.arena, &why);
	if (err)
		return err;
	selection.count++;
	selection.includes |= !one->excludes;
	return 0;
}

int java_selection_begin(const char *patterns)
{
	const char *at = patterns ? patterns : "";
	int err = 0;

	arena_fini(&selection.arena);
	selection.count = 0;
	selection.includes = 0;
	while (*at && !err) {
		const char *end = end_of(at);

		if (end > at)
			err = add(at, (size_t)(end - at));
		at = end + (*end == ',');
	}
	return err;
}

/* ---- Queries ---- */

int java_selection_names_classes(void)
{
	return selection.includes;
}

static int matches(struct pattern *one, const char *class_name,
		   const char *whole)
{
	if (one->is_regex)
		return ere_matches(&one->regex, whole);
	return glob_matches(one->text, whole) ||
	       glob_matches(one->text, class_name);
}

static int is_meant(const char *class_name, const char *whole, int is_own)
{
	int is_included = !selection.includes && !is_own;

	for (uint32_t i = 0; i < selection.count; i++) {
		struct pattern *one = &selection.patterns[i];

		if ((!one->excludes && is_included) ||
		    !matches(one, class_name, whole))
			continue;
		if (one->excludes)
			return 0;
		is_included = 1;
	}
	return is_included;
}

int java_selection_has(const char *class_name, const char *method, int is_own)
{
	char whole[NAME_BYTES];
	struct text text = text_in(whole, sizeof(whole));
	uint64_t signals;
	int has;

	if (!selection.count)
		return !is_own;
	text_string(&text, class_name);
	text_char(&text, '.');
	text_string(&text, method);
	lock_acquire(&selection.lock, &signals);
	has = is_meant(class_name, whole, is_own);
	lock_release(&selection.lock, &signals);
	return has;
}

/*
 * Returns whether the pattern up to its first wildcard and the class's name
 * agree, as far as the shorter of both reaches.
 */
static int may_match(const struct pattern *one, const char *class_name)
{
	const size_t fixed = one->is_regex ? 0 : strcspn(one->text, WILD);
	const size_t length = strlen(class_name);

	return strncmp(one->text, class_name,
		       fixed < length ? fixed : length) == 0;
}

int java_selection_may_have(const char *class_name)
{
	for (uint32_t i = 0; i < selection.count; i++)
		if (!selection.patterns[i].excludes &&
		    may_match(&selection.patterns[i], class_name))
			return 1;
	return 0;
}

/* ---- Classes that are never changed ---- */

int java_selection_is_needed(const char *class_name)
{
	static const char *const needed[] = {
		"java/lang/Object",        "java/lang/Thread",
		"java/lang/Class",         TRACKER_NATIVES,
		"java/lang/VirtualThread",
	};
	static const char *const beginnings[] = {
		"java/lang/invoke/", "java/lang/ref/",
		"jdk/internal/",     "sun/",
		"java/lang/Thread$", "java/lang/Class$",
		TRACKER_CLASS,
	};

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (same_text(class_name, needed[i]))
			return 1;
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
		if (!strncmp(class_name, beginnings[i], strlen(beginnings[i])))
			return 1;
	return 0;
}

void java_selection_dotted(char out[JAVA_SELECTION_NAME_BYTES],
			   const char *name, size_t bytes)
{
	if (bytes > JAVA_SELECTION_NAME_BYTES - 1)
		bytes = JAVA_SELECTION_NAME_BYTES - 1;
	for (size_t i = 0; i < bytes; i++)
		out[i] = name[i] == '/' ? '.' : name[i];
	out[bytes] = '\0';
}
