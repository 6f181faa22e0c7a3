/* SPDX-License-Identifier: MIT */
/* See frame_place.h. */
#include "cli/probes/frame_place.h"

#include "image/eh_frame.h"
#include "image/frame_columns.h"

/*
 * Offset of the CFA from the frame pointer, once the caller's frame pointer is
 * saved below the return address and the new one is set.
 */
#define FRAME_POINTER_OFFSET (CALLED_CFA_OFFSET - CALLED_RETURN_OFFSET)

struct frame_search {
	uint64_t vaddr;
	struct frame_place *out;
};

/* Returns whether the row gives the CFA by a register and an offset. */
static int is_plain(const struct cfi_machine *machine)
{
	return !machine->is_broken && !machine->row.cfa_is_expression;
}

static void find_most(struct cfi_machine *machine, const struct fde *fde,
		      struct frame_place *out)
{
	uint64_t offset = 0;

	for (;;) {
		cfi_seek(machine, offset);
		if (is_plain(machine) &&
		    machine->row.cfa_register == COLUMN_STACK_POINTER &&
		    machine->row.cfa_offset > out->most)
			out->most = machine->row.cfa_offset;
		if (!machine->has_moved || machine->is_broken ||
		    machine->next_offset <= offset ||
		    machine->next_offset >= fde->size)
			return;
		offset = machine->next_offset;
	}
}

static int check_fde(void *context, const struct fde *fde)
{
	struct frame_search *search = context;
	struct cfi_machine machine;

	if (search->vaddr < fde->vaddr ||
	    search->vaddr - fde->vaddr >= fde->size)
		return 0;
	cfi_begin(&machine, fde->rules, fde->cie_program, fde->fde_program);
	cfi_seek(&machine, search->vaddr - fde->vaddr);
	search->out->is_known = is_plain(&machine);
	search->out->column = machine.row.cfa_register;
	search->out->offset = machine.row.cfa_offset;
	cfi_begin(&machine, fde->rules, fde->cie_program, fde->fde_program);
	find_most(&machine, fde, search->out);
	return 1;
}

void frame_place_find(const struct image *image, uint64_t vaddr,
		      struct frame_place *out)
{
	struct frame_search search = { .vaddr = vaddr, .out = out };

	*out = (struct frame_place){ 0 };
	if (eh_frame_walk(image, check_fde, &search) != 1)
		out->is_known = 0;
}

int frame_place_is_set_up(const struct frame_place *place, unsigned int column)
{
	if (!place->is_known || place->column != column)
		return 0;
	return column == COLUMN_STACK_POINTER
		       ? place->offset == place->most
		       : place->offset == FRAME_POINTER_OFFSET;
}
