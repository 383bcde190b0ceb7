import { publishedStops } from "../../model/continuation/published-stops.js";
import { publishedTemplate } from "../../model/support/golden.js";
import { SPELLED } from "./spelled-templates.js";

export interface TemplateSource {
  readonly source: string;
  /** Spellings of the tokens that end a turn. */
  readonly stops: readonly string[];
}

/** Writes the name and the JSON of each call of a message, in a list. */
const JSON_LIST = `
{%- macro list(calls) %}
  {%- for call in calls %}
    {{- '{"name": "' + call.function.name + '", "arguments": ' + (call.function.arguments | tojson) + '}' }}
    {{- '' if loop.last else ', ' }}
  {%- endfor %}
{%- endmacro %}`;

/** Phi-4-mini's turns, with calls between two texts. */
const phi = (asks: string, before: string, after: string): TemplateSource => ({
  stops: ["<|end|>", "<|endoftext|>"],
  source: `${JSON_LIST}
{%- if tools %}{{- '<|system|>${asks}<|tool|>' + (tools | tojson) + '<|/tool|><|end|>' }}{%- endif %}
{%- for message in messages %}
  {{- ('<|tool_response|>' if message.role == 'tool' else '<|' + message.role + '|>') + message.content }}
  {%- if message.tool_calls %}{{- '${before}' + list(message.tool_calls) + '${after}' }}{%- endif %}
  {{- '<|end|>' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|assistant|>' }}{%- endif %}`,
});

/**
 * Templates that were written for these tests, because the models' published templates are not in the tests' dependencies. They
 * render calls and turns in the same bytes.
 */
const OWN: Readonly<Record<string, TemplateSource>> = {
  "Hunyuan-A13B": {
    stops: ["<|eos|>"],
    source: `${JSON_LIST}
{{- '<|startoftext|>' }}
{%- if tools %}{{- '<tool_calls>[...]</tool_calls>\\n' + (tools | tojson) + '<|extra_4|>' }}{%- endif %}
{%- for message in messages %}
  {%- if message.role == 'tool' %}
    {{- '<tool_response>' + message.content + '</tool_response><|extra_0|>' }}
  {%- elif message.role != 'assistant' %}
    {{- ('用户：' if tools else '') + message.content + '<|extra_0|>' }}
  {%- elif message.tool_calls %}
    {{- message.content + '<tool_calls>[' + list(message.tool_calls) + ']</tool_calls><|eos|>' }}
  {%- else %}
    {{- ('助手：' if tools else '') + message.content + '<|eos|>' }}
  {%- endif %}
{%- endfor %}
{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n' }}{%- endif %}`,
  },
  "Olmo 3": {
    stops: ["<|im_end|>"],
    source: `
{%- if tools %}{{- '<|im_start|>system\\n<function_calls></function_calls>' + (tools | tojson) + '<|im_end|>\\n' }}{%- endif %}
{%- for message in messages %}
  {{- '<|im_start|>' + ('environment' if message.role == 'tool' else message.role) + '\\n' + message.content }}
  {%- if message.tool_calls %}
    {{- '<function_calls>' }}
    {%- for call in message.tool_calls %}
      {{- call.function.name + '(' }}
      {%- for key, value in call.function.arguments.items() %}
        {{- key + '=' + (value | tojson) + ('' if loop.last else ', ') }}
      {%- endfor %}
      {{- ')' + ('' if loop.last else '\\n') }}
    {%- endfor %}
    {{- '</function_calls>' }}
  {%- endif %}
  {{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`,
  },
  "Phi-4-mini with tokens": phi("You have tools.", "<|tool_call|>[", "]<|/tool_call|>"),
  "Phi-4-mini with a word": phi("Prefix calls with functools[...]", "functools[", "]"),
  "Hy3-preview": {
    stops: ["<｜hy_eos｜>"],
    source: `
{{- '<｜hy_begin_of_sentence｜>' + (tools | tojson if tools else '') }}
{%- for message in messages %}
  {%- if message.role == 'tool' %}
    {{- '<tool_responses>\\n<tool_response>\\n' + message.content + '\\n</tool_response>\\n</tool_responses>' }}
  {%- elif message.role != 'assistant' %}
    {{- '<｜hy_User｜>' + message.content }}
  {%- else %}
    {{- '<｜hy_Assistant｜><think></think>' + message.content }}
    {%- if message.tool_calls %}
      {{- '<tool_calls>\\n' }}
      {%- for call in message.tool_calls %}
        {{- '<tool_call>' + call.function.name + '<tool_sep>\\n' }}
        {%- for key, value in call.function.arguments.items() %}
          {{- '<arg_key>' + key + '</arg_key>\\n<arg_value>' }}
          {{- (value if value is string else value | tojson) + '</arg_value>\\n' }}
        {%- endfor %}
        {{- '</tool_call>\\n' }}
      {%- endfor %}
      {{- '</tool_calls>' }}
    {%- endif %}
    {{- '<｜hy_eos｜>' }}
  {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<｜hy_Assistant｜><think></think>' }}{%- endif %}`,
  },
};

/** Returns the template with this name: a published one, or one that was written for these tests. */
export function findTemplate(name: string): TemplateSource {
  return OWN[name] ?? SPELLED[name] ?? { source: publishedTemplate(name), stops: publishedStops(name) };
}
