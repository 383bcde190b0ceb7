/** More templates that were written for these tests, for models with special formats of calls. See templates.ts. */
export const SPELLED: Readonly<Record<string, { readonly source: string; readonly stops: readonly string[] }>> = {
  "Llama 4": {
    stops: ["<|eot|>", "<|eom|>"],
    source: `
{%- macro literal(value) %}
  {%- if value is mapping %}
    {{- '{' }}
    {%- for key, item in value.items() %}{{- (key | tojson) + ': ' + literal(item) + ('' if loop.last else ', ') }}{%- endfor %}
    {{- '}' }}
  {%- elif value is string or value is number and value is not boolean %}{{- value | tojson }}
  {%- elif value is iterable %}
    {{- '[' }}
    {%- for item in value %}{{- literal(item) + ('' if loop.last else ', ') }}{%- endfor %}
    {{- ']' }}
  {%- else %}{{- 'None' if value is none else ('True' if value else 'False') }}
  {%- endif %}
{%- endmacro %}
{%- if tools %}
  {{- '<|header_start|>system<|header_end|>\\n\\nUse [func_name1(param1=value1)].' + (tools | tojson) + '<|eot|>' }}
{%- endif %}
{%- for message in messages %}
  {{- '<|header_start|>' + ('ipython' if message.role == 'tool' else message.role) + '<|header_end|>\\n\\n' }}
  {%- if message.tool_calls %}
    {{- '[' }}
    {%- for call in message.tool_calls %}
      {{- call.function.name + '(' }}
      {%- for key, value in call.function.arguments.items() %}
        {{- key + '=' + literal(value) + ('' if loop.last else ', ') }}
      {%- endfor %}
      {{- ')' + ('' if loop.last else ', ') }}
    {%- endfor %}
    {{- ']' }}
  {%- else %}{{- message.content }}
  {%- endif %}
  {{- '<|eot|>' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|header_start|>assistant<|header_end|>\\n\\n' }}{%- endif %}`,
  },
  // The published template writes neither reasoning nor, behind its own prompts, calls.
  "Nemotron-Nano-v2 with reasoning": {
    stops: ["<SPECIAL_12>"],
    source: `
{{- '<SPECIAL_10>System\\n' + ('<TOOLCALL>[...]</TOOLCALL>' + (tools | tojson) if tools else '') + '\\n\\n' }}
{%- for message in messages %}
  {%- if message.role == 'tool' %}
    {{- '<SPECIAL_11>User\\n<TOOL_RESPONSE>[' + message.content + ']</TOOL_RESPONSE>' }}
  {%- elif message.role != 'assistant' %}
    {{- '<SPECIAL_11>User\\n' + message.content + '\\n' }}
  {%- else %}
    {{- '<SPECIAL_11>Assistant\\n<think>\\n' + (message.reasoning_content or '') + '\\n</think>\\n\\n' + message.content }}
    {%- if message.tool_calls %}
      {{- ('\\n' if message.content else '') + '<TOOLCALL>[' }}
      {%- for call in message.tool_calls %}
        {{- '{"name": "' + call.function.name + '", "arguments": ' + (call.function.arguments | tojson) + '}' }}
        {{- '' if loop.last else ', ' }}
      {%- endfor %}
      {{- ']</TOOLCALL>' }}
    {%- endif %}
    {{- '\\n<SPECIAL_12>\\n' }}
  {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<SPECIAL_11>Assistant\\n<think>\\n' }}{%- endif %}`,
  },
  "DeepSeek-V3": {
    stops: ["<｜end▁of▁sentence｜>"],
    source: `
{{- '<｜begin▁of▁sentence｜>' + (tools | tojson if tools else '') }}
{%- for message in messages %}
  {%- if message.role == 'tool' %}
    {{- '<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>' + message.content + '<｜tool▁output▁end｜><｜tool▁outputs▁end｜>' }}
  {%- elif message.role == 'user' %}{{- '<｜User｜>' + message.content }}
  {%- elif message.role == 'system' %}{{- message.content }}
  {%- else %}
    {{- '<｜Assistant｜>' + message.content }}
    {%- if message.tool_calls %}
      {{- '<｜tool▁calls▁begin｜>' }}
      {%- for call in message.tool_calls %}
        {{- '<｜tool▁call▁begin｜>function<｜tool▁sep｜>' + call.function.name + '\\n\`\`\`json\\n' }}
        {{- (call.function.arguments | tojson) + '\\n\`\`\`<｜tool▁call▁end｜>' + ('' if loop.last else '\\n') }}
      {%- endfor %}
      {{- '<｜tool▁calls▁end｜>' }}
    {%- endif %}
    {{- '<｜end▁of▁sentence｜>' }}
  {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<｜Assistant｜>' }}{%- endif %}`,
  },
  // The model is published with a program that writes prompts, without a template.
  "DeepSeek-V3.2": {
    stops: ["<｜end▁of▁sentence｜>"],
    source: `
{{- '<｜begin▁of▁sentence｜>' + ('<｜DSML｜function_calls>' + (tools | tojson) if tools else '') }}
{%- for message in messages %}
  {%- if message.role == 'tool' %}
    {{- '\\n\\n<function_results>\\n<result>' + message.content + '</result>\\n</function_results>\\n\\n' }}
  {%- elif message.role == 'user' %}{{- '<｜User｜>' + message.content }}
  {%- elif message.role == 'system' %}{{- message.content }}
  {%- else %}
    {{- '<｜Assistant｜><think>' + (message.reasoning_content or '') + '</think>' + message.content }}
    {%- if message.tool_calls %}
      {{- '\\n\\n<｜DSML｜function_calls>\\n' }}
      {%- for call in message.tool_calls %}
        {{- '<｜DSML｜invoke name="' + call.function.name + '">\\n' }}
        {%- for key, value in call.function.arguments.items() %}
          {{- '<｜DSML｜parameter name="' + key + '" string="' + ('true' if value is string else 'false') + '">' }}
          {{- (value if value is string else value | tojson) + '</｜DSML｜parameter>\\n' }}
        {%- endfor %}
        {{- '</｜DSML｜invoke>\\n' }}
      {%- endfor %}
      {{- '</｜DSML｜function_calls>' }}
    {%- endif %}
    {{- '<｜end▁of▁sentence｜>' }}
  {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<｜Assistant｜><think>' }}{%- endif %}`,
  },
};
