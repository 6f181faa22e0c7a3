/* SPDX-License-Identifier: MIT */
/*
 * Functions of libcurl, which is loaded on first use. Few commands need it, and
 * it depends on about twenty other libraries.
 *
 * A build without libcurl's headers contains no_curl.c instead of these
 * functions and of http_curl.c.
 */
#ifndef CLEW_CLI_PUSH_CURL_FUNCTIONS_H
#define CLEW_CLI_PUSH_CURL_FUNCTIONS_H

#include <curl/curl.h>

struct curl_functions {
	CURL *(*begin)(void);
	void (*end)(CURL *curl);
	CURLcode (*set)(CURL *curl, CURLoption option, ...);
	CURLcode (*perform)(CURL *curl);
	CURLcode (*info)(CURL *curl, CURLINFO info, ...);
	const char *(*error)(CURLcode code);
	struct curl_slist *(*add_line)(struct curl_slist *lines,
				       const char *line);
	void (*free_lines)(struct curl_slist *lines);
	CURLU *(*url_begin)(void);
	void (*url_end)(CURLU *url);
	CURLUcode (*url_get)(const CURLU *url, CURLUPart part, char **text,
			     unsigned int flags);
	CURLUcode (*url_set)(CURLU *url, CURLUPart part, const char *text,
			     unsigned int flags);
	void (*free_text)(void *text);
};

/*
 * Loads libcurl and finds its functions. Returns 0, or -ENOSYS and *why. The
 * library stays loaded.
 */
int curl_functions_load(struct curl_functions *functions, char **why);

#endif
