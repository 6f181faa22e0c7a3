/* SPDX-License-Identifier: MIT */
/*
 * See push_stores.h.
 *
 * OTLP receivers take the message of `clew export -F otlp`, gzipped. Pyroscope
 * (its Push API) and Parca (WriteRaw) take a pprof profile as base64 in JSON,
 * with labels in two forms. A pprof profile is gzipped itself.
 */
#include "cli/push/push_stores.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>
#include <zlib.h>

#include "base/base64.h"
#include "base/fail.h"
#include "base/memory.h"
#include "report/export/otlp_answer.h"

/* ---- Exports in memory ---- */

static int read_back(FILE *file, void **data, size_t *bytes)
{
	const long size = fflush(file) == 0 ? ftell(file) : -1;

	if (size < 0)
		return -errno;
	rewind(file);
	*data = memory_zeroed((size_t)size + 1, 1);
	*bytes = fread(*data, 1, (size_t)size, file);
	if (*bytes == (size_t)size)
		return 0;
	free(*data);
	return -EIO;
}

/* Runs an export to a file in memory, because that of pprof needs a file. */
static int write_export(struct export *export,
			int (*write)(struct export *, FILE *, char **),
			void **data, size_t *bytes, char **why)
{
	int fd = memfd_create("clew-push", MFD_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");
	int err;

	if (!file)
		return fail(why, -errno, "no file in memory: %s",
			    strerror(errno));
	err = write(export, file, why);
	if (!err) {
		fseek(file, 0, SEEK_END);
		err = read_back(file, data, bytes);
		if (err)
			fail(why, err, "the profile was not written: %s",
			     strerror(-err));
	}
	fclose(file);
	return err;
}

/* ---- OTLP ---- */

static int compress_body(const void *data, size_t bytes, struct push_body *body,
			 char **why)
{
	enum { WINDOW_BITS = 15, GZIP = 16, MEMORY_LEVEL = 8 };
	z_stream stream = { 0 };
	int state;

	if (bytes > UINT_MAX) /* zlib uses unsigned int for sizes */
		return fail(why, -EFBIG,
			    "the profile is larger than 4 GB; send less, for "
			    "example with --max-samples");
	if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS + GZIP,
			 MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		memory_exhausted();
	body->bytes = deflateBound(&stream, bytes);
	body->data = memory_zeroed(body->bytes, 1);
	stream.next_in = (Bytef *)data;
	stream.avail_in = (uInt)bytes;
	stream.next_out = body->data;
	stream.avail_out = (uInt)body->bytes;
	state = deflate(&stream, Z_FINISH);
	body->bytes = stream.total_out;
	deflateEnd(&stream);
	if (state == Z_STREAM_END)
		return 0;
	free(body->data);
	return fail(why, -EIO, "the profile could not be compressed");
}

static int fill_otlp(struct export *export, struct push_body *body, char **why)
{
	void *data;
	size_t bytes;
	int err = write_export(export, export_otlp, &data, &bytes, why);

	if (err)
		return err;
	body->content_type = "application/x-protobuf";
	body->encoding = "gzip";
	err = compress_body(data, bytes, body, why);
	free(data);
	return err;
}

/* ---- Stores that take pprof profiles ---- */

/* Returns base64 as JSON. */
static json_t *base64(const unsigned char *data, size_t bytes)
{
	const size_t length = base64_length(bytes);
	char *text = memory_zeroed(length + 1, 1);
	json_t *json;

	base64_encode(data, bytes, text);
	json = json_stringn_nocheck(text, length);
	free(text);
	return json;
}

/* Returns the type by which the stores group profiles. */
static const char *profile_name(const struct export *export)
{
	const struct value_sum *value = export->session->value;

	if (value)
		return value->unit == WIRE_UNIT_BYTES ? "memory" : "clew";
	if (!export_has_time(export))
		return "clew";
	return strcmp(export_time_name(export), "cpu") == 0 ? "process_cpu"
							    : "wall";
}

static void add_label(json_t *labels, const char *name, const char *value)
{
	json_array_append_new(
		labels, json_pack("{ssss}", "name", name, "value", value));
}

/*
 * Returns the labels: the name of the profile, the service, and then the user's
 * labels in their order.
 */
static json_t *label_list(const struct export *export)
{
	json_t *labels = json_array();
	char *service = export_service(export);

	add_label(labels, "__name__", profile_name(export));
	add_label(labels, "service_name", service);
	for (size_t i = 0; i < export->label_count; i++)
		add_label(labels, export->labels[i].name,
			  export->labels[i].value);
	free(service);
	return labels;
}

/* Returns a random UUID (version 4). */
static json_t *random_id(void)
{
	unsigned char id[16] = { 0 };

	(void)!getrandom(id, sizeof(id), 0);
	id[6] = (id[6] & 0x0f) | 0x40;
	id[8] = (id[8] & 0x3f) | 0x80;
	return json_sprintf("%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
			    "%02x%02x%02x%02x%02x%02x",
			    id[0], id[1], id[2], id[3], id[4], id[5], id[6],
			    id[7], id[8], id[9], id[10], id[11], id[12], id[13],
			    id[14], id[15]);
}

/* Takes ownership of the JSON object. */
static int fill_json(json_t *whole, struct push_body *body, char **why)
{
	char *text = whole ? json_dumps(whole, JSON_COMPACT) : NULL;

	json_decref(whole);
	if (!text)
		return fail(why, -ENOMEM, "%s", strerror(ENOMEM));
	body->content_type = "application/json";
	body->data = text;
	body->bytes = strlen(text);
	return 0;
}

static int fill_pyroscope(struct export *export, struct push_body *body,
			  char **why)
{
	void *data;
	size_t bytes;
	int err = write_export(export, export_pprof, &data, &bytes, why);

	if (err)
		return err;
	err = fill_json(json_pack("{s[{sos[{soso}]}]}", "series", "labels",
				  label_list(export), "samples", "ID",
				  random_id(), "rawProfile",
				  base64(data, bytes)),
			body, why);
	free(data);
	return err;
}

static int fill_parca(struct export *export, struct push_body *body, char **why)
{
	void *data;
	size_t bytes;
	int err = write_export(export, export_pprof, &data, &bytes, why);

	if (err)
		return err;
	/* normalized: addresses are those of the ELF files */
	err = fill_json(json_pack("{sbs[{s{so}s[{so}]}]}", "normalized", 1,
				  "series", "labels", "labels",
				  label_list(export), "samples", "rawProfile",
				  base64(data, bytes)),
			body, why);
	free(data);
	return err;
}

const struct push_store push_stores[] = {
	{ .name = "otlp",
	  .path = "/v1development/profiles",
	  .max_samples = 50000,
	  .fill = fill_otlp,
	  .check = otlp_check_answer },
	{ .name = "pyroscope",
	  .path = "/push.v1.PusherService/Push",
	  .max_samples = 16000, /* Pyroscope's default limit */
	  .has_label_names = 1,
	  .fill = fill_pyroscope },
	{ .name = "parca",
	  .path = "/api/profiles/writeraw",
	  .max_samples = 50000,
	  .has_label_names = 1,
	  .fill = fill_parca },
	{ 0 },
};
