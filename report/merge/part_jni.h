/* SPDX-License-Identifier: MIT */
/* Reads the notes about JNI calls of one process. */
#ifndef CLEW_MERGE_PART_JNI_H
#define CLEW_MERGE_PART_JNI_H

#include "report/merge/contexts.h"
#include "report/model/jni_usage.h"

/* Adds the notes of a part. `contexts` are the contexts of the same part. */
void part_jni_add(struct jni_usage *notes, const struct part_copy *part,
		  const struct contexts *contexts);

#endif
