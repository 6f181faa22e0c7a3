/* SPDX-License-Identifier: MIT */
/* Evaluates expressions. See expression.h. */
#include "expression/expression.h"
#include "expression/expression_steps.h"

/* Returns the low bytes of a word, with or without sign. */
static uint64_t cut(uint64_t value, unsigned int bytes, uint64_t is_signed)
{
	const unsigned int shift = 64 - 8 * bytes;

	value <<= shift;
	return is_signed ? (uint64_t)((int64_t)value >> shift) : value >> shift;
}

static enum expression_failure load(const struct expression_view *view,
				    const struct expression_step *step,
				    uint64_t *top)
{
	uint64_t word = 0;

	if (view->read(&word, *top, step->detail) != 0)
		return EXPRESSION_IS_UNREADABLE;
	*top = cut(word, step->detail, step->number);
	return EXPRESSION_IS_FINE;
}

/*
 * Compares bytes up to the first difference, because memory after the string's
 * end may be unmapped.
 */
static enum expression_failure compare(const struct expression_view *view,
				       const char *text, uint64_t *top)
{
	char byte;

	for (uint64_t at = *top;; at++, text++) {
		if (view->read(&byte, at, 1) != 0)
			return EXPRESSION_IS_UNREADABLE;
		if (byte != *text || !byte)
			break;
	}
	*top = byte == *text;
	return EXPRESSION_IS_FINE;
}

/*
 * The least number divided by -1, undefined in C, overflows as subtraction
 * does.
 */
static uint64_t divide(unsigned int operation, uint64_t left, uint64_t right,
		       int is_unsigned)
{
	if (is_unsigned)
		return operation == STEP_BY ? left / right : left % right;
	if (right == UINT64_MAX)
		return operation == STEP_BY ? 0 - left : 0;
	if (operation == STEP_BY)
		return (uint64_t)((int64_t)left / (int64_t)right);
	return (uint64_t)((int64_t)left % (int64_t)right);
}

static uint64_t is_less(uint64_t left, uint64_t right, int is_unsigned)
{
	return is_unsigned ? left < right : (int64_t)left < (int64_t)right;
}

static uint64_t combine(const struct expression_step *step, uint64_t left,
			uint64_t right)
{
	switch (step->operation) {
	case STEP_TIMES:
		return left * right;
	case STEP_PLUS:
		return left + right;
	case STEP_MINUS:
		return left - right;
	case STEP_LEFT:
		return left << (right & 63);
	case STEP_RIGHT:
		return step->detail ? left >> (right & 63)
				    : (uint64_t)((int64_t)left >> (right & 63));
	case STEP_LESS:
		return is_less(left, right, step->detail);
	case STEP_LESS_OR_SAME:
		return !is_less(right, left, step->detail);
	case STEP_SAME:
		return left == right;
	case STEP_AND:
		return left & right;
	case STEP_XOR:
		return left ^ right;
	case STEP_OR:
		return left | right;
	default:
		return divide(step->operation, left, right, step->detail);
	}
}

/* Executes a step with one operand, which is in *top. */
static enum expression_failure change(const struct expression *expression,
				      const struct expression_view *view,
				      const struct expression_step *step,
				      uint64_t *top)
{
	switch (step->operation) {
	case STEP_CUT:
		*top = cut(*top, step->detail, step->number);
		break;
	case STEP_LOAD:
		return load(view, step, top);
	case STEP_NEGATE:
		*top = 0 - *top;
		break;
	case STEP_NOT:
		*top = !*top;
		break;
	case STEP_INVERT:
		*top = ~*top;
		break;
	default:
		return compare(view, expression->text + step->number, top);
	}
	return EXPRESSION_IS_FINE;
}

static uint64_t initial(const struct expression_view *view,
			const struct expression_step *step)
{
	if (step->operation == STEP_NUMBER)
		return step->number;
	if (step->operation == STEP_BASE)
		return view->base;
	return step->operation == STEP_TID ? view->tid()
					   : view->registers[step->detail];
}

/* The parser has ensured that the stack suffices and ends with one value. */
enum expression_failure expression_evaluate(const struct expression *expression,
					    const struct expression_view *view,
					    uint64_t *value)
{
	uint64_t stack[EXPRESSION_STACK_MAX + 1];
	uint64_t *top = stack; /* [0] stays unused */
	enum expression_failure failure = EXPRESSION_IS_FINE;

	stack[0] = 0;
	for (unsigned int i = 0; i < expression->count && !failure; i++) {
		const struct expression_step *step = &expression->steps[i];

		if (step->operation <= STEP_TID) {
			*++top = initial(view, step);
		} else if (step->operation <= STEP_IS_TEXT) {
			failure = change(expression, view, step, top);
		} else if (step->operation <= STEP_OR_ELSE) {
			const int is_or = step->operation == STEP_OR_ELSE;

			*top = *top != 0;
			if ((int)*top == is_or)
				i += (unsigned int)step->number;
			else
				top--;
		} else if ((step->operation == STEP_BY ||
			    step->operation == STEP_REST) &&
			   *top == 0) {
			failure = EXPRESSION_IS_DIVIDED;
		} else {
			top--;
			*top = combine(step, top[0], top[1]);
		}
	}
	if (!failure)
		*value = *top;
	return failure;
}

int expression_needs_only(const struct expression *expression,
			  unsigned int number)
{
	for (unsigned int i = 0; i < expression->count; i++)
		if (expression->steps[i].operation == STEP_REGISTER &&
		    expression->steps[i].detail != number)
			return 0;
	return 1;
}
