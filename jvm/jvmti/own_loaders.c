/* SPDX-License-Identifier: MIT */
/* See own_loaders.h. */
#include "jvm/jvmti/own_loaders.h"

static jobject platform_loader; /* a global reference; found once for a JVM */

int own_loaders_find(JNIEnv *jni)
{
	jclass loaders = (*jni)->FindClass(jni, "java/lang/ClassLoader");
	jmethodID get =
		loaders ? (*jni)->GetStaticMethodID(jni, loaders,
						    "getPlatformClassLoader",
						    "()Ljava/lang/ClassLoader;")
			: NULL;
	jobject loader =
		get ? (*jni)->CallStaticObjectMethod(jni, loaders, get) : NULL;

	if ((*jni)->ExceptionCheck(jni))
		(*jni)->ExceptionClear(jni);
	else if (loader && !platform_loader)
		platform_loader = (*jni)->NewGlobalRef(jni, loader);
	return platform_loader ? 0 : -1;
}

int own_loaders_have(JNIEnv *jni, jobject loader)
{
	return !loader || (*jni)->IsSameObject(jni, loader, platform_loader);
}
