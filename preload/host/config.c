/* SPDX-License-Identifier: MIT */
/* See config.h. */
#include "preload/host/config.h"

#include <limits.h>
#include <string.h>

#include "preload/host/config_values.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"

#define CONFIG_MAX_BYTES (1 << 20)

/* See config.h. */
struct reader {
	struct config *config;
	struct arena *arena;
	struct rule **tail;
	const char *line;
};

static char *copy_string(struct arena *arena, const char *string)
{
	size_t bytes = strlen(string) + 1;
	char *copy = arena_alloc(arena, bytes);

	return copy ? memcpy(copy, string, bytes) : NULL;
}

static int add_rule(struct reader *reader, enum rule_kind kind,
		    const char *text)
{
	struct rule *rule = arena_alloc(reader->arena, sizeof(*rule));
	const char *why;

	if (!rule)
		return -ENOMEM;
	rule->kind = kind;
	rule->line = copy_string(reader->arena, reader->line);
	rule->text = copy_string(reader->arena, text);
	if (!rule->line || !rule->text)
		return -ENOMEM;
	if ((kind == RULE_FUNCTION || kind == RULE_NOT_FUNCTION) &&
	    ere_compile(&rule->regex, text, arena_memory, reader->arena, &why))
		return -EINVAL;
	*reader->tail = rule;
	reader->tail = &rule->next;
	return 0;
}

static int has_number(const struct config *config, uint32_t number)
{
	for (const struct asked_probe *p = config->probes; p; p = p->next)
		if (p->number == number)
			return 1;
	return 0;
}

int config_add_probe(struct config *config, const char *text,
		     struct arena *arena)
{
	struct asked_probe **end = &config->probes;
	struct asked_probe *probe;
	uint32_t number = 0;

	while (number < WIRE_PROBES_MAX && has_number(config, number))
		number++;
	if (number == WIRE_PROBES_MAX)
		return -EINVAL;
	probe = arena_alloc(arena, sizeof(*probe));
	if (!probe)
		return -ENOMEM;
	*probe = (struct asked_probe){ .number = number,
				       .text = copy_string(arena, text) };
	if (!probe->text)
		return -ENOMEM;
	while (*end)
		end = &(*end)->next;
	*end = probe;
	return 0;
}

const char *config_add_object(struct config *config, const char *path,
			      struct arena *arena)
{
	struct handler_object *object = config->handler_objects;

	while (object && strcmp(object->path, path) != 0)
		object = object->next;
	if (object)
		return object->path;
	object = arena_alloc(arena, sizeof(*object));
	if (!object)
		return NULL;
	object->path = copy_string(arena, path);
	if (!object->path)
		return NULL;
	object->next = config->handler_objects;
	config->handler_objects = object;
	return object->path;
}

int config_add_action(struct config *config, const char *text,
		      struct arena *arena)
{
	struct asked_probe *probe = config->probes;
	struct expression_problem problem;
	struct probe_line **end, *line;
	int err;

	if (!probe)
		return -EINVAL;
	while (probe->next)
		probe = probe->next;
	line = arena_alloc(arena, sizeof(*line));
	if (!line)
		return -ENOMEM;
	line->text = copy_string(arena, text);
	if (!line->text)
		return -ENOMEM;
	for (end = &probe->lines; *end; end = &(*end)->next)
		;
	*end = line;
	err = probe_action_add(&probe->action, line->text, arena_memory, arena,
			       &problem);
	if (!err && probe->action.call &&
	    !config_add_object(config, probe->action.call->object, arena))
		err = -ENOMEM;
	return err;
}

/*
 * Parses what follows a value of --java that counts Java methods: nothing, or
 * ":PATTERNS".
 */
static int set_java_methods(struct reader *reader, enum config_java way,
			    const char *text)
{
	struct config *config = reader->config;

	config->java = way;
	config->java_methods = NULL;
	if (!*text)
		return 0;
	if (*text != ':')
		return -EINVAL;
	config->java_methods = copy_string(reader->arena, text + 1);
	return config->java_methods ? 0 : -ENOMEM;
}

static int set_java(struct reader *reader, const char *text)
{
	struct config *config = reader->config;
	static const char *const words[] = {
		[CONFIG_JAVA_NATIVES] = "natives",
		[CONFIG_JAVA_VM] = "vm",
		[CONFIG_JAVA_OFF] = "off",
	};

	if (!strncmp(text, "exact", 5))
		return set_java_methods(reader, CONFIG_JAVA_EXACT, text + 5);
	if (!strncmp(text, "standby", 7))
		return set_java_methods(reader, CONFIG_JAVA_STANDBY, text + 7);
	if (!strncmp(text, "inplace", 7))
		return set_java_methods(reader, CONFIG_JAVA_IN_PLACE, text + 7);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!strcmp(words[i], text)) {
			config->java = (enum config_java)i;
			return 0;
		}
	}
	return -EINVAL;
}

static int set_text(struct reader *reader, const char **member,
		    const char *text)
{
	*member = copy_string(reader->arena, text);
	return *member ? 0 : -ENOMEM;
}

static int add_warmed_file(struct reader *reader, const char *text)
{
	struct warmed_file **end = &reader->config->warmed_files;
	struct warmed_file *file = arena_alloc(reader->arena, sizeof(*file));

	if (!file)
		return -ENOMEM;
	while (*end)
		end = &(*end)->next;
	*file = (struct warmed_file){ .path = copy_string(reader->arena,
							  text) };
	*end = file;
	return file->path ? 0 : -ENOMEM;
}

static int obey(struct reader *reader, const char *word, const char *text)
{
	int err = config_set(reader->config, word, text);

	if (err != -ENOENT)
		return err;
	if (!*text)
		return -EINVAL;
	if (!strcmp(word, "module"))
		return add_rule(reader, RULE_MODULE, text);
	if (!strcmp(word, "not-module"))
		return add_rule(reader, RULE_NOT_MODULE, text);
	if (!strcmp(word, "function"))
		return add_rule(reader, RULE_FUNCTION, text);
	if (!strcmp(word, "not-function"))
		return add_rule(reader, RULE_NOT_FUNCTION, text);
	if (!strcmp(word, "probe"))
		return config_add_probe(reader->config, text, reader->arena);
	if (!strcmp(word, "action"))
		return config_add_action(reader->config, text, reader->arena);
	if (!strcmp(word, "java"))
		return set_java(reader, text);
	if (!strcmp(word, "cache"))
		return set_text(reader, &reader->config->cache_dir, text);
	if (!strcmp(word, "agent"))
		return set_text(reader, &reader->config->agent, text);
	if (!strcmp(word, "warm"))
		return add_warmed_file(reader, text);
	return -EINVAL;
}

/* Parses a line: a word, blanks, and a text that may contain blanks. */
static int parse_line(struct reader *reader, char *line)
{
	char *word = line + strspn(line, " \t");
	char *end = word + strcspn(word, " \t");
	char *text = end + strspn(end, " \t");
	size_t length = strlen(text);

	if (!*word || *word == '#')
		return 0;
	reader->line = copy_string(reader->arena, word);
	if (!reader->line)
		return -ENOMEM;
	while (length && strchr(" \t\r", text[length - 1]))
		text[--length] = '\0';
	*end = '\0';
	return obey(reader, word, text);
}

/*
 * Returns the first CONFIG_MAX_BYTES bytes of dir/config, and a NUL. Returns
 * NULL and sets *err to -errno if the file cannot be opened or there is no
 * memory.
 */
static char *read_config(const char *dir, struct arena *arena, int *err)
{
	char path[PATH_MAX];
	struct text text = text_in(path, sizeof(path));
	char *bytes = NULL;
	long got = 0, n;
	int fd;

	text_string(&text, dir);
	text_string(&text, "/" WIRE_CONFIG_NAME);
	*err = -ENAMETOOLONG;
	if (text_was_cut(&text))
		return NULL;
	fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	*err = fd;
	if (fd < 0)
		return NULL;
	*err = -ENOMEM;
	bytes = arena_alloc(arena, CONFIG_MAX_BYTES + 1);
	while (bytes && got < CONFIG_MAX_BYTES) {
		n = sys_read(fd, bytes + got, (size_t)(CONFIG_MAX_BYTES - got));
		if (n <= 0)
			break;
		got += n;
	}
	sys_close(fd);
	return bytes;
}

static void report_unreadable(const char *dir, char *why, size_t bytes)
{
	struct text text = text_in(why, bytes);

	text_string(&text, "cannot read ");
	text_string(&text, dir);
	text_string(&text, "/" WIRE_CONFIG_NAME);
}

static void report_bad_line(const struct reader *reader, uint64_t number,
			    const char *what, char *why, size_t bytes)
{
	struct text text = text_in(why, bytes);

	text_string(&text, WIRE_CONFIG_NAME " line ");
	text_number(&text, number);
	text_string(&text, ": ");
	text_string(&text, reader->line);
	text_string(&text, ": ");
	text_string(&text, what);
}

int config_read(struct config *config, const char *dir, struct arena *arena,
		char *why, size_t bytes)
{
	struct reader reader = { .config = config, .arena = arena };
	uint64_t number = 0;
	char *file, *line;
	int err;

	*config = (struct config){ .dir = copy_string(arena, dir) };
	config_begin(config);
	reader.tail = &config->rules;
	file = read_config(dir, arena, &err);
	if (!file && err != -ENOENT) {
		report_unreadable(dir, why, bytes);
		return err;
	}
	while ((line = strsep(&file, "\n"))) {
		number++;
		err = parse_line(&reader, line);
		if (err)
			goto bad_line;
	}
	config_end(config);
	return 0;
bad_line:
	report_bad_line(&reader, number,
			err == -ENOMEM ? "no memory" : "not understood", why,
			bytes);
	return err;
}
