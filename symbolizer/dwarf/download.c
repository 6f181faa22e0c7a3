/* SPDX-License-Identifier: MIT */
/* See download.h. */
#include "symbolizer/dwarf/download.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/*
 * Functions of libdebuginfod, declared here because <elfutils/debuginfod.h>
 * need not be installed.
 */
typedef int progress_function(void *session, long done, long all);

struct client {
	void *(*begin)(void);
	void (*end)(void *session);
	int (*find_debug)(void *session, const unsigned char *build_id,
			  int build_id_bytes, char **path);
	int (*find_source)(void *session, const unsigned char *build_id,
			   int build_id_bytes, const char *name, char **path);
	void (*set_progress)(void *session, progress_function *function);
	void (*set_data)(void *session, void *data);
	void *(*data)(void *session);
};

static int load(struct client *client)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return -ELIBACC;
	client->begin = dlsym(library, "debuginfod_begin");
	client->end = dlsym(library, "debuginfod_end");
	client->find_debug = dlsym(library, "debuginfod_find_debuginfo");
	client->find_source = dlsym(library, "debuginfod_find_source");
	client->set_progress = dlsym(library, "debuginfod_set_progressfn");
	client->set_data = dlsym(library, "debuginfod_set_user_data");
	client->data = dlsym(library, "debuginfod_get_user_data");
	return client->begin && client->end && client->find_debug &&
			       client->find_source && client->set_progress &&
			       client->set_data && client->data
		       ? 0
		       : -ELIBACC;
}

struct patience {
	struct timespec end;
	int is_over;
};

/*
 * The client library calls this while it waits. Returns whether the time limit
 * is exceeded, which ends the download. The library's own timeout limits how
 * slowly data may arrive, but not the time of the whole download.
 */
static int is_over(void *session, long done, long all)
{
	struct client client; /* the library is loaded already */
	struct timespec now;
	struct patience *patience;

	(void)done;
	(void)all;
	if (load(&client) != 0)
		return 0;
	patience = client.data(session);
	clock_gettime(CLOCK_MONOTONIC, &now);
	patience->is_over = now.tv_sec > patience->end.tv_sec ||
			    (now.tv_sec == patience->end.tv_sec &&
			     now.tv_nsec >= patience->end.tv_nsec);
	return patience->is_over;
}

/* Downloads the source file with this name, or if it is NULL the debug file. */
static int download(const struct a2n_build_id *id, const char *source,
		    uint32_t seconds, char **path)
{
	struct patience patience = { .is_over = 0 };
	struct client client;
	char *found = NULL;
	void *session;
	int fd = load(&client);

	if (fd)
		return fd;
	session = client.begin();
	if (!session)
		return -ENOMEM;
	clock_gettime(CLOCK_MONOTONIC, &patience.end);
	patience.end.tv_sec += seconds;
	client.set_data(session, &patience);
	client.set_progress(session, is_over);
	fd = source ? client.find_source(session, id->data, (int)id->bytes,
					 source, &found)
		    : client.find_debug(session, id->data, (int)id->bytes,
					&found);
	client.end(session);
	if (patience.is_over && fd < 0)
		fd = -ETIMEDOUT;
	if (fd < 0)
		return fd;
	close(fd);
	*path = found;
	return 0;
}

int download_debug_file(const struct a2n_build_id *id, uint32_t seconds,
			char **path)
{
	return download(id, NULL, seconds, path);
}

int download_source_file(const struct a2n_build_id *id, const char *name,
			 uint32_t seconds, char **path)
{
	return download(id, name, seconds, path);
}
