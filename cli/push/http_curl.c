/* SPDX-License-Identifier: MIT */
/* See http.h: the functions of a build with libcurl. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/now.h"
#include "cli/push/curl_functions.h"
#include "cli/push/http.h"

/* Bytes of an answer after which the connection is closed. */
#define ANSWER_LIMIT (1 << 20)

/* Characters of an answer that an error message quotes. */
enum { QUOTED_MAX = 200 };

/* Longer waits that a server requests are reduced to this. */
enum { RETRY_MAX_S = 1000000 };

/* Pause before the second try; each further pause is twice as long. */
enum { FIRST_PAUSE_MS = 500 };

/* ---- Addresses ---- */

static int is_loopback(const char *host)
{
	/* "127.example.com" is a name that any server can have. */
	const int is_address = host[strspn(host, "0123456789.")] == '\0';

	return strcmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0 ||
	       (is_address && strncmp(host, "127.", 4) == 0);
}

static int ends_in(const char *text, const char *end)
{
	const size_t length = strlen(text), end_length = strlen(end);

	return length >= end_length &&
	       strcmp(text + length - end_length, end) == 0;
}

/* Returns whether the host of an address is a loopback address. */
static int is_local(const struct curl_functions *curl, const char *address)
{
	CURLU *url = curl->url_begin();
	char *host = NULL;
	int is;

	if (!url)
		memory_exhausted();
	is = curl->url_set(url, CURLUPART_URL, address, 0) == CURLUE_OK &&
	     curl->url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
	     is_loopback(host);
	curl->free_text(host);
	curl->url_end(url);
	return is;
}

/* Appends the API's path, unless the address already ends in it. */
static char *whole_path(const char *path, const char *api)
{
	size_t length = strlen(path);

	while (length > 0 && path[length - 1] == '/')
		length--;
	if (ends_in(path, api))
		return memory_printf("%s", path);
	return memory_printf("%.*s%s", (int)length, path, api);
}

/* The parts of an address. A part that the address does not have is NULL. */
struct url_parts {
	char *scheme, *host, *user, *path, *query, *fragment;
};

static int check_parts(const struct url_parts *parts, const char *address,
		       char **why)
{
	if (!parts->scheme || !parts->host || !parts->path)
		return fail(why, -EINVAL,
			    "%s: not an address; write https://HOST:PORT",
			    address);
	if (strcmp(parts->scheme, "http") != 0 &&
	    strcmp(parts->scheme, "https") != 0)
		return fail(why, -EINVAL,
			    "%s: %s:// is not supported; use https:// or "
			    "http://",
			    address, parts->scheme);
	if (parts->user)
		return fail(why, -EINVAL,
			    "the address has a user name, which other users of "
			    "this host can see; put \"Authorization: Basic "
			    "...\" into a file and give --headers=FILE");
	if (parts->query || parts->fragment)
		return fail(why, -EINVAL,
			    "%s: the address of a store has no ? and no #",
			    address);
	return 0;
}

static void get_parts(const struct curl_functions *curl, const CURLU *url,
		      struct url_parts *parts)
{
	curl->url_get(url, CURLUPART_SCHEME, &parts->scheme, 0);
	curl->url_get(url, CURLUPART_HOST, &parts->host, 0);
	curl->url_get(url, CURLUPART_USER, &parts->user, 0);
	curl->url_get(url, CURLUPART_PATH, &parts->path, 0);
	curl->url_get(url, CURLUPART_QUERY, &parts->query, 0);
	curl->url_get(url, CURLUPART_FRAGMENT, &parts->fragment, 0);
}

static void free_parts(const struct curl_functions *curl,
		       struct url_parts *parts)
{
	curl->free_text(parts->scheme);
	curl->free_text(parts->host);
	curl->free_text(parts->user);
	curl->free_text(parts->path);
	curl->free_text(parts->query);
	curl->free_text(parts->fragment);
}

int http_url(const char *address, const char *path, char **url, int *is_open,
	     char **why)
{
	struct curl_functions curl;
	struct url_parts parts = { 0 };
	char *whole = strstr(address, "://")
			      ? memory_printf("%s", address)
			      : memory_printf("https://%s", address);
	int err = curl_functions_load(&curl, why);
	CURLU *parsed;
	char *text = NULL;

	if (err) {
		free(whole);
		return err;
	}
	parsed = curl.url_begin();
	if (!parsed)
		memory_exhausted();
	if (curl.url_set(parsed, CURLUPART_URL, whole,
			 CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK)
		get_parts(&curl, parsed, &parts);
	err = check_parts(&parts, address, why);
	free(whole);
	if (!err && parts.scheme && parts.host && parts.path) {
		*is_open = strcmp(parts.scheme, "http") == 0 &&
			   !is_loopback(parts.host);
		whole = whole_path(parts.path, path);
		if (curl.url_set(parsed, CURLUPART_PATH, whole, 0) ||
		    curl.url_get(parsed, CURLUPART_URL, &text, 0))
			err = fail(why, -EINVAL, "%s: not an address", address);
		else
			*url = memory_printf("%s", text);
		free(whole);
	}
	curl.free_text(text);
	free_parts(&curl, &parts);
	curl.url_end(parsed);
	return err;
}

/* ---- One try ---- */

struct http_try {
	const struct http_request *request;
	struct curl_functions curl;
	CURL *handle;
	struct curl_slist *lines;
	struct http_answer *answer;
	size_t received;
	uint64_t end_ns; /* CLOCK_MONOTONIC */
	char error[CURL_ERROR_SIZE];
	CURLcode code;
	long status;      /* status of the answer; 0 without an answer */
	int64_t retry_ms; /* time for which the server asks to wait, or 0 */
};

/* Stores the first bytes of the answer. Refuses an answer that is too long. */
static size_t take_answer(char *bytes, size_t size, size_t count, void *context)
{
	struct http_try *try = context;
	struct http_answer *answer = try->answer;
	const size_t room = HTTP_ANSWER_MAX - answer->bytes;
	const size_t taken = count < room ? count : room;

	(void)size;
	memcpy(answer->text + answer->bytes, bytes, taken);
	answer->bytes += taken;
	answer->text[answer->bytes] = '\0';
	try->received += count;
	return try->received > ANSWER_LIMIT ? 0 : count;
}

/* Returns whether reading ended because the answer is too long. */
static int has_long_answer(const struct http_try *try)
{
	return try->code == CURLE_WRITE_ERROR && try->received > ANSWER_LIMIT;
}

static void add_line(struct http_try *try, const char *line)
{
	struct curl_slist *lines = try->curl.add_line(try->lines, line);

	if (!lines)
		memory_exhausted();
	try->lines = lines;
}

static void add_field(struct http_try *try, const char *name, const char *value)
{
	char *line = memory_printf("%s: %s", name, value);

	add_line(try, line);
	free(line);
}

static int64_t left_ms(const struct http_try *try)
{
	const uint64_t now = now_ns(CLOCK_MONOTONIC);

	return now < try->end_ns ? (int64_t)((try->end_ns - now) / 1000000) : 0;
}

static void configure(struct http_try *try)
{
	const struct http_request *request = try->request;
	const struct curl_functions *curl = &try->curl;
	CURL *handle = try->handle;

	add_field(try, "Content-Type", request->content_type);
	if (request->encoding)
		add_field(try, "Content-Encoding", request->encoding);
	/* prevents that libcurl waits for status 100 */
	add_line(try, "Expect:");
	for (size_t i = 0; i < request->header_count; i++)
		add_line(try, request->headers[i]);
	curl->set(handle, CURLOPT_URL, request->url);
	curl->set(handle, CURLOPT_POST, 1L);
	curl->set(handle, CURLOPT_POSTFIELDS, request->body);
	curl->set(handle, CURLOPT_POSTFIELDSIZE_LARGE,
		  (curl_off_t)request->bytes);
	curl->set(handle, CURLOPT_HTTPHEADER, try->lines);
	curl->set(handle, CURLOPT_USERAGENT, "clew/" CLEW_VERSION);
	curl->set(handle, CURLOPT_FOLLOWLOCATION, 0L);
	curl->set(handle, CURLOPT_ERRORBUFFER, try->error);
	curl->set(handle, CURLOPT_WRITEFUNCTION, take_answer);
	curl->set(handle, CURLOPT_WRITEDATA, try);
	if (request->ca)
		curl->set(handle, CURLOPT_CAINFO, request->ca);
	/* Secret headers are allowed over http://, but not to a proxy. */
	if (is_local(curl, request->url))
		curl->set(handle, CURLOPT_PROXY, "");
}

/* Sends the request once. Sets code, status and retry_ms. */
static void send_once(struct http_try *try)
{
	const struct curl_functions *curl = &try->curl;
	curl_off_t seconds = 0;

	try->answer->bytes = try->received = 0;
	try->answer->text[0] = '\0';
	try->error[0] = '\0';
	try->status = 0;
	try->retry_ms = 0;
	curl->set(try->handle, CURLOPT_TIMEOUT_MS, (long)(left_ms(try) + 1));
	try->code = curl->perform(try->handle);
	curl->info(try->handle, CURLINFO_RESPONSE_CODE, &try->status);
	if (curl->info(try->handle, CURLINFO_RETRY_AFTER, &seconds) ==
		    CURLE_OK &&
	    seconds > 0)
		try->retry_ms =
			(seconds < RETRY_MAX_S ? seconds : RETRY_MAX_S) * 1000;
}

/* ---- Several tries ---- */

/*
 * Returns whether the request may be accepted later. The statuses are those for
 * which OTLP asks clients to try again.
 */
static int may_try_again(const struct http_try *try)
{
	switch (try->code) {
	case CURLE_OK:
	case CURLE_WRITE_ERROR: /* the answer is too long */
		return try->status == 429 || try->status == 502 ||
		       try->status == 503 || try->status == 504;
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_CONNECT:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_GOT_NOTHING:
	case CURLE_PARTIAL_FILE:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
		return 1;
	default:
		return 0;
	}
}

/*
 * Returns the pause before the next try: as the server requests, or else
 * FIRST_PAUSE_MS, doubled after each try and changed at random by up to 40 %.
 */
static int64_t pause_ms(const struct http_try *try)
{
	int64_t pause = FIRST_PAUSE_MS << (try->answer->tries - 1);
	uint8_t random = 128;

	if (try->retry_ms)
		return try->retry_ms;
	(void)!getrandom(&random, 1, GRND_NONBLOCK);
	return pause * (192 + random) / 320;
}

static void wait_ms(int64_t ms)
{
	struct timespec left = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&left, &left) != 0)
		;
}

/* Returns the answer as one short line, for a message. The caller frees it. */
static char *quoted(const struct http_answer *answer)
{
	char *text = memory_string(answer->text, strlen(answer->text));
	size_t length;

	for (char *at = text; *at; at++)
		if (isspace((unsigned char)*at))
			*at = ' ';
	length = strlen(text);
	if (length > QUOTED_MAX)
		memcpy(text + QUOTED_MAX - 3, "...", sizeof("..."));
	return text_printable(text);
}

/* Describes why no try succeeded. Returns -errno. */
static int explain(struct http_try *try, int64_t pause, char **why)
{
	const char *url = try->request->url;
	char *text, *redirect = NULL;
	char *tries = try->answer->tries > 1 ? memory_printf(" after %u tries",
							     try->answer->tries)
					     : memory_string("", 0);
	int err;

	text = quoted(try->answer);
	if (has_long_answer(try) && try->status >= 200 && try->status < 300) {
		err = fail(why, -EIO, "%s: the answer is longer than %d KB",
			   url, ANSWER_LIMIT >> 10);
	} else if (try->code != CURLE_OK && !has_long_answer(try)) {
		err = fail(why, -EIO, "%s: %s%s", url,
			   *try->error ? try->error
				       : try->curl.error(try->code),
			   tries);
	} else if (try->status >= 300 && try->status < 400) {
		try->curl.info(try->handle, CURLINFO_REDIRECT_URL, &redirect);
		err = fail(why, -EREMCHG,
			   "%s: HTTP status %ld: the server redirects to %s, "
			   "which clew does not follow; give that address",
			   url, try->status,
			   redirect ? redirect : "another address");
	} else {
		err = fail(why, -EREMOTEIO, "%s: HTTP status %ld%s%s%s", url,
			   try->status, tries, *text ? ": " : "", text);
	}
	if (try->retry_ms && pause > left_ms(try)) {
		char *detail = *why;

		fail(why, err,
		     "%s (the server asks to wait %lld s, longer than "
		     "--timeout)",
		     detail, (long long)try->retry_ms / 1000);
		free(detail);
	}
	free(tries);
	free(text);
	return err;
}

static int send_all(struct http_try *try, char **why)
{
	int64_t pause = 0;

	for (;;) {
		send_once(try);
		try->answer->tries++;
		if (try->code == CURLE_OK && try->status >= 200 &&
		    try->status < 300)
			return 0;
		if (!may_try_again(try) || try->answer->tries == HTTP_TRIES_MAX)
			break;
		pause = pause_ms(try);
		if (pause >= left_ms(try))
			break;
		wait_ms(pause);
	}
	return explain(try, pause, why);
}

int http_post(const struct http_request *request, struct http_answer *answer,
	      char **why)
{
	struct http_try try = {
		.request = request,
		.answer = answer,
		.end_ns = now_ns(CLOCK_MONOTONIC) +
			  (uint64_t)request->timeout_ms * 1000000,
	};
	int err;

	*answer = (struct http_answer){ .text = memory_zeroed(
						HTTP_ANSWER_MAX + 1, 1) };
	err = curl_functions_load(&try.curl, why);
	if (err)
		return err;
	try.handle = try.curl.begin();
	if (!try.handle)
		memory_exhausted();
	configure(&try);
	err = send_all(&try, why);
	try.curl.free_lines(try.lines);
	try.curl.end(try.handle);
	return err;
}
