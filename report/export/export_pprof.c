/* SPDX-License-Identifier: MIT */
/* pprof's format: a gzipped protobuf message, written in pieces. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "report/export/pprof_profile.h"

struct gzipped {
	gzFile out;
	int err;         /* -errno of the first write error */
	uint8_t *packed; /* buffer for one piece */
	size_t packed_capacity;
};

static void write_piece(void *sink, const Pprof__Profile *piece)
{
	struct gzipped *gzipped = sink;
	size_t bytes = pprof__profile__get_packed_size(piece);

	if (bytes > gzipped->packed_capacity) {
		free(gzipped->packed);
		gzipped->packed_capacity = 2 * bytes;
		gzipped->packed = memory_zeroed(gzipped->packed_capacity, 1);
	}
	pprof__profile__pack(piece, gzipped->packed);
	if (bytes > 0 && !gzipped->err &&
	    gzwrite(gzipped->out, gzipped->packed, (unsigned int)bytes) <= 0)
		gzipped->err = errno ? -errno : -EIO;
}

int export_pprof(struct export *export, FILE *out, char **why)
{
	struct gzipped gzipped = { 0 };
	struct pprof pprof = {
		.export = export,
		.catalog = &export->session->catalog,
		.write = write_piece,
		.sink = &gzipped,
	};
	int fd = dup(fileno(out));

	gzipped.out = fd < 0 ? NULL : gzdopen(fd, "wb1");
	if (!gzipped.out) {
		if (fd >= 0)
			close(fd);
		return fail(why, -ENOMEM, "%s", strerror(ENOMEM));
	}
	pprof_write_profile(&pprof);
	if (gzclose(gzipped.out) != Z_OK && !gzipped.err)
		gzipped.err = errno ? -errno : -EIO;
	pprof_fini(&pprof);
	free(gzipped.packed);
	return gzipped.err
		       ? fail(why, gzipped.err, "%s", strerror(-gzipped.err))
		       : 0;
}
