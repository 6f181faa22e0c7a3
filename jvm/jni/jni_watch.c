/* SPDX-License-Identifier: MIT */
#include "jvm/jni/jni_watch.h"

struct JNINativeInterface_ jni_real;
