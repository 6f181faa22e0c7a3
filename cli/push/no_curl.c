/* SPDX-License-Identifier: MIT */
/* See http.h: the functions of a build without libcurl. */
#include <errno.h>

#include "base/fail.h"
#include "cli/push/http.h"

static int refuse(char **why)
{
	return fail(why, -ENOSYS,
		    "this clew was built without libcurl; install "
		    "libcurl4-openssl-dev and build it again");
}

int http_url(const char *address, const char *path, char **url, int *is_open,
	     char **why)
{
	(void)address, (void)path, (void)url, (void)is_open;
	return refuse(why);
}

int http_post(const struct http_request *request, struct http_answer *answer,
	      char **why)
{
	(void)request;
	*answer = (struct http_answer){ 0 };
	return refuse(why);
}
