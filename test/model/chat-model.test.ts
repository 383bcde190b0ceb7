import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Conversation, Message, Tool, ToolCall } from "../../src/conversation/message.js";
import { TemplateError } from "../../src/model/chat-model.js";
import { type ChatModelOptions, type FolderChatModel, loadChatModel } from "../../src/model/load-chat-model.js";
import { ModelFolderError } from "../../src/model/model-files.js";
import { runAtOnce } from "../../src/support/async/steps.js";
import { parseSpelled } from "../../src/support/json/spelled.js";
import { byteLevelTokenizer } from "./support/bpe.js";
import { fixtureTemplate } from "./support/golden.js";
import { type FolderFiles, joinIds, writeModelFolder } from "./support/model-folder.js";

const parse = (text: string): unknown => runAtOnce(parseSpelled(text));

const PLAIN =
  "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}";
const USER: Message = { role: "user", content: "Hi" };

const load = (template: string, files: FolderFiles = {}, options: ChatModelOptions = {}): Promise<FolderChatModel> =>
  loadChatModel(writeModelFolder(template, ["<|end|>"], files), options);

const decodePieces = (model: FolderChatModel, pieces: readonly Int32Array[]): string =>
  model.decode(Int32Array.from(joinIds(pieces)), { skipSpecialTokens: false });
const prompt = async (model: FolderChatModel, messages: readonly Message[], more: Partial<Conversation> = {}) =>
  decodePieces(model, (await model.prompt({ messages, ...more })).idPieces);

/** Loads a folder that cannot be used, and returns the error. */
async function failure(template: string, files: FolderFiles): Promise<ModelFolderError> {
  const error: unknown = await load(template, files).catch((reason: unknown) => reason);
  if (!(error instanceof ModelFolderError)) throw new Error("the folder was loaded");
  return error;
}

describe("a model folder", () => {
  it("is refused with the file's name if a required file is missing", async () => {
    for (const name of ["tokenizer.json", "tokenizer_config.json"]) {
      const error = await failure(PLAIN, { [name]: null });
      expect(error.code).toBe("model_file_missing");
      expect(error.message).toContain(name);
    }
  });

  it("is refused if it does not exist", async () => {
    const folder = writeModelFolder(PLAIN, []);
    rmSync(folder, { recursive: true });
    await expect(loadChatModel(folder)).rejects.toMatchObject({ code: "model_file_missing" });
    await expect(loadChatModel(join(folder, "a\u0000b"))).rejects.toMatchObject({ code: "model_file_missing" });
  });

  it("is refused with the file's name if a file is invalid", async () => {
    const broken: FolderFiles = {
      "tokenizer.json": "{",
      "tokenizer_config.json": '{"eos_token": 5}',
      "generation_config.json": '{"eos_token_id": "end"}',
      "config.json": '{"max_position_embeddings": -1}',
    };
    for (const [name, content] of Object.entries(broken)) {
      const error = await failure(PLAIN, { [name]: content });
      expect(error.code).toBe("model_file_invalid");
      expect(error.message).toContain(name);
    }
    const unknownModel = { ...byteLevelTokenizer([]), model: { type: "Mystery" } };
    expect((await failure(PLAIN, { "tokenizer.json": unknownModel })).code).toBe("model_file_invalid");
  });

  it("is refused if it has no chat template", async () => {
    expect((await failure(PLAIN, { "chat_template.jinja": null })).code).toBe("chat_template_missing");
  });

  it("is refused with the reason if its template is invalid or refuses a single user message", async () => {
    const unparsable = await failure("{% if %}", {});
    expect(unparsable.code).toBe("chat_template_invalid");
    const refusing = await failure("{{ raise_exception('no users here') }}", {});
    expect(refusing.code).toBe("chat_template_invalid");
    expect(refusing.message).toContain("no users here");
  });

  it("is refused if its template uses an unsupported feature, even in a branch that rarely runs", async () => {
    const rarely = (expression: string): string =>
      `${PLAIN}{% if messages | length > 99 %}{{ ${expression} }}{% endif %}`;
    for (const [expression, named] of [
      ["messages | xmlattr", "the filter 'xmlattr'"],
      ["messages | map('urlize') | join", "the filter 'urlize'"],
      ["'upper' is filter", "the test 'filter'"],
      ["messages | selectattr('role', 'test') | list", "the test 'test'"],
      ["messages[0].content.expandtabs(4)", "the method 'expandtabs' of strings"],
      ["cycler('a')", "the function 'cycler'"],
      ["{'a': [messages | filesizeformat]}", "the filter 'filesizeformat'"],
    ] as const) {
      const error = await failure(rarely(expression), {});
      expect(error.code).toBe("chat_template_invalid");
      expect(error.message).toContain(`${named} is not supported`);
    }
    for (const statement of ["{% block a %}{% endblock %}", "{% include 'a' %}", "{% print 1 %}"]) {
      expect((await failure(PLAIN + statement, {})).code).toBe("chat_template_invalid");
    }
    expect(await prompt(await load(rarely("messages | from_json")), [USER])).toBe("<|user|>Hi<|assistant|>");
  });

  it("gives the model its name", async () => {
    const folder = writeModelFolder(PLAIN, []);
    expect((await loadChatModel(`${folder}/`)).name).toBe(folder.split("/").at(-1));
  });
});

describe("stop tokens", () => {
  const tokenizer = byteLevelTokenizer([{ content: "<|end|>" }, { content: "<|eot|>" }]);
  const [end = -1, eot = -1] = tokenizer.added_tokens.map((token) => token.id);

  it("are collected from all files", async () => {
    const model = await load(PLAIN, {
      "tokenizer.json": tokenizer,
      "tokenizer_config.json": { eos_token: { content: "<|eot|>", __type: "AddedToken" } },
      "generation_config.json": { eos_token_id: [7, end] },
      "config.json": { eos_token_id: 8, text_config: { eos_token_id: [9, 7] } },
    });
    expect([...model.stopTokenIds].sort((a, b) => a - b)).toEqual([7, 8, 9, end, eot].sort((a, b) => a - b));
  });

  it("may come from one file only", async () => {
    const none = { "generation_config.json": null, "tokenizer_config.json": {} };
    const model = await load(PLAIN, { ...none, "config.json": { eos_token_id: 3 } });
    expect(model.stopTokenIds).toEqual([3]);
    expect((await load(PLAIN, none)).stopTokenIds).toEqual([]);
  });
});

it("reads the context length from config.json, nested or not", async () => {
  expect((await load(PLAIN)).contextLength).toBeUndefined();
  expect((await load(PLAIN, { "config.json": { max_position_embeddings: 4096 } })).contextLength).toBe(4096);
  const nested = { "config.json": { text_config: { max_position_embeddings: 8192 } } };
  expect((await load(PLAIN, nested)).contextLength).toBe(8192);
});

describe("the chat template", () => {
  const configured = (chat_template: unknown): FolderFiles => ({
    "chat_template.jinja": null,
    "tokenizer_config.json": { chat_template },
  });

  it("comes from tokenizer_config.json if there is no chat_template.jinja", async () => {
    expect(await prompt(await load(PLAIN, configured("config:{{ messages[0].content }}")), [USER])).toBe("config:Hi");
    const both = { "tokenizer_config.json": { chat_template: "config" } };
    expect(await prompt(await load(PLAIN, both), [USER])).toBe("<|user|>Hi<|assistant|>");
  });

  it("with the name tool_use is used for conversations with tools", async () => {
    const files = configured([
      { name: "tool_use", template: "tools:{{ tools | length }}" },
      { name: "default", template: "default:{{ tools is none }}" },
    ]);
    const model = await load(PLAIN, files);
    const tools = [{ type: "function", function: { name: "f" } }] as const;
    expect(await prompt(model, [USER])).toBe("default:True");
    expect(await prompt(model, [USER], { tools: [] })).toBe("default:True");
    expect(await prompt(model, [USER], { tools })).toBe("tools:1");
  });

  it("can print special tokens, and no token is added to its text", async () => {
    const files: FolderFiles = {
      "tokenizer_config.json": { bos_token: "<|bos|>", eos_token: "<|end|>", add_bos_token: true },
      "tokenizer.json": byteLevelTokenizer([{ content: "<|bos|>" }, { content: "<|end|>" }]),
    };
    const model = await load("{{ bos_token }}{{ messages[0].content }}{{ eos_token }}", files);
    expect(await prompt(model, [USER])).toBe("<|bos|>Hi<|end|>");
    expect(await prompt(await load("{{ messages[0].content }}", files), [USER])).toBe("Hi");
  });

  it("shows the date of the configured clock", async () => {
    const model = await load("{{ strftime_now('%d %b %Y') }}", {}, { now: () => new Date(2030, 0, 2) });
    expect(await prompt(model, [USER])).toBe("02 Jan 2030");
  });

  it("gets the request's variables, but no replacement for its messages", async () => {
    const model = await load("{{ messages[0].content }}{{ enable_thinking }}");
    expect(await prompt(model, [USER], { templateArgs: { enable_thinking: false } })).toBe("HiFalse");
    await expect(model.prompt({ messages: [USER], templateArgs: { messages: [] } })).rejects.toThrow(TemplateError);
  });

  it("gets numbers and keys in the request's spelling", async () => {
    const model = await load(
      "{% if schema %}{{ schema | tojson }}{% endif %}{{ n }}{% for t in tools or [] %}{{ t | tojson }}{% endfor %}",
    );
    const templateArgs = parse('{"n":1.0,"schema":{"b":1e5,"2":12345678901234567890,"1":-0.0}}') as object;
    expect(await prompt(model, [USER], { templateArgs: { ...templateArgs } })).toBe(
      '{"b": 100000.0, "2": 12345678901234567890, "1": -0.0}1.0',
    );
    const tool = parse('{"type":"function","function":{"name":"f","default":2.0}}') as Tool;
    expect(await prompt(model, [USER], { tools: [tool] })).toContain('{"name": "f", "default": 2.0}');
    const long = parse(`{"n":1${"0".repeat(5000)}}`) as object;
    await expect(model.prompt({ messages: [USER], templateArgs: { ...long } })).rejects.toThrow(TemplateError);
  });

  it("gets the configured variables unless the request overrides them", async () => {
    const model = await load("{{ a }}{{ b }}", {}, { templateArgs: { a: 1, b: true } });
    expect(await prompt(model, [USER])).toBe("1True");
    expect(await prompt(model, [USER], { templateArgs: { b: false } })).toBe("1False");
    const reserved = await load(PLAIN, {}, { templateArgs: { tools: [] } }).catch((error: unknown) => error);
    expect(reserved).toMatchObject({
      code: "chat_template_invalid",
      message: expect.stringContaining("tools") as string,
    });
  });

  it("refuses a conversation with its own message", async () => {
    const model = await load("{% if messages | length > 1 %}{{ raise_exception('one message only') }}{% endif %}");
    await expect(model.prompt({ messages: [USER, USER] })).rejects.toThrow(new TemplateError("one message only"));
  });
});

describe("messages", () => {
  const call = (args: string): ToolCall => ({ id: "call00001", name: "get", arguments: args });
  const calling = (args: string): Message => ({ role: "assistant", content: "", toolCalls: [call(args)] });
  const SHOW_CALLS = "{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] %}{{ c.function.name }}";

  it("have call arguments as a mapping that keeps the model's spelling", async () => {
    const model = await load(`${SHOW_CALLS}{{ c.function.arguments | tojson }}{% endfor %}{% endfor %}`);
    const args = '{"b":1.0,"2":12345678901234567890,"1":[true,null],"__proto__":{}}';
    expect(await prompt(model, [USER, calling(args)])).toBe(
      'Higet{"b": 1.0, "2": 12345678901234567890, "1": [true, null], "__proto__": {}}',
    );
    expect(await prompt(model, [USER, calling("")])).toBe("Higet{}");
    expect(await prompt(model, [USER, calling("not JSON")])).toBe('Higet"not JSON"');
    expect(await prompt(model, [USER, calling("[1]")])).toBe('Higet"[1]"');
  });

  it("have call arguments as text if the template concatenates them to text", async () => {
    const model = await load(`${SHOW_CALLS}{{ ' ' + c.function.arguments }}{% endfor %}{% endfor %}`);
    expect(await prompt(model, [USER, calling('{"a":1}')])).toBe('Higet {"a":1}');
  });

  it("are refused if call arguments nest too deeply; later prompts are not affected", async () => {
    const model = await load(`${SHOW_CALLS}{{ c.function.arguments | tojson }}{% endfor %}{% endfor %}`);
    const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    await expect(model.prompt({ messages: [USER, calling(deep)] })).rejects.toThrow(TemplateError);
    expect(await prompt(model, [USER])).toBe("Hi");
  });

  it("have the content None if the template shows tool calls only then", async () => {
    const model = await loadChatModel(writeModelFolder(fixtureTemplate("late-end"), ["<|end|>"]));
    expect(
      await prompt(model, [USER, calling('{"a":1}'), { role: "tool", content: "r", toolCallId: "call00001" }]),
    ).toContain('<tool_calls>get {"a":1}</tool_calls>');
  });

  it("with the role developer get the role system if the template does not know developers", async () => {
    const developer: Message = { role: "developer", content: "D" };
    expect(await prompt(await load(PLAIN), [developer, USER])).toBe("<|system|>D<|user|>Hi<|assistant|>");
    expect(await prompt(await load(`${PLAIN}{# developer #}`), [developer])).toBe("<|developer|>D<|assistant|>");
  });

  it("have reasoning in the field that the template reads", async () => {
    const thought: Message = { role: "assistant", content: "A", reasoning: "R" };
    for (const field of ["reasoning_content", "reasoning", "thinking"]) {
      const model = await load(`{% for m in messages %}{{ m.${field} }}{{ m.content }}{% endfor %}`);
      expect(await prompt(model, [USER, thought])).toBe("HiRA");
    }
  });

  it("can have a name and a tool call id", async () => {
    const model = await load("{% for m in messages %}{{ m.name }}:{{ m.tool_call_id }}:{{ m.content }};{% endfor %}");
    const result: Message = { role: "tool", content: "r", name: "get", toolCallId: "1" };
    expect(await prompt(model, [USER, result])).toBe("::Hi;get:1:r;");
  });
});

describe("the variable tools without tools", () => {
  it("is None, as in Python, or an empty list if the template fails with None", async () => {
    expect(await prompt(await load("{{ tools is none }}"), [USER])).toBe("True");
    expect(await prompt(await load("{% for t in tools %}{{ t }}{% endfor %}{{ tools is none }}"), [USER])).toBe(
      "False",
    );
  });
});

describe("prompts", () => {
  it("share the ids of common messages", async () => {
    const model = await loadChatModel(writeModelFolder(fixtureTemplate("chatml"), ["<|im_end|>"]));
    const system: Message = { role: "system", content: "You are a long and careful system prompt." };
    await model.prompt({ messages: [system, USER] });
    const { misses } = model.cacheStats;
    await model.prompt({ messages: [system, { role: "user", content: "Something else" }] });
    expect(model.cacheStats.misses - misses).toBe(1);
  });
});

describe("the output parser of a model", () => {
  const CALL = '<tool_call>{"name": "f", "arguments": {}}</tool_call>';
  const TOOLS = [{ type: "function", function: { name: "f" } }] as const;

  async function said(
    template: string,
    output: string,
    options: ChatModelOptions = {},
    tools: readonly Tool[] = TOOLS,
  ) {
    const model = await load(template, {}, options);
    const { idPieces } = await model.prompt({ messages: [{ role: "user", content: output }] });
    const parser = model.outputParser({ tools, stop: [], stopTokenIds: model.stopTokenIds, promptEnd: "" });
    for (const ids of idPieces) parser.push(ids);
    const { message } = parser.finish("stop").output;
    return [message.content, message.reasoning ?? "", (message.toolCalls ?? []).length];
  }

  const HERMES = `{# <tool_call>{"name": 1, "arguments": 2}</tool_call> <think> </think> #}{{ messages[0].content }}`;

  it("is chosen by the chat template", async () => {
    expect(await said(HERMES, `<think>Hm.</think>Hi!${CALL}`)).toEqual(["Hi!", "Hm.", 1]);
    expect(await said("{{ messages[0].content }}", `<think>Hm.</think>${CALL}`)).toEqual([
      `<think>Hm.</think>${CALL}`,
      "",
      0,
    ]);
  });

  it("is chosen by the options if they name one", async () => {
    const none = { toolCallParser: "none", reasoningParser: "none" } as const;
    expect(await said(HERMES, `<think>Hm.</think>${CALL}`, none)).toEqual([`<think>Hm.</think>${CALL}`, "", 0]);
    const named = { toolCallParser: "hermes" } as const;
    expect(await said("{{ messages[0].content }}", `Hi!${CALL}`, named)).toEqual(["Hi!", "", 1]);
  });

  it("finds calls only if the request has tools", async () => {
    expect(await said(HERMES, CALL, {}, [])).toEqual([CALL, "", 0]);
  });
});
