/** Every family of models, by file name. */
export declare const FAMILIES: readonly [{
    readonly name: "apertus";
    readonly calls: {
        readonly docs: {
            readonly models: "Apertus";
            readonly call: '`<|tools_prefix|>[{"NAME": {…}}]<|tools_suffix|>`';
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly [string];
            readonly modelTypes: readonly ["apertus"];
        };
        readonly syntax: import("./syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                readonly begin: `${string}[`;
                readonly end: `]${string}`;
            };
            readonly list: {
                readonly separator: ", ";
            };
            readonly describeCall: (tool: import("../../conversation/message.js").Tool) => import("./structure/format.js").TagFormat;
        };
    };
    readonly reasoning: {
        readonly docs: "`<|inner_prefix|>` and `<|inner_suffix|>`";
        readonly detection: {
            readonly markers: readonly [string];
        };
        readonly block: {
            begin: string;
            end: string;
        };
    };
}, {
    readonly name: "cohere_command";
    readonly calls: {
        readonly docs: {
            readonly models: "Command R7B, Command A, North";
            readonly call: `\`${string}[{"tool_call_id": "0", "tool_name": …, "parameters": {…}}]${string}\``;
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly [string];
        };
        readonly syntax: {
            readonly markers: readonly [string, string, ...string[]];
            readonly read: (context: import("./syntax/call-syntax.js").CallContext) => import("./reader/reader.js").Step<void>;
            readonly textOnly: {
                readonly markers: string[];
                readonly read: (context: import("./syntax/call-syntax.js").CallContext) => import("./reader/reader.js").Step<void>;
            };
        };
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                readonly begin: `${string}[
    `;
                readonly end: `
]${string}`;
            };
            readonly list: {
                readonly separator: ",\n    ";
            };
            readonly describeCall: (tool: import("../../conversation/message.js").Tool) => import("./structure/format.js").TagFormat;
        };
    };
    readonly reasoning: {
        readonly docs: `\`${string}\` and \`${string}\`; a call ends it`;
        readonly detection: {
            readonly markers: readonly [string];
        };
        readonly block: {
            readonly begin: string;
            readonly end: string;
            readonly endsAtCalls: true;
        };
    };
}, {
    readonly name: "deepseek_r1";
    readonly reasoning: {
        readonly docs: "`<think>` and `</think>`; begun without a marker unless the prompt has ended it";
        readonly block: {
            readonly begin: "<think>";
            readonly end: "</think>";
            readonly isForced: true;
        };
    };
}, {
    readonly name: "deepseek_v3";
    readonly calls: {
        readonly docs: {
            readonly models: "DeepSeek V3, R1";
            readonly call: `\`${string}function${string}NAME\` and fenced JSON`;
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly [string, "```json"];
        };
        readonly syntax: import("./syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                begin: string;
                end: string;
            };
            readonly list: {
                readonly separator: "\n";
            };
            readonly describeCall: (tool: import("../../conversation/message.js").Tool) => import("./structure/format.js").TagFormat;
        };
    };
    readonly reasoning: {
        readonly docs: "`<think>` and `</think>`";
        readonly detection: {
            readonly markers: readonly ["</think>", "<think>"];
            readonly isShared: true;
        };
        readonly block: {
            readonly begin: "<think>";
            readonly end: "</think>";
        };
    };
}, {
    readonly name: "deepseek_v4";
    readonly calls: {
        readonly docs: {
            readonly models: "DeepSeek V4";
            readonly call: "the same in `<｜DSML｜tool_calls>`";
            readonly arguments: "marked text";
        };
        readonly detection: {
            readonly template: readonly ["｜DSML｜", "tool_calls>"];
            readonly templateLacks: readonly ["function_calls>"];
        };
        readonly syntax: import("./syntax/call-syntax.js").CallSyntax;
        readonly structure: import("./structure/call-structure.js").CallStructure;
    };
}, {
    readonly name: "deepseek_v31";
    readonly calls: {
        readonly docs: {
            readonly models: "DeepSeek V3.1";
            readonly call: `\`${string}NAME${string}{…}\``;
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly [string];
            readonly templateLacks: readonly ["```json"];
        };
        readonly syntax: import("./syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                begin: string;
                end: string;
            };
            readonly list: {
                readonly opener: string;
            };
            readonly describeCall: (tool: import("../../conversation/message.js").Tool) => import("./structure/format.js").TagFormat;
        };
    };
}, {
    readonly name: "deepseek_v32";
    readonly calls: {
        readonly docs: {
            readonly models: "DeepSeek V3.2";
            readonly call: '`<｜DSML｜function_calls><｜DSML｜invoke name="NAME"><｜DSML｜parameter name="KEY" string="true">…`';
            readonly arguments: "marked text";
        };
        readonly detection: {
            readonly template: readonly ["｜DSML｜", "function_calls>"];
        };
        readonly syntax: import("./syntax/call-syntax.js").CallSyntax;
        readonly structure: import("./structure/call-structure.js").CallStructure;
    };
}, {
    readonly name: "gemma4";
    readonly calls: {
        readonly docs: {
            readonly models: "Gemma 4";
            readonly call: `\`${string}call:NAME{KEY:<|"|>…<|"|>,…}${string}\``;
            readonly arguments: "marked text";
        };
        readonly detection: {
            readonly template: readonly [`${string}call:`];
            readonly modelTypes: readonly ["gemma4"];
        };
        readonly syntax: import("./syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly list: {
                readonly opener: string;
            };
            readonly describeCall: (tool: import("../../conversation/message.js").Tool) => import("./structure/format.js").TagFormat;
        };
    };
    readonly reasoning: {
        readonly docs: "the `thought` channel; a call ends it";
        readonly detection: {
            readonly markers: readonly ["<|channel>"];
        };
        readonly block: {
            readonly begin: "<|channel>";
            readonly end: "<channel|>";
            readonly label: "thought\n";
            readonly endsAtCalls: true;
        };
    };
}, {
    readonly name: "gigachat3";
    readonly calls: {
        readonly docs: {
            readonly models: "GigaChat 3.1";
            readonly call: '`<|function_call|>{"name": …, "arguments": {…}}`';
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly ["<|function_call|>"];
        };
        readonly syntax: import("./syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: "<|function_call|>";
            readonly list: {
                readonly opener: "<|function_call|>";
            };
            readonly describeCall: (tool: import("../../conversation/message.js").Tool) => import("./structure/format.js").TagFormat;
        };
    };
}, {
    readonly name: "glm45";
    readonly calls: {
        readonly docs: {
            readonly models: "GLM 4.5 to 4.7";
            readonly call: "`<tool_call>NAME<arg_key>…</arg_key><arg_value>…`";
            readonly arguments: "text or JSON";
        };
        readonly detection: {
            readonly template: readonly [string];
            readonly templateLacks: readonly ["<tool_sep>"];
            readonly modelTypes: readonly ["glm4_moe"];
        };
        readonly thinksLike: "glm45";
        readonly syntax: import("./syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly list: {
                readonly separator: "\n";
            };
            readonly describeCall: (tool: import("../../conversation/message.js").Tool) => import("./structure/format.js").TagFormat;
        };
    };
    readonly reasoning: {
        readonly docs: "`<think>` and `</think>`; a call ends it if nothing else does";
        readonly block: {
            readonly begin: "<think>";
            readonly end: "</think>";
            readonly endsAtCalls: "unclosed";
        };
    };
}, {
    readonly name: "gpt_oss";
    readonly output: {
        readonly markers: string[];
        readonly read: (context: import("./syntax/call-syntax.js").CallContext, options: import("./syntax/output-syntax.js").OutputSyntaxOptions) => import("./reader/reader.js").Step<void>;
    };
    readonly structure: import("./structure/whole-structure.js").WholeStructure;
    readonly calls: {
        readonly docs: {
            readonly models: "gpt-oss";
            readonly call: "a message to `functions.NAME`";
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly ["<|channel|>", "<|message|>"];
            readonly modelTypes: readonly ["gpt_oss"];
        };
    };
    readonly reasoning: {
        readonly docs: "the analysis channel";
    };
}, {
    readonly name: "hermes";
    readonly calls: {
        readonly docs: {
            readonly models: "Hermes 2 and 3, Qwen 2.5 and 3, Granite 4";
            readonly call: '`<tool_call>{"name": …, "arguments": {…}}</tool_call>`';
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly ["<tool_call>", "\"arguments"];
            readonly templateLacks: readonly ["<tool_calls>"];
            readonly isShared: true;
        };
        readonly thinksLike: "qwen3";
        readonly syntax: import("./syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly list: {
                readonly separator: "\n";
            };
            readonly describeCall: (tool: import("../../conversation/message.js").Tool) => import("./structure/format.js").TagFormat;
        };
    };
}, {
    readonly name: "hunyuan_a13b";
    readonly calls: {
        readonly docs: {
            readonly models: "Hunyuan-A13B, Apriel 1.5 and 1.6";
            readonly call: '`<tool_calls>[{"name": …, "arguments": {…}}]</tool_calls>`';
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly [`${string}[`];
            readonly modelTypes: readonly ["hunyuan_v1_moe"];
        };
        readonly thinksLike: "hunyuan_a13b";
        readonly syntax: {
            readonly markers: readonly string[];
            readonly read: (context: import("./syntax/call-syntax.js").CallContext) => import("./reader/reader.js").Step<void>;
        };
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                readonly begin: `${string}[`;
                readonly end: `]${string}`;
            };
            readonly list: {
                readonly separator: ", ";
            };
            readonly describeCall: (tool: import("../../conversation/message.js").Tool) => import("./structure/format.js").TagFormat;
        };
    };
    readonly reasoning: {
        readonly docs: "`<think>` and `</think>`; `<answer>` and `</answer>` around the answer are left out";
        readonly block: {
            readonly begin: "<think>";
            readonly end: "</think>";
            readonly answer: {
                readonly begin: "<answer>";
                readonly end: "</answer>";
            };
        };
    };
}, {
    readonly name: "hy_v3";
    readonly calls: {
        readonly docs: {
            readonly models: "Tencent Hy3";
            readonly call: string;
            readonly arguments: "text or JSON";
        };
        readonly detection: {
            readonly template: readonly [":opensource", "<tool_sep"];
        };
        readonly syntax: import("./syntax/call-syntax.js").CallSyntax;
        readonly structure: import("./structure/call-structure.js").CallStructure;
    };
    readonly reasoning: {
        readonly docs: `\`${string}\` and \`${string}\``;
        readonly detection: {
            readonly markers: readonly [string, ":opensource"];
        };
        readonly block: {
            readonly begin: string;
            readonly end: string;
        };
    };
}, {
    readonly name: "hy_v3_preview";
    readonly calls: {
        readonly docs: {
            readonly models: "Tencent Hy3-preview";
            readonly call: string;
            readonly arguments: "text or JSON";
        };
        readonly detection: {
            readonly template: readonly ["<tool_sep", "<arg_key"];
            readonly templateLacks: readonly [":opensource"];
        };
        readonly syntax: import("./syntax/call-syntax.js").CallSyntax;
        readonly structure: import("./structure/call-structure.js").CallStructure;
    };
}, {
    readonly name: "kimi";
    readonly reasoning: {
        readonly docs: "`◁think▷` and `◁/think▷`";
        readonly detection: {
            readonly markers: readonly ["◁think▷"];
        };
        readonly block: {
            readonly begin: "◁think▷";
            readonly end: "◁/think▷";
        };
    };
}, {
    readonly name: "kimi_k2";
    readonly calls: {
        readonly docs: {
            readonly models: "Kimi K2";
            readonly call: "`<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}`";
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly [string];
            readonly modelTypes: readonly ["kimi_k2"];
        };
        readonly thinksLike: "kimi_k2";
        readonly syntax: import("./syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                begin: string;
                end: string;
            };
            readonly list: {
                readonly opener: "<|tool_call_begin|>";
            };
            readonly describeCall: (tool: import("../../conversation/message.js").Tool) => import("./structure/format.js").TagFormat;
        };
    };
    readonly reasoning: {
        readonly docs: "`<think>` and `</think>`; the section of calls ends it";
        readonly block: {
            readonly begin: "<think>";
            readonly end: "</think>";
            readonly endsAtCalls: true;
        };
    };
}, {
    readonly name: "kimi_k3";
    readonly output: {
        readonly markers: string[];
        readonly read: (context: import("./syntax/call-syntax.js").CallContext, options: import("./syntax/output-syntax.js").OutputSyntaxOptions) => import("./reader/reader.js").Step<void>;
    };
    readonly structure: import("./structure/whole-structure.js").WholeStructure;
    readonly calls: {
        readonly docs: {
            readonly models: "Kimi K3";
            readonly call: '`<|open|>call tool="NAME" index="1"<|sep|>` with an `argument` element for each argument';
            readonly arguments: "marked text";
        };
        readonly detection: {
            readonly template: string[];
        };
    };
    readonly reasoning: {
        readonly docs: "the `think` element";
    };
}, {
    readonly name: "lfm2";
    readonly calls: {
        readonly docs: {
            readonly models: "LFM2, LFM2.5";
            readonly call: `\`${string}[f(a=1, b="x"), g()]${string}\``;
            readonly arguments: "Python";
        };
        readonly detection: {
            readonly template: readonly ["List of tools: ", "<|im_start|>"];
            readonly modelTypes: readonly ["lfm2", "lfm2_moe", "lfm2_vl"];
        };
        readonly thinksLike: "qwen3";
        readonly syntax: import("./syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                readonly begin: `${string}[`;
                readonly end: `]${string}`;
            };
            readonly list: {
                readonly separator: ", ";
            };
            readonly describeCall: (tool: import("../../conversation/message.js").Tool) => import("./structure/format.js").TagFormat;
        };
    };
}, {
    readonly name: "llama3_json";
    readonly calls: {
        readonly docs: {
            readonly models: "Llama 3.1 and 3.3";
            readonly call: '`{"name": …, "parameters": {…}}`, or after `<|python_tag|>`; several with `;` or `,`, or in a list';
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly ["{\"name\": function name, \"parameters\":"];
            readonly isShared: true;
        };
        readonly syntax: {
            readonly markers: readonly ["<|python_tag|>"];
            readonly read: (context: import("./syntax/call-syntax.js").CallContext) => import("./reader/reader.js").Step<void>;
        };
        readonly structure: {
            readonly list: {
                readonly separator: "; ";
            };
            readonly describeCall: (tool: import("../../conversation/message.js").Tool) => import("./structure/format.js").TagFormat;
        };
    };
}, {
    readonly name: "minimax_m2";
    readonly calls: {
        readonly docs: {
            readonly models: "MiniMax-M2";
            readonly call: '`<minimax:tool_call><invoke name="NAME"><parameter name="KEY">…`';
            readonly arguments: "text";
        };
        readonly detection: {
            readonly template: readonly [string];
            readonly modelTypes: readonly ["minimax_m2"];
        };
        readonly syntax: import("./syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                readonly begin: `${string}
`;
                readonly end: `
${string}`;
            };
            readonly list: {
                readonly separator: "\n";
            };
            readonly describeCall: (tool: import("../../conversation/message.js").Tool) => import("./structure/format.js").TagFormat;
        };
    };
}, {
    readonly name: "minimax_m3";
    readonly calls: {
        readonly docs: {
            readonly models: "MiniMax-M3";
            readonly call: `\`${string}\` and \`${string}NAME">\` with an element for each argument`;
            readonly arguments: "text or JSON";
        };
        readonly detection: {
            readonly template: readonly ["]<]minimax[>["];
            readonly modelTypes: readonly ["minimax_m3"];
        };
        readonly syntax: {
            readonly markers: readonly string[];
            readonly read: (context: import("./syntax/call-syntax.js").CallContext) => import("./reader/reader.js").Step<void>;
            readonly textOnly?: Pick<import("./syntax/call-syntax.js").CallSyntax, "markers" | "read">;
            readonly markerParts: readonly ["]<]minimax[>[", string, string];
        };
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                readonly begin: `${string}
`;
                readonly end: `
${string}`;
            };
            readonly list: {
                readonly separator: "\n";
            };
            readonly describeCall: (tool: import("../../conversation/message.js").Tool) => import("./structure/format.js").TagFormat;
        };
    };
    readonly reasoning: {
        readonly docs: "`<mm:think>` and `</mm:think>`, or only `</mm:think>`; a call ends it";
        readonly detection: {
            readonly markers: readonly ["<mm:think>"];
        };
        readonly block: {
            readonly begin: "<mm:think>";
            readonly end: "</mm:think>";
            readonly mayOnlyEnd: true;
            readonly endsAtCalls: true;
        };
    };
}, {
    readonly name: "mistral";
    readonly calls: {
        readonly docs: {
            readonly models: "Mistral";
            readonly call: "`[TOOL_CALLS][{…}]` and `[TOOL_CALLS]NAME[ARGS]{…}`";
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly ["[TOOL_CALLS]"];
        };
        readonly syntax: {
            readonly markers: readonly ["[TOOL_CALLS]", "[ARGS]", "[CALL_ID]"];
            readonly read: (context: import("./syntax/call-syntax.js").CallContext) => import("./reader/reader.js").Step<void>;
        };
        readonly structure: (has: import("./family.js").HasMarker) => import("./structure/call-structure.js").CallStructure;
    };
    readonly reasoning: {
        readonly docs: "`[THINK]` and `[/THINK]`";
        readonly detection: {
            readonly markers: readonly [string];
        };
        readonly block: {
            begin: string;
            end: string;
        };
    };
}, {
    readonly name: "nemotron_nano_v2";
    readonly calls: {
        readonly docs: {
            readonly models: "Nemotron Nano v2, Llama-Nemotron";
            readonly call: '`<TOOLCALL>[{"name": …, "arguments": {…}}]</TOOLCALL>`';
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly [string];
        };
        readonly syntax: import("./syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                readonly begin: `${string}[`;
                readonly end: `]${string}`;
            };
            readonly list: {
                readonly separator: ", ";
            };
            readonly describeCall: (tool: import("../../conversation/message.js").Tool) => import("./structure/format.js").TagFormat;
        };
    };
}, {
    readonly name: "olmo3";
    readonly calls: {
        readonly docs: {
            readonly models: "Olmo 3";
            readonly call: '`<function_calls>f(a=1, b="x")</function_calls>`, a call a line';
            readonly arguments: "Python";
        };
        readonly detection: {
            readonly template: readonly [string];
        };
        readonly syntax: {
            readonly markers: readonly [string, string];
            readonly read: (context: import("./syntax/call-syntax.js").CallContext) => import("./reader/reader.js").Step<void>;
        };
        readonly structure: {
            readonly trigger: string;
            readonly section: {
                begin: string;
                end: string;
            };
            readonly list: {
                readonly separator: "\n";
            };
            readonly describeCall: (tool: import("../../conversation/message.js").Tool) => import("./structure/format.js").TagFormat;
        };
    };
}, {
    readonly name: "phi4_mini";
    readonly calls: {
        readonly docs: {
            readonly models: "Phi-4-mini";
            readonly call: '`functools[{"name": …, "arguments": {…}}]`, or the list between `<|tool_call|>` and `<|/tool_call|>`';
            readonly arguments: "JSON";
        };
        readonly detection: {
            readonly template: readonly ["functools["];
            readonly otherTemplate: readonly ["<|/tool|>"];
        };
        readonly syntax: import("./syntax/call-syntax.js").CallSyntax;
        readonly structure: (has: import("./family.js").HasMarker) => import("./structure/call-structure.js").CallStructure;
    };
}, {
    readonly name: "pythonic";
    readonly calls: {
        readonly docs: {
            readonly models: "Llama 3.2 and 4";
            readonly call: '`[f(a=1, b="x"), g()]`';
            readonly arguments: "Python";
        };
        readonly detection: {
            readonly template: readonly ["func_name1(param"];
        };
        readonly syntax: {
            readonly markers: readonly ["<|python_start|>", "<|python_end|>"];
            readonly read: (context: import("./syntax/call-syntax.js").CallContext) => import("./reader/reader.js").Step<void>;
        };
        readonly structure: {
            readonly section: {
                readonly begin: "[";
                readonly end: "]";
            };
            readonly list: {
                readonly separator: ", ";
            };
            readonly describeCall: typeof import("./structure/python-call.js").describePythonCall;
        };
    };
}, {
    readonly name: "qwen3";
    readonly reasoning: {
        readonly docs: "`<think>` and `</think>`; a call ends it";
        readonly block: {
            readonly begin: "<think>";
            readonly end: "</think>";
            readonly endsAtCalls: true;
        };
    };
}, {
    readonly name: "qwen3_coder";
    readonly calls: {
        readonly docs: {
            readonly models: "Qwen3-Coder, Qwen3.5, Nemotron 3";
            readonly call: "`<tool_call><function=NAME><parameter=KEY>…`";
            readonly arguments: "text";
        };
        readonly detection: {
            readonly template: readonly ["<function=", "<parameter="];
            readonly templateLacks: readonly ["<seed:tool_call>"];
        };
        readonly thinksLike: "qwen3";
        readonly syntax: import("./syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly list: {
                readonly separator: "\n";
            };
            readonly describeCall: (tool: import("../../conversation/message.js").Tool) => import("./structure/format.js").TagFormat;
        };
    };
}, {
    readonly name: "seed_oss";
    readonly calls: {
        readonly docs: {
            readonly models: "Seed-OSS";
            readonly call: "`<seed:tool_call><function=NAME><parameter=KEY>…`";
            readonly arguments: "text";
        };
        readonly detection: {
            readonly template: readonly [string];
            readonly modelTypes: readonly ["seed_oss"];
        };
        readonly syntax: import("./syntax/call-syntax.js").CallSyntax;
        readonly structure: {
            readonly trigger: string;
            readonly list: {
                readonly separator: "\n";
            };
            readonly describeCall: (tool: import("../../conversation/message.js").Tool) => import("./structure/format.js").TagFormat;
        };
    };
    readonly reasoning: {
        readonly docs: "`<seed:think>` and `</seed:think>`; a call ends it if nothing else does";
        readonly detection: {
            readonly markers: readonly [string];
        };
        readonly block: {
            readonly begin: string;
            readonly end: string;
            readonly endsAtCalls: "unclosed";
        };
    };
}];
