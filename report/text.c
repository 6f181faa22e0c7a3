/* SPDX-License-Identifier: MIT */
#include "report/text.h"

const struct writer writer_text = {
	.flat = text_flat,
	.tree = text_tree,
	.list = text_list,
};
