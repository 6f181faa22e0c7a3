/* SPDX-License-Identifier: MIT */
/* See jni_functions.h. */
#include "jvm/jni/jni_functions.h"

#define FIRST_PLACE    4 /* the four places before it are reserved */

#define FUNCTION(name) [JNI_PLACE(name)] = #name

/* The groups of functions that exist for each Java type. */
#define CALLS(type)                                                            \
	FUNCTION(Call##type##Method), FUNCTION(Call##type##MethodV),           \
		FUNCTION(Call##type##MethodA),                                 \
		FUNCTION(CallNonvirtual##type##Method),                        \
		FUNCTION(CallNonvirtual##type##MethodV),                       \
		FUNCTION(CallNonvirtual##type##MethodA),                       \
		FUNCTION(CallStatic##type##Method),                            \
		FUNCTION(CallStatic##type##MethodV),                           \
		FUNCTION(CallStatic##type##MethodA)

#define FIELDS(type)                                                           \
	FUNCTION(Get##type##Field), FUNCTION(Set##type##Field),                \
		FUNCTION(GetStatic##type##Field),                              \
		FUNCTION(SetStatic##type##Field)

#define ARRAYS(type)                                                           \
	FUNCTION(New##type##Array), FUNCTION(Get##type##ArrayElements),        \
		FUNCTION(Release##type##ArrayElements),                        \
		FUNCTION(Get##type##ArrayRegion),                              \
		FUNCTION(Set##type##ArrayRegion)

#define PRIMITIVE(type) CALLS(type), FIELDS(type), ARRAYS(type)

const char *const jni_function_names[JNI_FUNCTIONS_MAX] = {
	PRIMITIVE(Boolean),
	PRIMITIVE(Byte),
	PRIMITIVE(Char),
	PRIMITIVE(Short),
	PRIMITIVE(Int),
	PRIMITIVE(Long),
	PRIMITIVE(Float),
	PRIMITIVE(Double),
	CALLS(Object),
	CALLS(Void),
	FIELDS(Object),
	FUNCTION(GetVersion),
	FUNCTION(DefineClass),
	FUNCTION(FindClass),
	FUNCTION(FromReflectedMethod),
	FUNCTION(FromReflectedField),
	FUNCTION(ToReflectedMethod),
	FUNCTION(GetSuperclass),
	FUNCTION(IsAssignableFrom),
	FUNCTION(ToReflectedField),
	FUNCTION(Throw),
	FUNCTION(ThrowNew),
	FUNCTION(ExceptionOccurred),
	FUNCTION(ExceptionDescribe),
	FUNCTION(ExceptionClear),
	FUNCTION(FatalError),
	FUNCTION(PushLocalFrame),
	FUNCTION(PopLocalFrame),
	FUNCTION(NewGlobalRef),
	FUNCTION(DeleteGlobalRef),
	FUNCTION(DeleteLocalRef),
	FUNCTION(IsSameObject),
	FUNCTION(NewLocalRef),
	FUNCTION(EnsureLocalCapacity),
	FUNCTION(AllocObject),
	FUNCTION(NewObject),
	FUNCTION(NewObjectV),
	FUNCTION(NewObjectA),
	FUNCTION(GetObjectClass),
	FUNCTION(IsInstanceOf),
	FUNCTION(GetMethodID),
	FUNCTION(GetFieldID),
	FUNCTION(GetStaticMethodID),
	FUNCTION(GetStaticFieldID),
	FUNCTION(NewString),
	FUNCTION(GetStringLength),
	FUNCTION(GetStringChars),
	FUNCTION(ReleaseStringChars),
	FUNCTION(NewStringUTF),
	FUNCTION(GetStringUTFLength),
	FUNCTION(GetStringUTFChars),
	FUNCTION(ReleaseStringUTFChars),
	FUNCTION(GetArrayLength),
	FUNCTION(NewObjectArray),
	FUNCTION(GetObjectArrayElement),
	FUNCTION(SetObjectArrayElement),
	FUNCTION(RegisterNatives),
	FUNCTION(UnregisterNatives),
	FUNCTION(MonitorEnter),
	FUNCTION(MonitorExit),
	FUNCTION(GetJavaVM),
	FUNCTION(GetStringRegion),
	FUNCTION(GetStringUTFRegion),
	FUNCTION(GetPrimitiveArrayCritical),
	FUNCTION(ReleasePrimitiveArrayCritical),
	FUNCTION(GetStringCritical),
	FUNCTION(ReleaseStringCritical),
	FUNCTION(NewWeakGlobalRef),
	FUNCTION(DeleteWeakGlobalRef),
	FUNCTION(ExceptionCheck),
	FUNCTION(NewDirectByteBuffer),
	FUNCTION(GetDirectBufferAddress),
	FUNCTION(GetDirectBufferCapacity),
	FUNCTION(GetObjectRefType),
	FUNCTION(GetModule),
	/*
	 * The oldest jni.h with which clew is built does not declare these
	 * functions.
	 */
	[234] = "IsVirtualThread",
	[235] = "GetStringUTFLengthAsLong",
};

uint32_t jni_function_count(jint version)
{
	static const struct {
		jint version; /* the first version with this number of places */
		uint32_t count;
	} known[] = {
		{ 0x00180000, 236 },
		{ 0x00130000, 235 },
		{ JNI_VERSION_9, JNI_PLACE(GetModule) + 1 },
		{ JNI_VERSION_1_6, JNI_PLACE(GetObjectRefType) + 1 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (version >= known[i].version)
			return known[i].count;
	return FIRST_PLACE;
}
