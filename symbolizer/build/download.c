/* SPDX-License-Identifier: MIT */
#include "symbolizer/build/download.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

/* As <elfutils/debuginfod.h> declares them; the header need not be there. */
typedef void *begin_function(void);
typedef void end_function(void *client);
typedef int find_function(void *client, const unsigned char *build_id,
			  int build_id_bytes, char **path);

struct client {
	begin_function *begin;
	end_function *end;
	find_function *find;
};

static int load(struct client *client)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return -1;
	client->begin = (begin_function *)dlsym(library, "debuginfod_begin");
	client->end = (end_function *)dlsym(library, "debuginfod_end");
	client->find =
		(find_function *)dlsym(library, "debuginfod_find_debuginfo");
	return client->begin && client->end && client->find ? 0 : -1;
}

char *download_debug_file(const struct a2n_build_id *id)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct client client;
	char *path = NULL;
	void *session;
	int fd;

	if (!urls || !*urls || id->bytes == 0 || load(&client) != 0)
		return NULL;
	session = client.begin();
	if (!session)
		return NULL;
	fd = client.find(session, id->data, (int)id->bytes, &path);
	if (fd >= 0)
		close(fd);
	else
		path = NULL;
	client.end(session);
	return path;
}
