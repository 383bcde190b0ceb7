{
  "targets": [
    {
      "target_name": "rolltape",
      "sources": [
        "native/binding/addon.cc",
        "native/binding/args.cc",
        "native/binding/batch_object.cc",
        "native/binding/block_view.cc",
        "native/binding/digest_messages.cc",
        "native/binding/errors.cc",
        "native/binding/generation_object.cc",
        "native/binding/pack_workers.cc",
        "native/binding/plan_object.cc",
        "native/binding/plan_options.cc",
        "native/binding/promise_worker.cc",
        "native/binding/prompt_object.cc",
        "native/binding/reply_worker.cc",
        "native/binding/session_object.cc",
        "native/core/base64.cc",
        "native/core/batch.cc",
        "native/core/error.cc",
        "native/core/generation.cc",
        "native/core/json_cursor.cc",
        "native/core/json_text.cc",
        "native/core/message_index.cc",
        "native/core/pack_json.cc",
        "native/core/pack_padded.cc",
        "native/core/parallel.cc",
        "native/core/plan.cc",
        "native/core/prompt.cc",
        "native/core/request_writer.cc",
        "native/core/reward.cc",
        "native/core/row.cc",
        "native/core/safetensors.cc",
        "native/core/sequence.cc",
        "native/core/session.cc",
        "native/core/sglang_fields.cc",
        "native/core/sglang_reply.cc",
        "native/core/siphash.cc",
        "native/core/token_arena.cc",
        "native/core/top_logprobs.cc",
        "native/core/version_runs.cc",
        "native/memory/heap_block.cc"
      ],
      "include_dirs": ["<!(node -p \"require('node-addon-api').include_dir\")"],
      "cflags!": ["-fno-exceptions"],
      "cflags_cc!": ["-fno-exceptions", "-fno-rtti", "-std=gnu++17", "-std=gnu++20"],
      "cflags_cc": ["-std=c++20", "-fvisibility=hidden", "-fvisibility-inlines-hidden", "-pthread"],
      "ldflags": ["-pthread"],
      "xcode_settings": {
        "CLANG_CXX_LANGUAGE_STANDARD": "c++20",
        "GCC_ENABLE_CPP_EXCEPTIONS": "YES",
        "GCC_ENABLE_CPP_RTTI": "YES",
        "GCC_SYMBOLS_PRIVATE_EXTERN": "YES"
      }
    }
  ]
}
