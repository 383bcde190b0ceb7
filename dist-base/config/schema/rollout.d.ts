import { z } from "zod";
/** Rollouts: their agents, how many run at once, and how far they may run ahead of the trainer. */
export declare const rolloutSchema: z.ZodObject<{
    agent: z.ZodPrefault<z.ZodObject<{
        mode: z.ZodDefault<z.ZodEnum<{
            inline: "inline";
            subproc: "subproc";
        }>>;
        subproc_max_workers: z.ZodDefault<z.ZodInt>;
        python: z.ZodDefault<z.ZodNullable<z.ZodString>>;
        tasks_per_worker: z.ZodDefault<z.ZodInt>;
        admin_api_key: z.ZodDefault<z.ZodNullable<z.ZodString>>;
        key_file: z.ZodDefault<z.ZodNullable<z.ZodString>>;
        session_timeout_seconds: z.ZodDefault<z.ZodNumber>;
        drain_seconds: z.ZodDefault<z.ZodNumber>;
        export_retention_seconds: z.ZodDefault<z.ZodNumber>;
        export_retention_bytes: z.ZodDefault<z.ZodInt>;
        max_session_tokens: z.ZodDefault<z.ZodNullable<z.ZodInt>>;
        max_session_calls: z.ZodDefault<z.ZodNullable<z.ZodInt>>;
        max_session_bytes: z.ZodDefault<z.ZodNullable<z.ZodInt>>;
        max_concurrent_calls: z.ZodDefault<z.ZodNullable<z.ZodInt>>;
        max_choices: z.ZodDefault<z.ZodInt>;
        max_upstream_calls: z.ZodDefault<z.ZodNullable<z.ZodInt>>;
        max_concurrent_upstream_calls: z.ZodDefault<z.ZodNullable<z.ZodInt>>;
        shared_memory_directory: z.ZodDefault<z.ZodString>;
        shared_memory_bytes: z.ZodDefault<z.ZodInt>;
        turn_discount: z.ZodDefault<z.ZodNumber>;
        export_style: z.ZodDefault<z.ZodEnum<{
            concat: "concat";
            individual: "individual";
        }>>;
        concat_reward: z.ZodDefault<z.ZodEnum<{
            leaf: "leaf";
            return: "return";
        }>>;
        export_filters: z.ZodPrefault<z.ZodObject<{
            models: z.ZodDefault<z.ZodNullable<z.ZodArray<z.ZodString>>>;
            exclude_models: z.ZodDefault<z.ZodNullable<z.ZodArray<z.ZodString>>>;
            tags: z.ZodDefault<z.ZodNullable<z.ZodArray<z.ZodString>>>;
            roots: z.ZodDefault<z.ZodEnum<{
                all: "all";
                rewarded: "rewarded";
            }>>;
        }, z.core.$strict>>;
        reward_scope: z.ZodDefault<z.ZodEnum<{
            interaction: "interaction";
            session: "session";
        }>>;
        chat_template_type: z.ZodDefault<z.ZodEnum<{
            concat: "concat";
            hf: "hf";
        }>>;
        chat_template_kwargs: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
        enforce_strict_tools: z.ZodDefault<z.ZodBoolean>;
        server_tools: z.ZodDefault<z.ZodEnum<{
            drop: "drop";
            refuse: "refuse";
        }>>;
        images: z.ZodDefault<z.ZodEnum<{
            placeholder: "placeholder";
            refuse: "refuse";
        }>>;
        message_filters: z.ZodDefault<z.ZodArray<z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
            pattern: z.ZodString;
            unsafe: z.ZodLiteral<true>;
        }, z.core.$strict>]>>>;
        sampling_override: z.ZodPrefault<z.ZodObject<{
            temperature: z.ZodDefault<z.ZodNullable<z.ZodNumber>>;
            top_p: z.ZodDefault<z.ZodNullable<z.ZodNumber>>;
            top_k: z.ZodDefault<z.ZodNullable<z.ZodInt32>>;
            min_p: z.ZodDefault<z.ZodNullable<z.ZodNumber>>;
            frequency_penalty: z.ZodDefault<z.ZodNullable<z.ZodNumber>>;
            presence_penalty: z.ZodDefault<z.ZodNullable<z.ZodNumber>>;
            repetition_penalty: z.ZodDefault<z.ZodNullable<z.ZodNumber>>;
            min_tokens: z.ZodDefault<z.ZodNullable<z.ZodInt32>>;
            ignore_eos: z.ZodDefault<z.ZodNullable<z.ZodBoolean>>;
            seed: z.ZodDefault<z.ZodNullable<z.ZodInt>>;
            max_tokens: z.ZodDefault<z.ZodNullable<z.ZodInt32>>;
        }, z.core.$strict>>;
        engine_max_tokens: z.ZodDefault<z.ZodNullable<z.ZodInt>>;
        tool_call_parser: z.ZodDefault<z.ZodEnum<{
            apertus: "apertus";
            auto: "auto";
            cohere_command: "cohere_command";
            deepseek_v3: "deepseek_v3";
            deepseek_v31: "deepseek_v31";
            deepseek_v32: "deepseek_v32";
            deepseek_v4: "deepseek_v4";
            gemma4: "gemma4";
            gigachat3: "gigachat3";
            glm45: "glm45";
            gpt_oss: "gpt_oss";
            hermes: "hermes";
            hunyuan_a13b: "hunyuan_a13b";
            hy_v3: "hy_v3";
            hy_v3_preview: "hy_v3_preview";
            kimi_k2: "kimi_k2";
            kimi_k3: "kimi_k3";
            lfm2: "lfm2";
            llama3_json: "llama3_json";
            minimax_m2: "minimax_m2";
            minimax_m3: "minimax_m3";
            mistral: "mistral";
            nemotron_nano_v2: "nemotron_nano_v2";
            none: "none";
            olmo3: "olmo3";
            phi4_mini: "phi4_mini";
            pythonic: "pythonic";
            qwen3_coder: "qwen3_coder";
            seed_oss: "seed_oss";
        }>>;
        reasoning_parser: z.ZodDefault<z.ZodEnum<{
            apertus: "apertus";
            auto: "auto";
            cohere_command: "cohere_command";
            deepseek_r1: "deepseek_r1";
            deepseek_v3: "deepseek_v3";
            gemma4: "gemma4";
            glm45: "glm45";
            gpt_oss: "gpt_oss";
            hunyuan_a13b: "hunyuan_a13b";
            hy_v3: "hy_v3";
            kimi: "kimi";
            kimi_k2: "kimi_k2";
            kimi_k3: "kimi_k3";
            minimax_m3: "minimax_m3";
            mistral: "mistral";
            none: "none";
            qwen3: "qwen3";
            seed_oss: "seed_oss";
        }>>;
    }, z.core.$strict>>;
    max_concurrent_rollouts: z.ZodDefault<z.ZodNullable<z.ZodInt>>;
    max_staleness: z.ZodDefault<z.ZodInt>;
    consumer_batch_size: z.ZodDefault<z.ZodNullable<z.ZodInt>>;
    workers: z.ZodDefault<z.ZodNullable<z.ZodInt>>;
    worker_concurrency: z.ZodDefault<z.ZodInt>;
    max_attempts: z.ZodDefault<z.ZodInt>;
    lease_seconds: z.ZodDefault<z.ZodNumber>;
    controller_wait_seconds: z.ZodDefault<z.ZodNumber>;
}, z.core.$strict>;
