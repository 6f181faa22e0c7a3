/* SPDX-License-Identifier: MIT */
/*
 * Attributes of code that are moved with it: lines, variables, types that are
 * annotated. Each writes its attribute, from the length on, or refuses.
 */
#ifndef CLEW_CLASSFILE_METHOD_TABLES_H
#define CLEW_CLASSFILE_METHOD_TABLES_H

#include "classfile/method_code.h"

enum classfile_refusal method_lines_write(const struct method_code *code,
					  struct class_input input,
					  struct class_output *output);

/* LocalVariableTable and LocalVariableTypeTable */
enum classfile_refusal method_variables_write(const struct method_code *code,
					      struct class_input input,
					      struct class_output *output);

/* RuntimeVisibleTypeAnnotations and RuntimeInvisibleTypeAnnotations */
enum classfile_refusal type_annotations_write(const struct method_code *code,
					      struct class_input input,
					      struct class_output *output);

/* Of two offsets those of the code between them; 0: they are outside. */
int method_tables_range(const struct method_code *code, uint32_t *start,
			uint32_t *length);

#endif
