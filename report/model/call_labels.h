/* SPDX-License-Identifier: MIT */
/*
 * What calls of one function are told apart by: a function of the catalog stands for those of
 * another that are made at one site, or with one value of an argument, and its label says so.
 */
#ifndef CLEW_MODEL_CALL_LABELS_H
#define CLEW_MODEL_CALL_LABELS_H

#include "report/model/function_catalog.h"
#include "report/model/mark_list.h"

/* By what; zero-initialised, by nothing. */
struct label_wish {
	int has_sites;   /* where they are made */
	int has_values;  /* all values that probes have kept of them */
	int is_optional; /* it is all right if that was not written down */
	/* Calls of a function, as the probe was told, by a value of it; or NULL. */
	const char *function, *argument;
};

struct call_label {
	uint32_t function; /* whose calls they are */
	const char *site;  /* "file.c:12" or "caller+0x34"; NULL: any */
	const struct mark_value *values;
	size_t value_count;
};

/*
 * A function that stands for calls of another, entered if need be: its name is
 * "NAME [VALUE=..., ...] @ SITE". What the label has is copied.
 */
uint32_t catalog_labelled(struct catalog *catalog,
			  const struct call_label *label);

/* NULL: it stands for itself. Valid until the next one is entered. */
const struct call_label *catalog_label(const struct catalog *catalog,
				       uint32_t function);

#endif
