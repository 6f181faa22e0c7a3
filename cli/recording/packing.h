/* SPDX-License-Identifier: MIT */
/*
 * Packs large parts of processes that have ended, while the target still runs
 * (wire/packed.h). A build of many files, each compiled by a process of its
 * own, thus needs a third of the space.
 *
 * A child process reads and writes the parts, because they are hostile input. If
 * it ends early, nothing is lost, and the remaining parts stay as they are.
 * Parts that are not packed when the target ends stay as they are, because
 * nobody should wait for this.
 */
#ifndef CLEW_CLI_RECORDING_PACKING_H
#define CLEW_CLI_RECORDING_PACKING_H

struct packing;

/*
 * Begins to watch the recording's folder for new parts. Returns NULL if that is
 * not possible.
 */
struct packing *packing_begin(const char *folder);

/*
 * Finds parts whose processes have ended. The child, which is started with the
 * first of them, packs them. No part is packed if the kernel or the file system
 * lacks what is necessary.
 */
void packing_poll(struct packing *packing);

/* Ends the child, if there is one, and frees `packing`, which may be NULL. */
void packing_end(struct packing *packing);

#endif
