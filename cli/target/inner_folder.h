/* SPDX-License-Identifier: MIT */
/*
 * A folder inside the file system of a process, for a process in a container or
 * whose user cannot access clew's files. The folder contains the library that
 * the process loads, and the recording.
 *
 * The folder is created with the process's rights. clew resolves the path from
 * the process's root without following symbolic links, which could lead to
 * files outside.
 */
#ifndef CLEW_CLI_TARGET_INNER_FOLDER_H
#define CLEW_CLI_TARGET_INNER_FOLDER_H

#include <sys/types.h>

struct inner_folder {
	/*
	 * While this is open, clew can access the files, even after the process
	 * has exited.
	 */
	int fd;
	int parent; /* Descriptor of the parent folder. */
	char *path; /* Path as the process sees it. */
	uid_t user;
	gid_t group;
};

/*
 * Creates a folder. With is_to_load, the process can load a library from it.
 * Returns 0, or -errno and *why, which begins with `cause`, the reason why the
 * process needs a folder.
 */
int inner_folder_make(struct inner_folder *folder, pid_t pid, int is_to_load,
		      const char *cause, char **why);

/*
 * Opens the folder with this path in the process. Refuses a folder that does
 * not belong to the process's user, because the process may name any. Returns
 * 0, or -errno and *why.
 */
int inner_folder_open(struct inner_folder *folder, pid_t pid, const char *path,
		      char **why);

/* Closes the folder, which continues to exist. */
void inner_folder_close(struct inner_folder *folder);

/*
 * Removes the folder with all files in it. Subfolders remain, and then the
 * folder also does.
 */
void inner_folder_remove(struct inner_folder *folder);

/*
 * Returns a path by which clew can access the open folder. The caller frees it.
 */
char *inner_folder_path(const struct inner_folder *folder);

/*
 * Copy a file of clew's, or write a text, to a new file in the folder. Return
 * 0, or -errno and *why.
 */
int inner_folder_copy(const struct inner_folder *folder, const char *from,
		      const char *name, char **why);
int inner_folder_write(const struct inner_folder *folder, const char *text,
		       const char *name, char **why);

/* Make clew create files as the process's user, or as itself again. */
void inner_folder_act(const struct inner_folder *folder);
void inner_folder_act_no_more(void);

#endif
