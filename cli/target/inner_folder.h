/* SPDX-License-Identifier: MIT */
/*
 * A folder of its own for a process that has other files than we, a container's say, or
 * whose user may not use ours.
 * What the process is to load lies there, and what it records meanwhile.
 *
 * It is made with that process's rights, and names are looked up from its root
 * without following links, which would lead to files of ours.
 */
#ifndef CLEW_CLI_TARGET_INNER_FOLDER_H
#define CLEW_CLI_TARGET_INNER_FOLDER_H

#include <sys/types.h>

struct inner_folder {
	int fd; /* as long as it is open the files are there for us, whatever
		     * becomes of the process */
	int parent; /* the folder that it is in */
	char *path; /* as the process sees it */
	uid_t user;
	gid_t group;
};

/*
 * Make one, of which the process can load a library if it is to. 0, or -errno and
 * *why, which begins with `cause`: why the process needs one.
 */
int inner_folder_make(struct inner_folder *folder, pid_t pid, int is_to_load,
		      const char *cause, char **why);

/*
 * The one that it knows by that path, if it belongs to the process's user: the process
 * may name any. 0, or -errno and *why.
 */
int inner_folder_open(struct inner_folder *folder, pid_t pid, const char *path,
		      char **why);

/* Leaves it there. */
void inner_folder_close(struct inner_folder *folder);

/* With all files in it; what else is there stays. */
void inner_folder_remove(struct inner_folder *folder);

/* A path of it for us, while it is open. free() it. */
char *inner_folder_path(const struct inner_folder *folder);

/* A file of ours, or a text, as a new file in there. 0, or -errno and *why. */
int inner_folder_copy(const struct inner_folder *folder, const char *from,
		      const char *name, char **why);
int inner_folder_write(const struct inner_folder *folder, const char *text,
		       const char *name, char **why);

/* What is made by us from now on is made by the process's user; or by ours again. */
void inner_folder_act(const struct inner_folder *folder);
void inner_folder_act_no_more(void);

#endif
