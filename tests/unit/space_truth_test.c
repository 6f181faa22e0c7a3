/* SPDX-License-Identifier: MIT */
/*
 * Compares the answers for generated code with a replay that is too simple to
 * be wrong. In a perf map, the last line that contains an address is right. In
 * a jitdump file of Node.js, each record is right from its time on.
 *
 *	space_truth_test            a random map, as inconsistent as real ones
 *	space_truth_test real       all files in tests/data/perfmap, or in
 *	                            $CLEW_TEST_DATA/perfmap
 *
 * Exits with 77 if there are none.
 */
#undef NDEBUG /* the assertions below have side effects */
#include <assert.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbolizer/a2n.h"

struct entry {
	uint64_t start;
	uint64_t end;
	char *name;
};

struct truth {
	struct entry *entries;
	size_t count;
};

struct errors {
	uint64_t asked;
	uint64_t wrong;
};

/* ---- perf maps ---- */

static int parse(char *line, struct entry *out)
{
	char *end;

	line[strcspn(line, "\n")] = '\0';
	out->start = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return 0;
	out->end = out->start + strtoull(end + 1, &line, 16);
	if (line == end + 1 || *line != ' ' || line[1] == '\0')
		return 0;
	out->name = strdup(line + 1);
	return 1;
}

static struct truth read_truth(const char *path)
{
	FILE *file = fopen(path, "r");
	struct truth truth = { 0 };
	char *line = NULL;
	size_t room = 0;

	assert(file);
	while (getline(&line, &room, file) > 0) {
		struct entry entry;

		if (!parse(line, &entry))
			continue;
		truth.entries = reallocarray(truth.entries, truth.count + 1,
					     sizeof(*truth.entries));
		truth.entries[truth.count++] = entry;
	}
	free(line);
	fclose(file);
	return truth;
}

static void free_truth(struct truth *truth)
{
	for (size_t i = 0; i < truth->count; i++)
		free(truth->entries[i].name);
	free(truth->entries);
}

static const char *true_name(const struct truth *truth, uint64_t pc)
{
	for (size_t i = truth->count; i-- > 0;) {
		if (pc >= truth->entries[i].start && pc < truth->entries[i].end)
			return truth->entries[i].name;
	}
	return NULL;
}

static void ask(const struct a2n_space *space, const char *name, uint64_t pc,
		uint64_t time, struct errors *errors)
{
	struct a2n_frame frame = { 0 };

	a2n_space_lookup(space, pc, time, NULL, 0, NULL, &frame, 1);
	errors->asked++;
	if (!name && !frame.name)
		return;
	if (name && frame.name && strcmp(name, frame.name) == 0)
		return;
	errors->wrong++;
	fprintf(stderr, "0x%" PRIx64 " is %s, not %s\n", pc,
		name ? name : "nothing", frame.name ? frame.name : "nothing");
}

/* Checks both sides of all borders. */
static int check_map(const char *path)
{
	struct truth truth = read_truth(path);
	struct errors errors = { 0 };
	struct a2n_space *space;
	struct a2n_read read;

	assert(a2n_space_create(NULL, &space) == 0);
	assert(a2n_space_read_perf_map(space, path, 0, &read) == 0);
	assert(a2n_space_commit(space) == 0);
	for (size_t i = 0; i < truth.count; i++) {
		const uint64_t start = truth.entries[i].start;
		const uint64_t end = truth.entries[i].end;
		const uint64_t pcs[] = { start - 1, start, end - 1, end };

		for (size_t j = 0; j < 4; j++)
			ask(space, true_name(&truth, pcs[j]), pcs[j],
			    A2N_LATEST, &errors);
	}
	printf("%s: %zu lines, %" PRIu64 " malformed, %" PRIu64
	       " addresses, %" PRIu64 " wrong\n",
	       path, truth.count, read.malformed, errors.asked, errors.wrong);
	errors.wrong += read.records != truth.count;
	a2n_space_destroy(space);
	free_truth(&truth);
	return errors.wrong || !errors.asked;
}

/* ---- a map of our own ---- */

static uint32_t seed = 1;

static unsigned int random_below(unsigned int limit)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % limit;
}

static void write_line(FILE *file, unsigned int number)
{
	static const char *const prefixes[] = { "", "0x", "0x000000" };
	static const char *const names[] = { "JS:~f /a b.js:1:20",
					     "int f(int, java.lang.Object)",
					     "(wrapper to-native) F:g (int)" };
	const char *prefix = prefixes[random_below(3)];
	unsigned int start = 0x10000 + random_below(4000) * 0x40;
	unsigned int bytes = 1 + random_below(random_below(9) ? 0x80 : 0x4000);

	if (random_below(50) == 0)
		fprintf(file, "%x nothing%u\n", start, number);
	fprintf(file, "%s%x %s%x %s %u\n", prefix, start, prefix, bytes,
		names[random_below(3)], number);
	if (random_below(9) == 0) /* the same once more */
		fprintf(file, "%x %x again%u\n", start, bytes, number);
}

static int check_made(void)
{
	enum { LINES = 5000 };
	char path[] = "/tmp/clew-test-XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	int failed;

	assert(file);
	for (unsigned int i = 0; i < LINES; i++)
		write_line(file, i);
	fclose(file);
	failed = check_map(path);
	unlink(path);
	return failed;
}

/* ---- node's jitdump, all in its own byte order ---- */

static uint64_t number_at(const char *at, size_t bytes)
{
	uint64_t number = 0;

	memcpy(&number, at, bytes);
	return number;
}

static void check_line(const struct a2n_space *space, const char *line,
		       uint64_t start, uint64_t end, uint64_t time,
		       struct errors *errors)
{
	uint64_t pc = number_at(line, 8) - 0x40;
	struct a2n_frame frame = { 0 };

	if (pc < start || pc >= end)
		return;
	a2n_space_lookup(space, pc, time, NULL, 0, NULL, &frame, 1);
	errors->asked++;
	if (frame.line == number_at(line + 8, 4) && frame.file &&
	    strcmp(frame.file, line + 16) == 0)
		return;
	errors->wrong++;
	fprintf(stderr, "0x%" PRIx64 " is %s:%" PRIu64 ", not %s:%u\n", pc,
		line + 16, number_at(line + 8, 4),
		frame.file ? frame.file : "nothing", frame.line);
}

static void check_record(const struct a2n_space *space, const char *debug,
			 const char *load, struct errors *errors)
{
	uint64_t time = number_at(load + 8, 8);
	uint64_t start = number_at(load + 32, 8);
	uint64_t end = start + number_at(load + 40, 8);
	const char *line = debug + 32;

	ask(space, load + 56, start, time, errors);
	ask(space, load + 56, end - 1, time, errors);
	ask(space, NULL, start, time - 1, errors);
	for (uint64_t i = 0; i < number_at(debug + 24, 8); i++) {
		check_line(space, line, start, end, time, errors);
		line += 16 + strlen(line + 16) + 1;
	}
}

static int check_jitdump(const char *path)
{
	static char bytes[1 << 20];
	FILE *file = fopen(path, "r");
	const char *at = bytes + 40, *debug = NULL;
	struct errors errors = { 0 };
	struct a2n_space *space;
	struct a2n_read read;
	size_t count;

	assert(file);
	count = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	assert(count < sizeof(bytes));
	assert(a2n_space_create(NULL, &space) == 0);
	assert(a2n_space_read_jitdump(space, path, &read) == 0);
	assert(a2n_space_commit(space) == 0);
	for (; at < bytes + count; at += number_at(at + 4, 4)) {
		if (number_at(at, 4) == 2)
			debug = at;
		if (number_at(at, 4) != 0)
			continue;
		assert(debug);
		check_record(space, debug, at, &errors);
	}
	printf("%s: %" PRIu64 " records, %" PRIu64 " malformed, %" PRIu64
	       " addresses, %" PRIu64 " wrong\n",
	       path, read.records, read.malformed, errors.asked, errors.wrong);
	errors.wrong += read.malformed;
	a2n_space_destroy(space);
	return errors.wrong || !errors.asked;
}

/* ---- all real ones ---- */

static int check_all(const char *pattern, int (*check)(const char *path),
		     int *found)
{
	const char *folder = getenv("CLEW_TEST_DATA");
	char full[4096];
	int failed = 0;
	glob_t paths;

	snprintf(full, sizeof(full), "%s/perfmap/%s",
		 folder ? folder : CLEW_TEST_DATA, pattern);
	if (glob(full, 0, NULL, &paths) != 0)
		return 0;
	for (size_t i = 0; i < paths.gl_pathc; i++) {
		failed |= check(paths.gl_pathv[i]);
		*found = 1;
	}
	globfree(&paths);
	return failed;
}

int main(int argc, char **argv)
{
	int found = 0, failed;

	if (argc < 2)
		return check_made();
	failed = check_all("*.map", check_map, &found) |
		 check_all("*.jitdump", check_jitdump, &found);
	if (!found)
		puts("no perf maps of real programs: set CLEW_TEST_DATA");
	return found ? failed : 77;
}
