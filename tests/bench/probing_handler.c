/* SPDX-License-Identifier: MIT */
/* A handler of a probe that does nothing; built with and without vector registers. */
#include "agent/clew_handler.h"

CLEW_HANDLER(empty)
{
}
