/* SPDX-License-Identifier: MIT */
/*
 * One POST request over HTTP, which is tried up to five times if the server is
 * overloaded or the connection breaks. Redirects are not followed, because the
 * request may have credentials. Certificates are always verified.
 */
#ifndef CLEW_CLI_PUSH_HTTP_H
#define CLEW_CLI_PUSH_HTTP_H

#include <stddef.h>
#include <stdint.h>

enum {
	/* maximum number of bytes of an answer that are stored */
	HTTP_ANSWER_MAX = 64 << 10,
	HTTP_TRIES_MAX = 5,
};

struct http_request {
	const char *url;
	const char *content_type;
	const char *encoding; /* value of Content-Encoding, or NULL */
	const char *const *headers;
	size_t header_count;
	const void *body;
	size_t bytes;
	/* file with certificates; NULL for those of the system */
	const char *ca;
	int64_t timeout_ms; /* time limit of all tries together */
};

struct http_answer {
	/* the first bytes and a NUL; the caller frees the memory */
	char *text;
	size_t bytes;
	unsigned int tries;
};

/*
 * Checks an address, which has https:// unless it names a scheme, and stores it
 * in *url with `path` at its end. The caller frees the text. Sets *is_open to
 * whether others can read a request: the scheme is http:// and the host is not
 * a loopback address. Returns 0, or -errno and *why.
 */
int http_url(const char *address, const char *path, char **url, int *is_open,
	     char **why);

/*
 * Sends a request. Returns 0 if the status of the answer is 200 to 299;
 * otherwise -errno and *why, with the status. The caller frees answer->text in
 * any case.
 */
int http_post(const struct http_request *request, struct http_answer *answer,
	      char **why);

#endif
