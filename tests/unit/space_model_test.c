/* SPDX-License-Identifier: MIT */
/*
 * Compares spaces with a model that is too simple to be wrong: a few dozen
 * bytes of address space, each with the number of its owner. The model carries
 * out all changes up to the time in question, one after the other.
 */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/a2n.h"

enum {
	BYTES = 48, /* bytes of the model's memory */
	TIMES = 12,
	MOST_STEPS = 40,
	ROUNDS = 1500,
};

enum kind { ADD, MOVE, REMOVE, MAP, UNMAP, KINDS };

struct step {
	enum kind kind;
	uint64_t time;
	unsigned int start;
	unsigned int bytes;
	unsigned int id; /* id of code or of a mapping */
};

struct model {
	unsigned int code[BYTES]; /* 0 means no code */
	unsigned int mapping[BYTES];
};

struct script {
	struct step steps[MOST_STEPS];
	unsigned int count;
	unsigned int
		bytes_of[MOST_STEPS + 1]; /* number of bytes by id of code */
	unsigned int codes;
	unsigned int mappings;
};

static uint32_t seed;

static unsigned int random_below(unsigned int limit)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % limit;
}

/* ---- the model ---- */

static void fill(unsigned int *bytes, const struct step *step, unsigned int id)
{
	for (unsigned int i = 0; i < step->bytes; i++)
		bytes[step->start + i] = id;
}

static void take_away(struct model *model, unsigned int id)
{
	for (unsigned int i = 0; i < BYTES; i++) {
		if (model->code[i] == id)
			model->code[i] = 0;
	}
}

/*
 * Applies a step. Code has one address at a time, even if it moved before it
 * was added.
 */
static void carry_out(struct model *model, const struct step *step)
{
	switch (step->kind) {
	case ADD:
	case MOVE:
		take_away(model, step->id);
		fill(model->code, step, step->id);
		break;
	case REMOVE:
		take_away(model, step->id);
		break;
	case UNMAP:
		fill(model->code, step, 0);
		fill(model->mapping, step, 0);
		break;
	default:
		fill(model->mapping, step, step->id);
		break;
	}
}

/*
 * Returns the state at a time. Mappings replace code before code of the same
 * time is added.
 */
static struct model model_at(const struct script *script, uint64_t time)
{
	struct model model = { 0 };

	for (uint64_t now = 0; now <= time && now < TIMES; now++) {
		for (unsigned int i = 0; i < script->count; i++) {
			const struct step *step = &script->steps[i];

			if (step->time == now && step->kind == MAP)
				fill(model.code, step, 0);
		}
		for (unsigned int i = 0; i < script->count; i++) {
			if (script->steps[i].time == now)
				carry_out(&model, &script->steps[i]);
		}
	}
	return model;
}

static int was_ever_at(const struct script *script, unsigned int id,
		       unsigned int byte)
{
	for (unsigned int i = 0; i < script->count; i++) {
		const struct step *step = &script->steps[i];

		if ((step->kind == ADD || step->kind == MOVE) &&
		    step->id == id && byte - step->start < step->bytes)
			return 1;
	}
	return 0;
}

/* ---- scripts ---- */

static struct step random_step(struct script *script)
{
	struct step step = { .time = random_below(TIMES),
			     .kind = (enum kind)random_below(KINDS) };

	if (random_below(3) == 0)
		step.kind = ADD;
	if (script->codes == 0 && (step.kind == MOVE || step.kind == REMOVE))
		step.kind = ADD;
	step.bytes = 1 + random_below(random_below(2) ? BYTES / 8 : BYTES);
	if (step.kind == ADD) {
		step.id = ++script->codes;
		script->bytes_of[step.id] = step.bytes;
	} else if (step.kind == MAP) {
		step.id = ++script->mappings;
	} else if (step.kind != UNMAP) {
		step.id = 1 + random_below(script->codes);
		step.bytes = script->bytes_of[step.id];
	}
	step.start = random_below(BYTES - step.bytes + 1);
	return step;
}

static void tell(struct a2n_space *space, const struct step *step,
		 uint64_t base)
{
	struct a2n_code code = { .start = base + step->start,
				 .bytes = step->bytes,
				 .name = "code" };
	struct a2n_mapping mapping = { .start = base + step->start,
				       .bytes = step->bytes,
				       .file_offset = step->id };
	uint64_t id = 0;
	int err = 0;

	if (step->kind == ADD) {
		err = a2n_space_add(space, &code, step->time, &id);
		assert_int_equal(id, step->id);
	} else if (step->kind == MOVE) {
		err = a2n_space_move(space, step->id, code.start, step->time);
	} else if (step->kind == REMOVE) {
		err = a2n_space_remove(space, step->id, step->time);
	} else if (step->kind == MAP) {
		err = a2n_space_map(space, &mapping, step->time);
	} else {
		err = a2n_space_unmap(space, code.start, step->bytes,
				      step->time);
	}
	assert_int_equal(err, 0);
}

/* ---- comparing ---- */

struct round {
	struct a2n_space *space;
	const struct script *script;
	uint64_t base;
	struct model models[TIMES + 1]; /* the last one is for A2N_LATEST */
};

static uint64_t time_of(unsigned int index)
{
	return index == TIMES ? A2N_LATEST : index;
}

static struct a2n_place look(const struct round *round, unsigned int byte,
			     unsigned int time, uint64_t expected)
{
	struct a2n_place place;
	struct a2n_frame frame;
	size_t count = a2n_space_lookup(round->space, round->base + byte,
					time_of(time), &expected, expected != 0,
					&place, &frame, 1);

	assert_int_equal(count, place.code != 0);
	return place;
}

/* Checks that the answer holds for the whole range and time that it reports. */
static void check_place(const struct round *round,
			const struct a2n_place *place, unsigned int byte,
			unsigned int time)
{
	const struct model *here = &round->models[time];
	uint64_t pc = round->base + byte;

	assert_true(place->start <= pc && pc < place->end);
	assert_true(place->from <= time_of(time));
	assert_true(place->to > time_of(time) || place->to == A2N_LATEST);
	for (unsigned int t = 0; t <= TIMES; t++) {
		if (time_of(t) < place->from || time_of(t) >= place->to)
			continue;
		for (uint64_t at = place->start; at < place->end; at++) {
			const struct model *there = &round->models[t];
			size_t other = at - round->base;

			if (place->code)
				assert_int_equal(there->code[other],
						 here->code[byte]);
			else
				assert_int_equal(there->mapping[other],
						 here->mapping[byte]);
		}
	}
}

static void check_at(const struct round *round, unsigned int byte,
		     unsigned int time)
{
	const struct model *model = &round->models[time];
	struct a2n_place place = look(round, byte, time, 0);

	assert_int_equal(place.code, model->code[byte]);
	assert_int_equal(place.end != 0,
			 model->code[byte] || model->mapping[byte]);
	if (place.end != 0)
		check_place(round, &place, byte, time);
}

static void check_with_expected(const struct round *round, unsigned int byte,
				unsigned int time)
{
	unsigned int id = 1 + random_below(round->script->codes + 1);
	struct a2n_place place = look(round, byte, time, id);

	if (was_ever_at(round->script, id, byte))
		assert_int_equal(place.code, id);
	else
		assert_int_equal(place.code, round->models[time].code[byte]);
}

static void check(struct round *round)
{
	for (unsigned int time = 0; time <= TIMES; time++)
		round->models[time] = model_at(round->script, time_of(time));
	for (unsigned int byte = 0; byte < BYTES; byte++) {
		for (unsigned int time = 0; time <= TIMES; time++) {
			check_at(round, byte, time);
			check_with_expected(round, byte, time);
		}
	}
}

static void one_round(uint64_t base)
{
	struct script script = { 0 };
	struct round round = { .script = &script, .base = base };
	unsigned int steps = 1 + random_below(MOST_STEPS);
	unsigned int commit = random_below(MOST_STEPS);

	assert_int_equal(a2n_space_create(NULL, &round.space), 0);
	for (; script.count < steps; script.count++) {
		script.steps[script.count] = random_step(&script);
		tell(round.space, &script.steps[script.count], base);
		if (script.count != commit)
			continue;
		script.count++;
		assert_int_equal(a2n_space_commit(round.space), 0);
		check(&round);
		script.count--;
	}
	assert_int_equal(a2n_space_commit(round.space), 0);
	check(&round);
	a2n_space_destroy(round.space);
}

static void any_changes_in_any_order_of_times_agree_with_the_model(void **state)
{
	static const uint64_t bases[] = { 0, 0x7f12345, UINT64_MAX - BYTES };

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		seed = round;
		one_round(bases[round % 3]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			any_changes_in_any_order_of_times_agree_with_the_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
