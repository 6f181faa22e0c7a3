/* SPDX-License-Identifier: MIT */
/* See variable_answer.h. */
#include "symbolizer/variables/variable_answer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "symbolizer/elf/heap.h"

void variable_answer_begin(struct variable_answer *answer)
{
	*answer = (struct variable_answer){ .header.magic =
						    VARIABLE_ANSWER_MAGIC };
	answer->texts = heap_reserve(NULL, 1, &answer->text_room, 1);
	answer->texts[answer->header.text_bytes++] = '\0';
	/* Type 0 means unknown. */
	variable_answer_type(answer);
}

struct variable *variable_answer_variable(struct variable_answer *answer)
{
	struct variable *one;

	answer->list =
		heap_reserve(answer->list, answer->header.variable_count + 1,
			     &answer->list_room, sizeof(*answer->list));
	one = &answer->list[answer->header.variable_count++];
	memset(one, 0, sizeof(*one));
	return one;
}

uint32_t variable_answer_type(struct variable_answer *answer)
{
	answer->types =
		heap_reserve(answer->types, answer->header.type_count + 1,
			     &answer->type_room, sizeof(*answer->types));
	memset(&answer->types[answer->header.type_count], 0,
	       sizeof(*answer->types));
	return answer->header.type_count++;
}

struct variable_member *variable_answer_member(struct variable_answer *answer)
{
	struct variable_member *one;

	answer->members =
		heap_reserve(answer->members, answer->header.member_count + 1,
			     &answer->member_room, sizeof(*answer->members));
	one = &answer->members[answer->header.member_count++];
	memset(one, 0, sizeof(*one));
	return one;
}

struct variable_step *variable_answer_step(struct variable_answer *answer)
{
	struct variable_step *one;

	answer->steps =
		heap_reserve(answer->steps, answer->header.step_count + 1,
			     &answer->step_room, sizeof(*answer->steps));
	one = &answer->steps[answer->header.step_count++];
	memset(one, 0, sizeof(*one));
	return one;
}

uint32_t variable_answer_text(struct variable_answer *answer, const char *text)
{
	const size_t bytes = text ? strlen(text) + 1 : 0;
	const uint64_t at = answer->header.text_bytes;

	if (bytes <= 1 || at + bytes > UINT32_MAX)
		return 0;
	answer->texts =
		heap_reserve(answer->texts, at + bytes, &answer->text_room, 1);
	memcpy(answer->texts + at, text, bytes);
	answer->header.text_bytes += bytes;
	return (uint32_t)at;
}

static int write_all(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size > 0) {
		const ssize_t done = write(fd, at, size);

		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		at += done;
		size -= (size_t)done;
	}
	return 0;
}

int variable_answer_write(const struct variable_answer *answer, int fd)
{
	const struct variables_header *h = &answer->header;
	int err = write_all(fd, h, sizeof(*h));

	if (!err)
		err = write_all(fd, answer->list,
				h->variable_count * sizeof(*answer->list));
	if (!err)
		err = write_all(fd, answer->types,
				h->type_count * sizeof(*answer->types));
	if (!err)
		err = write_all(fd, answer->members,
				h->member_count * sizeof(*answer->members));
	if (!err)
		err = write_all(fd, answer->steps,
				h->step_count * sizeof(*answer->steps));
	if (!err)
		err = write_all(fd, answer->texts, h->text_bytes);
	return err;
}
