/* SPDX-License-Identifier: MIT */
/* Modules that are not hooked unless the user asks for them, or never. */
#ifndef CLEW_IMAGE_SPECIAL_MODULES_H
#define CLEW_IMAGE_SPECIAL_MODULES_H

#include "wire/verdict.h"

/* What becomes of a module by its file's name, without rules: hooked, or why not. */
enum module_state special_module_state(const char *path);

#endif
