/* SPDX-License-Identifier: MIT */
/* See own_loaders.h. */
#include "jvm/jvmti/own_loaders.h"

#include "jvm/jvmti/java_exceptions.h"

static jobject platform_loader; /* a global reference; found once for a JVM */

static jobject call_static(JNIEnv *jni, jclass loaders, const char *name)
{
	const jmethodID get = (*jni)->GetStaticMethodID(
		jni, loaders, name, "()Ljava/lang/ClassLoader;");

	return get ? (*jni)->CallStaticObjectMethod(jni, loaders, get) : NULL;
}

/* JDK 8 has an extension class loader instead of the platform class loader. */
static jobject find_extension_loader(JNIEnv *jni, jclass loaders)
{
	const jobject system =
		call_static(jni, loaders, "getSystemClassLoader");
	const jmethodID get_parent =
		system ? (*jni)->GetMethodID(jni, loaders, "getParent",
					     "()Ljava/lang/ClassLoader;")
		       : NULL;

	return get_parent ? (*jni)->CallObjectMethod(jni, system, get_parent)
			  : NULL;
}

int own_loaders_find(JNIEnv *jni)
{
	const jclass loaders = (*jni)->FindClass(jni, "java/lang/ClassLoader");
	jobject loader = NULL;

	if (loaders)
		loader = call_static(jni, loaders, "getPlatformClassLoader");
	if (has_thrown(jni) && loaders)
		loader = find_extension_loader(jni, loaders);
	if (!has_thrown(jni) && loader && !platform_loader)
		platform_loader = (*jni)->NewGlobalRef(jni, loader);
	return platform_loader ? 0 : -1;
}

int own_loaders_have(JNIEnv *jni, jobject loader)
{
	return !loader || (*jni)->IsSameObject(jni, loader, platform_loader);
}
