/* SPDX-License-Identifier: MIT */
/* See push.h. */
#include "cli/push/push.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/push/http.h"

/* Linux limits a string of execve() to 32 pages, including the NUL. */
enum { VARIABLE_MAX = 128 << 10 };

static int check_secrets(const struct push *push, int is_open, char **why)
{
	if (!is_open || push->headers.secrets == 0 ||
	    push->options->is_insecure)
		return 0;
	return fail(why, -EPERM,
		    "%s: everybody on the way could read the headers from the "
		    "file or $" PUSH_HEADERS_VARIABLE
		    "; use https:// or --insecure",
		    push->url);
}

static int copy_headers(struct push *push, char **why)
{
	const struct push_headers *given = &push->options->headers;
	int err = 0;

	for (size_t i = 0; i < given->count && !err; i++)
		err = push_headers_add(&push->headers, given->lines[i], why);
	return err ? err
		   : push_headers_read(&push->headers,
				       push->options->headers_path, why);
}

int push_begin(struct push *push, const struct push_options *options,
	       char **why)
{
	int is_open = 0;
	int err;

	*push = (struct push){ .options = options };
	err = http_url(options->url, options->store->path, &push->url, &is_open,
		       why);
	if (!err)
		err = copy_headers(push, why);
	if (!err)
		err = check_secrets(push, is_open, why);
	if (err)
		push_end(push);
	return err;
}

int push_send(const struct push *push, struct export *export,
	      struct push_result *result, char **why)
{
	const struct push_options *options = push->options;
	struct push_body body = { 0 };
	struct http_answer answer = { 0 };
	struct http_request request;
	int err;

	export->service = options->service;
	export->hides_command = 1;
	export->labels = options->labels;
	export->label_count = options->label_count;
	err = options->store->fill(export, &body, why);
	if (err)
		return err;
	request = (struct http_request){
		.url = push->url,
		.content_type = body.content_type,
		.encoding = body.encoding,
		.headers = (const char *const *)push->headers.lines,
		.header_count = push->headers.count,
		.body = body.data,
		.bytes = body.bytes,
		.ca = options->ca,
		.timeout_ms = options->timeout_ms,
	};
	err = http_post(&request, &answer, why);
	if (!err && options->store->check)
		err = options->store->check(answer.text, answer.bytes, why);
	*result = (struct push_result){ body.bytes, answer.tries };
	free(answer.text);
	free(body.data);
	return err;
}

int push_share_secrets(const struct push *push, char **why)
{
	const struct push_headers *all = &push->headers;
	char *text = memory_string("", 0);
	int err = 0;

	/* The lines that came from arguments precede the others. */
	for (size_t i = all->count - all->secrets; i < all->count; i++) {
		char *longer = memory_printf("%s%s\n", text, all->lines[i]);

		free(text);
		text = longer;
	}
	if (strlen(text) + sizeof(PUSH_HEADERS_VARIABLE "=") > VARIABLE_MAX)
		err = fail(why, -E2BIG,
			   "the headers of --headers and "
			   "$" PUSH_HEADERS_VARIABLE
			   " have %zu KB; clew attach accepts up to %d KB",
			   (strlen(text) + 1023) >> 10,
			   (VARIABLE_MAX >> 10) - 1);
	else
		setenv(PUSH_HEADERS_VARIABLE, text, 1);
	free(text);
	return err;
}

void push_end(struct push *push)
{
	push_headers_fini(&push->headers);
	free(push->url);
	push->url = NULL;
}
