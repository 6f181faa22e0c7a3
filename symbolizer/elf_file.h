/* SPDX-License-Identifier: MIT */
/*
 * An ELF file opened for reading, if it is the right one.
 *
 * A path says little: the file may have been replaced since the program ran,
 * and naming functions by another build's symbols would be a lie. So a file is
 * opened by path *and* build-id.
 */
#ifndef CLEW_SYMBOLIZER_ELF_FILE_H
#define CLEW_SYMBOLIZER_ELF_FILE_H

#include <stdint.h>

#include <libelf.h>

struct build_id {
	uint32_t bytes; /* 0: the module has none */
	uint8_t data[32];
};

struct elf_file {
	int fd;
	Elf *elf;
};

/*
 * 0, or -errno: -ENOEXEC not an ELF file, -ESTALE another build-id; others
 * from the system.
 */
int elf_file_open(struct elf_file *file, const char *path,
		  const struct build_id *wanted);

/* The separate file that holds a stripped module's symbols, by build-id. */
int elf_file_open_debug(struct elf_file *file, const struct build_id *wanted);

void elf_file_close(struct elf_file *file);

#endif
