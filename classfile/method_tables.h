/* SPDX-License-Identifier: MIT */
/*
 * Moves attributes of code: lines, variables, type annotations. Each function
 * writes its attribute, beginning with the length, or refuses.
 */
#ifndef CLEW_CLASSFILE_METHOD_TABLES_H
#define CLEW_CLASSFILE_METHOD_TABLES_H

#include "classfile/method_code.h"

enum classfile_refusal method_lines_write(const struct method_code *code,
					  struct class_input input,
					  struct class_output *output);

/* Moves a LocalVariableTable or a LocalVariableTypeTable. */
enum classfile_refusal method_variables_write(const struct method_code *code,
					      struct class_input input,
					      struct class_output *output);

/* Moves RuntimeVisibleTypeAnnotations or RuntimeInvisibleTypeAnnotations. */
enum classfile_refusal type_annotations_write(const struct method_code *code,
					      struct class_input input,
					      struct class_output *output);

/*
 * Converts a range of offsets to the new code. Returns 0 if it is outside the
 * code.
 */
int method_tables_range(const struct method_code *code, uint32_t *start,
			uint32_t *length);

#endif
