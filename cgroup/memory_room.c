/* SPDX-License-Identifier: MIT */
/* See memory_room.h. */
#include "cgroup/memory_room.h"

/* A limit from this value on is none: version 1 reports 2^63 minus a page. */
#define NO_LIMIT     (UINT64_C(1) << 62)
#define RESERVE_MAX  (UINT64_C(256) << 20)
#define RESERVE_PART 8

/* ---- Text ---- */

/* Returns the rest of a text after a word at its start, or NULL. */
static const char *behind(const char *text, const char *word)
{
	for (; *word; text++, word++)
		if (*text != *word)
			return NULL;
	return text;
}

/* Appends as much as fits. Returns the new length. */
static size_t append(char *out, size_t used, const char *text)
{
	while (*text && used < MEMORY_ROOM_PATH - 1)
		out[used++] = *text++;
	out[used] = '\0';
	return used;
}

/* Parses a number; "max" and other texts mean no limit. */
static uint64_t number_of(const char *text)
{
	uint64_t number = 0;

	while (*text == ' ' || *text == '\t')
		text++;
	if (*text < '0' || *text > '9')
		return UINT64_MAX;
	for (; *text >= '0' && *text <= '9'; text++)
		number = number * 10 + (uint64_t)(*text - '0');
	return number;
}

/*
 * Returns whether a list "a,b,c", up to a character or the end, contains the
 * word.
 */
static int has_word(const char *list, char end, const char *word)
{
	while (*list && *list != end) {
		const char *rest = behind(list, word);

		if (rest && (!*rest || *rest == ',' || *rest == end))
			return 1;
		while (*list && *list != ',' && *list != end)
			list++;
		list += *list == ',';
	}
	return 0;
}

/* Returns the n-th next field of a line; fields are separated by blanks. */
static const char *field(const char *line, int n)
{
	while (n-- > 0) {
		while (*line && *line != ' ')
			line++;
		line += *line == ' ';
	}
	return line;
}

/*
 * Copies a path in mountinfo: up to a blank, with \ooo for special characters.
 */
static size_t copy_mounted(char *out, const char *from)
{
	size_t used = 0;

	for (; *from && *from != ' ' && used < MEMORY_ROOM_PATH - 1; from++) {
		char c = *from;

		if (c == '\\' && from[1] && from[2] && from[3]) {
			c = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 |
				   (from[3] - '0'));
			from += 3;
		}
		out[used++] = c;
	}
	out[used] = '\0';
	return used;
}

/* ---- Files ---- */

typedef void (*line_taker)(struct memory_room_search *search);

/*
 * Calls `take` for each line of search->path, in search->line; long lines are
 * cut.
 */
static void each_line(struct memory_room_search *search, line_taker take)
{
	const int fd = search->files->open(search->path);
	size_t used = 0;
	long got;

	if (fd < 0)
		return;
	while ((got = search->files->read(fd, search->block,
					  sizeof(search->block))) > 0) {
		for (long i = 0; i < got; i++) {
			const char c = search->block[i];

			if (c != '\n' && used < MEMORY_ROOM_PATH - 1)
				search->line[used++] = c;
			if (c != '\n')
				continue;
			search->line[used] = '\0';
			used = 0;
			take(search);
		}
	}
	search->files->close(fd);
}

static void set_path(struct memory_room_search *search, const char *a,
		     const char *b, const char *c)
{
	size_t used = append(search->path, 0, search->root);

	used = append(search->path, used, a);
	used = append(search->path, used, b);
	append(search->path, used, c);
}

/* ---- The group ---- */

/*
 * Parses "4:memory:/group", or "0::/group" if no hierarchy of version 1 has the
 * memory controller.
 */
static void take_group(struct memory_room_search *search)
{
	const char *controllers = search->line,
		   *v2 = behind(controllers, "0::");
	const char *path;

	while (*controllers && *controllers != ':')
		controllers++;
	path = controllers += *controllers == ':';
	while (*path && *path != ':')
		path++;
	path += *path == ':';
	if (v2 ? search->has_group : !has_word(controllers, ':', "memory"))
		return;
	search->is_v2 = v2 != NULL;
	search->has_group = 1;
	append(search->group, 0, path);
}

/*
 * Returns the TYPE in "ID PARENT DEVICE ROOT PLACE OPTIONS [FIELD...] - TYPE
 * SOURCE OPTIONS".
 */
static const char *type_of_mount(const char *line)
{
	for (line = field(line, 6); *line; line = field(line, 1))
		if (behind(line, "- "))
			return line + 2;
	return line;
}

/*
 * Returns the length of the part of the group's path that the mount's root
 * covers, or SIZE_MAX if it covers none.
 */
static size_t covered(const char *group, const char *root)
{
	const char *rest;

	if (!root[1]) /* the root is "/" */
		return 0;
	rest = behind(group, root);
	return rest && (!*rest || *rest == '/') ? (size_t)(rest - group)
						: SIZE_MAX;
}

/*
 * Stores the first mount that shows the group. If there is none, stores any
 * mount of the right type, such as a container's own.
 */
static void take_mount(struct memory_room_search *search)
{
	const char *type = type_of_mount(search->line);
	size_t root_bytes;

	if (search->mount_fits ||
	    (search->is_v2 ? !behind(type, "cgroup2 ")
			   : !behind(type, "cgroup ") ||
				     !has_word(field(type, 2), ' ', "memory")))
		return;
	copy_mounted(search->path, field(search->line, 3));
	root_bytes = covered(search->group, search->path);
	if (root_bytes == SIZE_MAX && search->has_mount)
		return;
	search->has_mount = 1;
	search->mount_fits = root_bytes != SIZE_MAX;
	search->root_bytes = root_bytes;
	search->mount_bytes =
		copy_mounted(search->mount, field(search->line, 4));
}

/* ---- Memory left ---- */

enum known_value {
	ACTIVE,
	INACTIVE,
	DIRTY,
	WRITEBACK,
	TOTAL,
	AVAILABLE,
	VALUES
};

static void take_value(struct memory_room_search *search)
{
	static const struct {
		const char *name;
		enum known_value value;
		int is_v2;
	} names[] = {
		{ "total_active_file ", ACTIVE, 0 },
		{ "total_inactive_file ", INACTIVE, 0 },
		{ "total_dirty ", DIRTY, 0 },
		{ "total_writeback ", WRITEBACK, 0 },
		{ "active_file ", ACTIVE, 1 },
		{ "inactive_file ", INACTIVE, 1 },
		{ "file_dirty ", DIRTY, 1 },
		{ "file_writeback ", WRITEBACK, 1 },
		{ "MemTotal:", TOTAL, 2 },
		{ "MemAvailable:", AVAILABLE, 2 },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *number = behind(search->line, names[i].name);

		if (number &&
		    (names[i].is_v2 == 2 || names[i].is_v2 == search->is_v2))
			search->values[names[i].value] = number_of(number);
	}
}

static void take_number(struct memory_room_search *search)
{
	search->values[0] = number_of(search->line);
}

/*
 * Reads a number from a file of the group at search->mount. Returns UINT64_MAX
 * if there is no such file, or if it contains "max".
 */
static uint64_t read_number(struct memory_room_search *search, const char *name)
{
	uint64_t number = UINT64_MAX;

	search->values = &number;
	set_path(search, search->mount, "/", name);
	each_line(search, take_number);
	return number;
}

static uint64_t less(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

uint64_t memory_room_reserve(uint64_t limit)
{
	const uint64_t part = limit / RESERVE_PART;

	return part < RESERVE_MAX ? part : RESERVE_MAX;
}

/* Returns whether a group leaves less than the groups found so far. */
static int is_narrower(struct memory_room *found, uint64_t limit, uint64_t left,
		       const char *file)
{
	const uint64_t to_take = less(left, memory_room_reserve(limit));

	if (found->limit != UINT64_MAX && to_take >= found->to_take)
		return 0;
	found->limit = limit;
	found->left = left;
	found->to_take = to_take;
	found->file = file;
	return 1;
}

static uint64_t droppable(struct memory_room_search *search)
{
	uint64_t values[VALUES] = { 0 };

	search->values = values;
	set_path(search, search->mount, "/memory.stat", "");
	each_line(search, take_value);
	return less(values[ACTIVE] + values[INACTIVE],
		    values[DIRTY] + values[WRITEBACK]);
}

static void check_limit(struct memory_room_search *search, const char *file,
			const char *usage)
{
	const uint64_t limit = read_number(search, file);
	uint64_t used;

	if (limit >= NO_LIMIT)
		return;
	used = read_number(search, usage);
	if (used == UINT64_MAX)
		return;
	used = less(used, droppable(search));
	if (is_narrower(&search->found, limit, less(limit, used), file))
		append(search->found.group, 0,
		       *search->group ? search->group : "/");
}

static void check_group(struct memory_room_search *search)
{
	if (search->is_v2) {
		check_limit(search, "memory.max", "memory.current");
		check_limit(search, "memory.high", "memory.current");
	} else {
		check_limit(search, "memory.limit_in_bytes",
			    "memory.usage_in_bytes");
	}
}

/*
 * Removes the last name of a path, but leaves `least` bytes. Returns whether
 * the path was longer than that.
 */
static int go_up(char *path, size_t least)
{
	size_t bytes = 0;

	while (path[bytes])
		bytes++;
	if (bytes <= least)
		return 0;
	while (bytes > least && path[bytes - 1] != '/')
		bytes--;
	path[bytes > least ? bytes - 1 : least] = '\0';
	return 1;
}

static void check_groups(struct memory_room_search *search)
{
	const char *below = search->group + search->root_bytes;

	if (search->mount_fits && below[0] == '/' && below[1])
		append(search->mount, search->mount_bytes, below);
	do {
		check_group(search);
		go_up(search->group, 0);
	} while (go_up(search->mount, search->mount_bytes));
}

/* Handles the system's memory; the values are in kB. */
static void check_system(struct memory_room_search *search)
{
	uint64_t values[VALUES] = { 0 };

	search->values = values;
	set_path(search, "/proc/meminfo", "", "");
	each_line(search, take_value);
	if (values[AVAILABLE] &&
	    is_narrower(&search->found, values[TOTAL] << 10,
			values[AVAILABLE] << 10, NULL))
		search->found.group[0] = '\0';
}

void memory_room_find(struct memory_room_search *search, const char *process)
{
	search->has_group = search->has_mount = search->mount_fits = 0;
	search->found.limit = search->found.left = search->found.to_take =
		UINT64_MAX;
	search->found.file = NULL;
	search->found.group[0] = '\0';
	check_system(search);
	set_path(search, "/proc/", process, "/cgroup");
	each_line(search, take_group);
	if (!search->has_group)
		return;
	set_path(search, "/proc/self/mountinfo", "", "");
	each_line(search, take_mount);
	if (search->has_mount)
		check_groups(search);
}
