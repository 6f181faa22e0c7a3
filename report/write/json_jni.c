/* SPDX-License-Identifier: MIT */
/* JSON of notes and advice on the use of JNI. */
#include "report/view/jni_advice.h"
#include "report/write/json.h"

static json_t *function_or_null(struct catalog *catalog, uint32_t function)
{
	return function == FUNCTION_NONE ? json_null()
					 : json_function(catalog, function);
}

static json_t *note_of(struct catalog *catalog, const struct jni_note *note)
{
	json_t *value = json_pack(
		"{sssosososo}", "what", jni_event_text(note->what), "function",
		function_or_null(catalog, note->call.function), "caller",
		function_or_null(catalog, note->call.caller), "native",
		function_or_null(catalog, note->call.native), "java",
		function_or_null(catalog, note->call.java));

	if (note->name)
		json_object_set_new(value, "name", json_text(note->name));
	json_object_set_new(value, "count", json_number(note->count));
	switch (note->what) {
	case WIRE_JNI_COPY:
		json_object_set_new(value, "bytes", json_number(note->amount));
		json_object_set_new(value, "most_bytes",
				    json_number(note->most));
		break;
	case WIRE_JNI_CRITICAL:
		json_object_set_new(value, "ns", json_number(note->amount));
		json_object_set_new(value, "most_ns", json_number(note->most));
		break;
	case WIRE_JNI_LOCALS:
		json_object_set_new(value, "most", json_number(note->most));
		break;
	case WIRE_JNI_GLOBALS:
		json_object_set_new(value, "deleted",
				    json_number(note->amount));
		break;
	default:
		break;
	}
	return value;
}

static void write_advice(struct json_stream *object, struct session *session,
			 const struct selection *selection)
{
	struct json_stream list = json_begin(object, "advice", "[");
	struct jni_advice advice;

	jni_advice_init(&advice, &session->jni, &session->catalog, selection);
	for (size_t i = 0; i < advice.count; i++)
		json_member(&list, NULL, json_text(advice.sentences[i]));
	jni_advice_fini(&advice);
	json_end(&list, "]");
}

void json_jni(struct json_stream *stream, struct session *session,
	      const struct selection *selection)
{
	struct json_stream object, list;

	if (session->jni.count == 0)
		return;
	object = json_begin(stream, "jni_env", "{");
	list = json_begin(&object, "notes", "[");
	for (size_t i = 0; i < session->jni.count; i++)
		json_member(&list, NULL,
			    note_of(&session->catalog, &session->jni.items[i]));
	json_end(&list, "]");
	write_advice(&object, session, selection);
	json_end(&object, "}");
}
