/* SPDX-License-Identifier: MIT */
/*
 * A folder in the file system of a process, for processes in a container, or
 * whose user cannot access clew's files. The folder contains the library that
 * the process loads, the recording, or both.
 *
 * clew creates the folder with the rights of the process. It resolves the path
 * from the process's root directory and follows no symbolic links, which could
 * lead to other files.
 */
#ifndef CLEW_CLI_TARGET_INNER_FOLDER_H
#define CLEW_CLI_TARGET_INNER_FOLDER_H

#include <sys/types.h>

struct inner_folder {
	/*
	 * Descriptor of the folder. By it clew can access the files even after
	 * the process has exited.
	 */
	int fd;
	int parent; /* Descriptor of the parent folder. */
	char *path; /* The folder's path, as the process sees it. */
	uid_t user;
	gid_t group;
};

/*
 * Creates a folder for a process. With is_to_load, only in a file system from
 * which code can be mapped. `cause` is a message that says why the process
 * needs the folder; *why begins with it if no folder can be created. Returns 0,
 * and the caller calls inner_folder_close() or inner_folder_remove(); or -errno
 * and *why.
 */
int inner_folder_make(struct inner_folder *folder, pid_t pid, int is_to_load,
		      const char *cause, char **why);

/*
 * Opens the folder with this path in the file system of the process. Refuses a
 * folder that does not belong to the process's user, because a hostile process
 * could name the folder of another user. Returns 0, or -errno and *why.
 */
int inner_folder_open(struct inner_folder *folder, pid_t pid, const char *path,
		      char **why);

/* Closes the folder, which continues to exist. */
void inner_folder_close(struct inner_folder *folder);

/*
 * Removes the files in the folder, then the folder itself unless it still
 * contains something, and closes it. Errors are ignored.
 */
void inner_folder_remove(struct inner_folder *folder);

/*
 * Returns a path by which clew can access the open folder, through its own
 * descriptor. The caller frees the path.
 */
char *inner_folder_path(const struct inner_folder *folder);

/*
 * inner_folder_copy() copies the file `from`, a path of clew's, to a new file
 * in the folder; inner_folder_write() writes a text to a new file. Return 0, or
 * -errno and *why.
 */
int inner_folder_copy(const struct inner_folder *folder, const char *from,
		      const char *name, char **why);
int inner_folder_write(const struct inner_folder *folder, const char *text,
		       const char *name, char **why);

/*
 * inner_folder_act() makes clew access files as the process's user;
 * inner_folder_act_no_more() ends this.
 */
void inner_folder_act(const struct inner_folder *folder);
void inner_folder_act_no_more(void);

#endif
