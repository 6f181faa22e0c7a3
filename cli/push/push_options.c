/* SPDX-License-Identifier: MIT */
/* See push_options.h. */
#include "cli/push/push_options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/common/help.h"
#include "cli/common/option_values.h"
#include "cli/common/time_text.h"

enum {
	KEY_TO = 0x700,
	KEY_LABEL,
	KEY_SERVICE,
	KEY_HEADER,
	KEY_HEADERS,
	KEY_CA,
	KEY_INSECURE,
	KEY_TIMEOUT,
	KEY_MAX_SAMPLES,
};

enum { STORES_MAX = 8, LABEL_BYTES_MAX = 1024 };

#define DEFAULT_TIMEOUT_MS 30000
#define TIMEOUT_MAX_NS     UINT64_C(3600000000000)

/* clang-format off */
#define PUSH_ROWS(flags) \
	{ "to", KEY_TO, PUSH_STORES, flags, \
	  "The kind of the store (default: otlp)", HELP_PUSH }, \
	{ "service", KEY_SERVICE, "NAME", flags, \
	  "Name of the service (default: name of the program)", HELP_PUSH }, \
	{ "label", KEY_LABEL, "NAME=VALUE", flags, \
	  "Add a label to the profiles; may be repeated", HELP_PUSH }, \
	{ "headers", KEY_HEADERS, "FILE", flags, \
	  "Send the headers in FILE, such as Authorization: ...", HELP_PUSH }, \
	{ "header", KEY_HEADER, "HEADER", 0, \
	  "Send a header that is no secret; may be repeated", HELP_PUSH }, \
	{ "ca", KEY_CA, "FILE", 0, \
	  "Trust the certificates in FILE, not those of the system", \
	  HELP_PUSH }, \
	{ "insecure", KEY_INSECURE, NULL, 0, \
	  "Send secret headers over http:// to another host", HELP_PUSH }, \
	{ "timeout", KEY_TIMEOUT, "TIME", 0, \
	  "Give up after TIME, all tries together (default: 30s)", \
	  HELP_PUSH }, \
	{ "max-samples", KEY_MAX_SAMPLES, "N", 0, \
	  "Send at most N samples (default: 16000 or 50000; 0: all)", \
	  HELP_PUSH }, \
	{ 0 },
/* clang-format on */

static const struct argp_option argp_options[] = { PUSH_ROWS(HELP_FIRST) };
static const struct argp_option later_options[] = { PUSH_ROWS(0) };

/* ---- Labels ---- */

static int is_printable(const char *text)
{
	char *copy = text_printable(memory_string(text, strlen(text)));
	const int is = strcmp(copy, text) == 0;

	free(copy);
	return is;
}

/* Returns whether Prometheus, and stores that follow it, accept the name. */
static int is_label_name(const char *name)
{
	if (!isalpha((unsigned char)*name) && *name != '_')
		return 0;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return 0;
	return 1;
}

static void add_label(struct push_options *options, const char *text,
		      struct argp_state *state)
{
	const char *equals = strchr(text, '=');
	struct export_label *label;

	if (!equals || equals == text || !is_printable(text))
		complain_of_usage(state,
				  "--label=%s: write NAME=VALUE, as UTF-8 "
				  "without control characters",
				  text);
	if (strlen(text) > LABEL_BYTES_MAX ||
	    options->label_count == EXPORT_LABELS_MAX)
		argp_error(state,
			   "--label: at most %d labels of %d bytes are "
			   "possible",
			   EXPORT_LABELS_MAX, LABEL_BYTES_MAX);
	options->labels =
		memory_grow(options->labels, options->label_count,
			    &options->label_capacity, sizeof(*options->labels));
	label = &options->labels[options->label_count++];
	label->name = memory_string(text, (size_t)(equals - text));
	label->value = equals + 1;
}

static void check_label(const struct push_options *options, size_t index,
			struct argp_state *state)
{
	const char *name = options->labels[index].name;

	if (strcmp(name, "service_name") == 0 ||
	    strcmp(name, "service.name") == 0)
		complain_of_usage(state, "--label=%s: use --service", name);
	if (options->store->has_label_names &&
	    (!is_label_name(name) || strncmp(name, "__", 2) == 0))
		complain_of_usage(state,
				  "--label=%s: %s accepts letters, digits and "
				  "_ in names, without __ at the start",
				  name, options->store->name);
	for (size_t i = 0; i < index; i++)
		if (strcmp(options->labels[i].name, name) == 0)
			complain_of_usage(state, "--label=%s is given twice",
					  name);
}

/* ---- Other options ---- */

static void parse_store(struct push_options *options, const char *word,
			struct argp_state *state)
{
	const char *names[STORES_MAX];
	size_t count = 0;

	while (count < STORES_MAX && push_stores[count].name) {
		names[count] = push_stores[count].name;
		count++;
	}
	options->store =
		&push_stores[parse_word(state, "to", word, names, count)];
}

static void add_header(struct push_options *options, const char *line,
		       struct argp_state *state)
{
	char *why = NULL;

	if (push_headers_add(&options->headers, line, &why) != 0)
		complain_of_usage(state, "%s", why);
	free(why);
}

static void set_timeout(struct push_options *options, const char *text,
			struct argp_state *state)
{
	uint64_t ns = 0;

	if (read_time(text, &ns) != 0 || ns < 1000000 || ns > TIMEOUT_MAX_NS)
		complain_of_usage(state,
				  "--timeout=%s: not a time from 1ms to 3600s",
				  text);
	options->timeout_ms = (int64_t)(ns / 1000000);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct push_options *options = state->input;

	options->are_given |= key >= KEY_TO && key <= KEY_MAX_SAMPLES;
	switch (key) {
	case KEY_TO:
		parse_store(options, argument, state);
		return 0;
	case KEY_LABEL:
		add_label(options, argument, state);
		return 0;
	case KEY_SERVICE:
		if (!*argument || !is_printable(argument) ||
		    strlen(argument) > LABEL_BYTES_MAX)
			complain_of_usage(state, "--service=%s: not a name",
					  argument);
		options->service = argument;
		return 0;
	case KEY_HEADER:
		add_header(options, argument, state);
		return 0;
	case KEY_HEADERS:
		options->headers_path = argument;
		return 0;
	case KEY_CA:
		options->ca = argument;
		return 0;
	case KEY_INSECURE:
		options->is_insecure = 1;
		return 0;
	case KEY_TIMEOUT:
		set_timeout(options, argument, state);
		return 0;
	case KEY_MAX_SAMPLES:
		options->max_samples = parse_number(state, "max-samples",
						    argument, UINT32_MAX);
		options->has_max_samples = 1;
		return 0;
	case ARGP_KEY_END:
		if (!options->has_max_samples)
			options->max_samples = options->store->max_samples;
		for (size_t i = 0; i < options->label_count; i++)
			check_label(options, i, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp push_argp = { .options = argp_options, .parser = parse };
const struct argp later_push_argp = { .options = later_options,
				      .parser = parse };

void push_options_init(struct push_options *options)
{
	*options = (struct push_options){
		.store = &push_stores[0],
		.timeout_ms = DEFAULT_TIMEOUT_MS,
	};
}

void push_options_fini(struct push_options *options)
{
	for (size_t i = 0; i < options->label_count; i++)
		free((char *)options->labels[i].name);
	free(options->labels);
	push_headers_fini(&options->headers);
}

int push_options_are_given(const struct push_options *options)
{
	return options->are_given;
}

char **push_options_words(const struct push_options *options, size_t *count)
{
	const struct push_headers *headers = &options->headers;
	char **words = memory_zeroed(options->label_count + headers->count + 7,
				     sizeof(*words));
	size_t used = 0;

	words[used++] = memory_printf("--to=%s", options->store->name);
	words[used++] = memory_printf("--timeout=%lldms",
				      (long long)options->timeout_ms);
	words[used++] =
		memory_printf("--max-samples=%zu", options->max_samples);
	if (options->service)
		words[used++] = memory_printf("--service=%s", options->service);
	if (options->ca)
		words[used++] = memory_printf("--ca=%s", options->ca);
	if (options->is_insecure)
		words[used++] = memory_printf("--insecure");
	for (size_t i = 0; i < options->label_count; i++)
		words[used++] =
			memory_printf("--label=%s=%s", options->labels[i].name,
				      options->labels[i].value);
	for (size_t i = 0; i < headers->count; i++)
		words[used++] = memory_printf("--header=%s", headers->lines[i]);
	*count = used;
	return words;
}
