/* SPDX-License-Identifier: MIT */
/* See variables.h. */
#include "symbolizer/variables/variables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "symbolizer/indexer/worker.h"
#include "symbolizer/variables/variable_answer.h"
#include "symbolizer/variables/variable_reader.h"

#define USUAL_SECONDS 20
#define BYTES_MAX     (UINT64_C(4) << 30)
#define ANSWER_MAX    (UINT64_C(64) << 20)

/* ---- Answers ---- */

static int types_are_good(const struct variables *v)
{
	for (uint32_t i = 0; i < v->header.type_count; i++) {
		const struct variable_type *type = &v->types[i];

		if (type->kind >= VARIABLE_TYPE_KINDS ||
		    type->target >= v->header.type_count ||
		    type->name >= v->header.text_bytes ||
		    type->first_member > v->header.member_count ||
		    type->member_count >
			    v->header.member_count - type->first_member)
			return 0;
	}
	return 1;
}

static int members_are_good(const struct variables *v)
{
	for (uint32_t i = 0; i < v->header.member_count; i++) {
		const struct variable_member *member = &v->members[i];

		if (member->type >= v->header.type_count ||
		    member->name >= v->header.text_bytes ||
		    member->why >= v->header.text_bytes || member->bits > 64)
			return 0;
	}
	return 1;
}

static int steps_are_good(const struct variables *v)
{
	for (uint32_t i = 0; i < v->header.step_count; i++)
		if (v->steps[i].operation >= VARIABLE_OPERATIONS)
			return 0;
	return 1;
}

static int variables_are_good(const struct variables *v)
{
	const uint64_t texts = v->header.text_bytes;

	for (uint32_t i = 0; i < v->header.variable_count; i++) {
		const struct variable *one = &v->list[i];

		if (one->name >= texts || one->type_text >= texts ||
		    one->function >= texts || one->why >= texts ||
		    one->type >= v->header.type_count ||
		    one->kind >= VARIABLE_KINDS ||
		    one->place >= VARIABLE_PLACES || one->argument > 6 ||
		    one->first_step > v->header.step_count ||
		    one->step_count > v->header.step_count - one->first_step)
			return 0;
	}
	return 1;
}

int variables_take(struct variables *out, void *bytes, size_t size)
{
	struct variables v = { .memory = bytes };
	const struct variables_header *h = &v.header;
	const char *at = bytes;
	uint64_t whole = sizeof(*h);

	if (size < sizeof(*h))
		return -EBADMSG;
	memcpy(&v.header, bytes, sizeof(*h));
	at += sizeof(*h);
	v.list = (const void *)at;
	at += h->variable_count * sizeof(*v.list);
	v.types = (const void *)at;
	at += h->type_count * sizeof(*v.types);
	v.members = (const void *)at;
	at += h->member_count * sizeof(*v.members);
	v.steps = (const void *)at;
	at += h->step_count * sizeof(*v.steps);
	v.texts = at;
	whole += h->variable_count * sizeof(*v.list) +
		 h->type_count * sizeof(*v.types) +
		 h->member_count * sizeof(*v.members) +
		 h->step_count * sizeof(*v.steps);
	if (h->magic != VARIABLE_ANSWER_MAGIC || whole > size ||
	    h->text_bytes != size - whole || !h->text_bytes ||
	    v.texts[0] != '\0' || v.texts[h->text_bytes - 1] != '\0' ||
	    !h->type_count || h->why >= h->text_bytes ||
	    h->note >= h->text_bytes || h->function >= h->text_bytes ||
	    h->result_type >= h->type_count || !types_are_good(&v) ||
	    !members_are_good(&v) || !steps_are_good(&v) ||
	    !variables_are_good(&v))
		return -EBADMSG;
	*out = v;
	return 0;
}

void variables_free(struct variables *variables)
{
	free(variables->memory);
	*variables = (struct variables){ 0 };
}

/* ---- Requests ---- */

static int read_answer(int fd, struct variables *out)
{
	struct stat status;
	char *bytes;
	size_t size;

	if (fstat(fd, &status) != 0 || status.st_size < 0 ||
	    (uint64_t)status.st_size > ANSWER_MAX)
		return -EBADMSG;
	size = (size_t)status.st_size;
	bytes = malloc(size + 1);
	if (!bytes)
		return -ENOMEM;
	for (size_t got = 0; got < size;) {
		const ssize_t more =
			pread(fd, bytes + got, size - got, (off_t)got);

		if (more <= 0) {
			free(bytes);
			return -EBADMSG;
		}
		got += (size_t)more;
	}
	if (variables_take(out, bytes, size) == 0)
		return 0;
	free(bytes);
	return -EBADMSG;
}

static int work(const void *request, int fd)
{
	return variable_reader_run(request, fd);
}

static int explain(const struct variables_request *request, int err,
		   const char *reason, char **why)
{
	if (err == -ECHILD)
		return fail(why, err, "%s: debug information: %s",
			    request->path, reason);
	if (err == -EBADMSG)
		return fail(why, err, "%s: debug information is damaged",
			    request->path);
	return fail(why, err, "%s: %s", request->path,
		    err == -ENOEXEC ? "not an ELF file" : strerror(-err));
}

int variables_read(const struct variables_request *request,
		   struct variables *out, char **why)
{
	const struct worker_limits limits = {
		.seconds = request->seconds ? request->seconds : USUAL_SECONDS,
		.bytes = BYTES_MAX,
		.is_silent = 1,
	};
	char reason[WORKER_WHY_BYTES] = "";
	int fd = memfd_create("clew-variables", MFD_CLOEXEC);
	int err;

	if (fd < 0)
		return fail(why, -errno, "%s", strerror(errno));
	err = worker_run(&limits, work, request, fd, reason);
	if (!err)
		err = read_answer(fd, out);
	close(fd);
	if (err)
		return explain(request, err, reason, why);
	if (out->header.why) {
		fail(why, -ENOENT, "%s", variables_text(out, out->header.why));
		variables_free(out);
		return -ENOENT;
	}
	return 0;
}
