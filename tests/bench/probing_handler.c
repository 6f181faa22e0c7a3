/* SPDX-License-Identifier: MIT */
/*
 * An empty handler of a probe; it is built with and without vector registers.
 */
#include "agent/clew_handler.h"

CLEW_HANDLER(empty)
{
}
