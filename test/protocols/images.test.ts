import { createHash } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import type { ImagePart, MessageContent } from "../../src/conversation/content.js";
import type { Message } from "../../src/conversation/message.js";
import { chatCompletionSchema, parseChatCompletion } from "../../src/protocols/chat-completions/request.js";
import { generateContentSchema, parseGenerateContent } from "../../src/protocols/generate-content/request.js";
import type { ImagePolicy } from "../../src/protocols/image-policy.js";
import { IMAGE_LIMITS } from "../../src/protocols/image-reader.js";
import { messagesSchema, parseMessages } from "../../src/protocols/messages/request.js";
import type { ModelRequest } from "../../src/protocols/model-request.js";
import { RequestError } from "../../src/protocols/request-error.js";
import { parseResponses, responsesSchema } from "../../src/protocols/responses/request.js";
import { imageFile, makeExif, makePng, pngChunk, pngHeader } from "../helpers/images.js";

/** Images with the policy `tokens`: parts of the conversation, and their files beside it. */

const NO_EARLIER = {
  findMessages: (): readonly Message[] => [],
  findItem: () => undefined,
  countPlaceholders: () => 0,
  readReasoning: () => "",
};

interface Dialect {
  readonly parse: (body: object, images?: ImagePolicy) => ModelRequest;
  /** Returns a body of one user message with these parts. */
  readonly body: (...parts: object[]) => object;
  /** Returns a body in which these parts are the result of a tool. */
  readonly result: (...parts: object[]) => object;
  readonly text: (text: string) => object;
  /** @param data base64 */
  readonly image: (data: unknown, type?: string) => object;
  /** Paths of the data of the first part of `body` and of `result`. */
  readonly param: string;
  readonly resultParam: string;
}

const toUrl = (data: unknown, type: string) => (typeof data === "string" ? `data:${type};base64,${data}` : data);

const CHAT: Dialect = {
  parse: (body, images = "tokens") => parseChatCompletion(chatCompletionSchema.parse(body), { images }),
  body: (...content) => ({ messages: [{ role: "user", content }] }),
  result: (...content) => ({
    messages: [
      { role: "user", content: "look" },
      { role: "assistant", tool_calls: [{ id: "c", type: "function", function: { name: "look", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "c", content },
    ],
  }),
  text: (text) => ({ type: "text", text }),
  image: (data, type = "image/png") => ({ type: "image_url", image_url: { url: toUrl(data, type), detail: "high" } }),
  param: "messages[0].content[0].image_url.url",
  resultParam: "messages[2].content[0].image_url.url",
};

const CLAUDE: Dialect = {
  parse: (body, images = "tokens") => parseMessages(messagesSchema.parse({ max_tokens: 9, ...body }), { images }),
  body: (...content) => ({ messages: [{ role: "user", content }] }),
  result: (...content) => ({
    messages: [
      { role: "user", content: "look" },
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "look", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content }] },
    ],
  }),
  text: (text) => ({ type: "text", text }),
  image: (data, type = "image/png") => ({ type: "image", source: { type: "base64", media_type: type, data } }),
  param: "messages[0].content[0].source.data",
  resultParam: "messages[2].content[0].content[0].source.data",
};

const RESPONSES: Dialect = {
  parse: (body, images = "tokens") => parseResponses(responsesSchema.parse(body), NO_EARLIER, { images }),
  body: (...content) => ({ input: [{ role: "user", content }] }),
  result: (...output) => ({
    input: [
      { role: "user", content: "look" },
      { type: "function_call", call_id: "c", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output },
    ],
  }),
  text: (text) => ({ type: "input_text", text }),
  image: (data, type = "image/png") => ({ type: "input_image", image_url: toUrl(data, type), detail: "auto" }),
  param: "input[0].content[0].image_url",
  resultParam: "input[2].output[0].image_url",
};

const GEMINI: Dialect = {
  parse: (body, images = "tokens") =>
    parseGenerateContent(generateContentSchema.parse(body), { model: "tiny", stream: false, images }),
  body: (...parts) => ({ contents: [{ role: "user", parts }] }),
  result: (...parts) => ({
    contents: [
      { role: "user", parts: [{ text: "look" }] },
      { role: "model", parts: [{ functionCall: { id: "c", name: "look", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { id: "c", name: "look", response: { output: "" }, parts } }] },
    ],
  }),
  text: (text) => ({ text }),
  image: (data, type = "image/png") => ({ inlineData: { mimeType: type, data } }),
  param: "contents[0].parts[0].inlineData.data",
  resultParam: "contents[2].parts[0].functionResponse.parts[0].inlineData.data",
};

const DIALECTS: [string, Dialect][] = [
  ["chat completions", CHAT],
  ["messages", CLAUDE],
  ["responses", RESPONSES],
  ["generate content", GEMINI],
];

const sha256 = (file: Uint8Array) => createHash("sha256").update(file).digest("hex");
const base64 = (file: Buffer) => file.toString("base64");
const part = (file: Buffer, width = 3, height = 2, mediaType = "image/png"): ImagePart => ({
  type: "image",
  sha256: sha256(file),
  mediaType,
  width,
  height,
});
const filesOf = (...files: Buffer[]) => new Map(files.map((file) => [sha256(file), file]));

const contentOf = ({ conversation }: ModelRequest, role: string): MessageContent | undefined =>
  conversation.messages.find((message) => message.role === role)?.content;

function refusal(read: () => unknown): [string | undefined, string, string] {
  try {
    read();
  } catch (error) {
    if (error instanceof RequestError) return [error.param, error.code, error.message];
    throw error;
  }
  throw new Error("the request was accepted");
}

const PNG = makePng(3, 2);
const OTHER = makePng(3, 2, 200);

/** A file whose base64 has "+", "/" and padding. */
const ALL_DIGITS = Buffer.concat([PNG, Buffer.alloc(3 - (PNG.length % 3)), Buffer.from("fbefbeffffff00", "hex")]);
const toUrlAlphabet = (digits: string) => digits.replaceAll("+", "-").replaceAll("/", "_");

describe.each(DIALECTS)("an image of %s", (name, { parse, body, result, text, image, param, resultParam }) => {
  const readImage = (data: unknown, type?: string) => parse(body(image(data, type)));

  it("is a part of the message, between its texts", () => {
    const request = parse(body(text("see "), image(base64(PNG)), text("a"), text("b"), image(base64(OTHER))));
    expect(contentOf(request, "user")).toEqual([
      { type: "text", text: "see " },
      part(PNG),
      { type: "text", text: "ab" },
      part(OTHER),
    ]);
    expect(request.images).toEqual(filesOf(PNG, OTHER));
    expect(request.placeholders).toBe(0);
  });

  it("is a part of a tool result", () => {
    const parts = name === "generate content" ? [] : [text("!")];
    const request = parse(result(image(base64(PNG)), ...parts));
    const shown = parts.length === 0 ? [] : [{ type: "text", text: "!" }];
    expect(contentOf(request, "tool")).toEqual([part(PNG), ...shown]);
    expect(request.images).toEqual(filesOf(PNG));
  });

  it("has one file, however often it recurs", () => {
    const request = parse(body(image(base64(PNG)), image(base64(PNG)), text("?")));
    expect(contentOf(request, "user")).toEqual([part(PNG), part(PNG), { type: "text", text: "?" }]);
    expect(request.images).toEqual(filesOf(PNG));
  });

  it.each([
    ["JPEG", imageFile("jpeg"), "image/jpeg"],
    ["GIF", imageFile("gif"), "image/gif"],
    ["WebP", imageFile("webp"), "image/webp"],
    ["BMP", imageFile("bmp"), "image/bmp"],
  ])("can be a %s file, whatever type is declared", (_, file, type) => {
    const request = readImage(base64(file), "image/x-unknown");
    expect(contentOf(request, "user")).toEqual([part(file, 3, 2, type)]);
    expect(request.images).toEqual(filesOf(file));
  });

  it("has the size in which it is shown", () => {
    const turned = makePng(3, 2, 0, [pngChunk("eXIf", makeExif(6))]);
    expect(contentOf(readImage(base64(turned)), "user")).toEqual([part(turned, 2, 3)]);
  });

  it.each([
    ["no base64", "iVBO*w0K", "is not valid base64"],
    ["base64 with a line break", `${base64(PNG).slice(0, 40)}\n${base64(PNG).slice(40)}`, "is not valid base64"],
    ["characters whose low bytes are base64", "\u0141".repeat(8), "is not valid base64"],
    ["base64 that ends within", `QQ==${base64(PNG)}`, "is not valid base64"],
    ["too much padding", `${base64(PNG.subarray(0, 30))}====`, "is not valid base64"],
    ["an incomplete digit", `${base64(PNG.subarray(0, 30))}A`, "is not valid base64"],
    ["nothing", "", "must contain the data of an image in base64"],
    [
      "text",
      base64(Buffer.from("hello")),
      "is not an image that the model can see: not a PNG, JPEG, GIF, WebP or BMP file",
    ],
    ["a cut image", base64(PNG.subarray(0, -1)), "is a damaged image: the file ends before the image does"],
    [
      "too many pixels",
      base64(Buffer.concat([pngHeader(8000, 8001), makePng(1, 1).subarray(33)])),
      ": the image has 8000 x 8001 pixels; at most 64,000,000 are allowed",
    ],
    [
      "a file that is too large",
      "A".repeat(4 * Math.ceil((IMAGE_LIMITS.bytes + 1) / 3)),
      ": the image has 20,971,521 bytes; at most 20,971,520 are allowed",
    ],
  ])("is refused with %s, in messages and results", (_, data, problem) => {
    const received = [body, result].map((place) => refusal(() => parse(place(image(data)))));
    expect(received).toEqual([
      [param, "invalid_value", expect.stringContaining(`${param}${problem.startsWith(":") ? "" : " "}${problem}`)],
      [resultParam, "invalid_value", expect.stringContaining(resultParam)],
    ]);
  });

  it.each([undefined, null, 1, {}])("is refused if its data is %j", (data) => {
    const [field, code] = refusal(() => readImage(data));
    expect([field, code]).toEqual([param, "invalid_value"]);
  });

  it("is accepted with as many pixels as are allowed", () => {
    const large = Buffer.concat([pngHeader(8000, 8000), makePng(1, 1).subarray(33)]);
    expect(contentOf(readImage(base64(large)), "user")).toEqual([part(large, 8000, 8000)]);
  });

  it("is refused beyond the limit of a request, where a recurring image counts each time", () => {
    const images = (count: number) => Array.from({ length: count }, () => image(base64(PNG)));
    expect(contentOf(parse(body(...images(100))), "user")).toHaveLength(100);
    const [field, code, message] = refusal(() => parse(body(...images(101))));
    expect([field, code]).toEqual([
      param.replace("[0].source", "[100].source").replace("[0].i", "[100].i"),
      "invalid_value",
    ]);
    expect(message).toContain("a request can have at most 100 images");
  });

  it("is not read with the other policies", () => {
    for (const data of ["", "*", base64(PNG)]) {
      const shown = parse(body(text("see "), image(data)), "placeholder");
      expect(contentOf(shown, "user")).toBe("see [image]");
      expect([shown.images, shown.placeholders]).toEqual([undefined, 1]);
      const [, code, message] = refusal(() => parse(body(image(data)), "refuse"));
      expect(code).toBe("unsupported_parameter");
      expect(message).toMatch(
        /The server takes only text\. Set rollout\.agent\.images to "placeholder" .* or to "tokens"/,
      );
    }
  });

  it("leaves requests of text as they are", () => {
    const request = parse(body(text("a"), text("b")));
    expect(contentOf(request, "user")).toBe("ab");
    expect([request.images, request.placeholders]).toEqual([undefined, 0]);
  });
});

describe.each([
  ["chat completions", CHAT, (url: unknown) => ({ type: "image_url", image_url: { url } })],
  ["responses", RESPONSES, (url: unknown) => ({ type: "input_image", image_url: url })],
])("a data URL of %s", (_, { parse, body, param }, image) => {
  const data = base64(PNG);

  it.each([
    ["a type", "data:image/png;base64,"],
    ["no type", "data:;base64,"],
    ["parameters, and in capitals", "DATA:IMAGE/PNG;charset=utf-8;name=a.png;BASE64,"],
  ])("can have %s", (_, head) => {
    expect(contentOf(parse(body(image(head + data))), "user")).toEqual([part(PNG)]);
  });

  it.each([
    ["without base64", `data:image/png,${data}`],
    ["whose base64 is a type", `data:base64,${data}`],
    ["without a comma", `data:image/png;base64${data}`],
    ["with parameters of 2,000 characters", `data:image/png;${"a".repeat(2000)};base64,${data}`],
    ["that is empty", ""],
  ])("%s is refused", (_, url) => {
    const [field, code, message] = refusal(() => parse(body(image(url))));
    expect([field, code]).toEqual([param, "invalid_value"]);
    expect(message).toContain(`${param} must be a data URL in base64, such as "data:image/png;base64,`);
  });

  it("is refused without padding, and with the alphabet of URLs", () => {
    const read = (digits: string) => () => parse(body(image(`data:;base64,${digits}`)));
    expect(contentOf(read(base64(ALL_DIGITS))(), "user")).toEqual([part(ALL_DIGITS)]);
    const digits = base64(ALL_DIGITS);
    for (const other of [digits.replace(/=+$/, ""), digits.replaceAll("+", "-"), digits.replaceAll("/", "_")]) {
      expect(refusal(read(other))[2]).toBe(`${param} is not valid base64.`);
    }
  });

  it.each(["http://example.com/a.png", "https://example.com/a.png", "file:///a.png", "a.png"])(
    "cannot be the address %s",
    (url) => {
      const advice = 'Set rollout.agent.image_urls to "fetch" to have it fetch them.';
      const message = `${param}: images must be sent as data, because the server fetches none. ${advice}`;
      expect(refusal(() => parse(body(image(url))))).toEqual([param, "unsupported_parameter", message]);
    },
  );
});

const fetched = (param: string) => [param, "unsupported_parameter", expect.stringContaining("must be sent as data")];

describe("an image of messages", () => {
  it.each([
    ["an address", { type: "url", url: "https://example.com/a.png" }, "url"],
    ["a file's id", { type: "file", file_id: "file_1" }, "file_id"],
  ])("cannot be %s", (_, source, field) => {
    const image = { type: "image", source };
    expect(refusal(() => CLAUDE.parse(CLAUDE.body(image)))).toEqual(fetched(`messages[0].content[0].source.${field}`));
    expect(refusal(() => CLAUDE.parse(CLAUDE.result(image)))).toEqual(
      fetched(`messages[2].content[0].content[0].source.${field}`),
    );
  });

  it("is refused with the alphabet of URLs", () => {
    const data = toUrlAlphabet(base64(ALL_DIGITS));
    expect(refusal(() => CLAUDE.parse(CLAUDE.body(CLAUDE.image(data))))[2]).toContain("is not valid base64");
  });

  it("ends a run of texts, and a result begins a new one", () => {
    const content = [
      CLAUDE.text("a"),
      CLAUDE.image(base64(PNG)),
      { type: "tool_result", tool_use_id: "c", content: [CLAUDE.text("b"), CLAUDE.image(base64(OTHER))] },
      CLAUDE.image(base64(PNG)),
    ];
    const call = { role: "assistant", content: [{ type: "tool_use", id: "c", name: "look", input: {} }] };
    const body = { messages: [{ role: "user", content: "look" }, call, { role: "user", content }] };
    expect(CLAUDE.parse(body).conversation.messages.slice(2)).toEqual([
      { role: "user", content: [{ type: "text", text: "a" }, part(PNG)] },
      { role: "tool", content: [{ type: "text", text: "b" }, part(OTHER)], toolCallId: "c" },
      { role: "user", content: [part(PNG)] },
    ]);
  });

  it("has the definitions of tools on lines of their own around it", () => {
    const reference = { type: "tool_reference", tool_name: "f" };
    const tool = { name: "f", description: "d", input_schema: { type: "object" }, defer_loading: true };
    const read = (image: object, images: ImagePolicy) =>
      contentOf(
        CLAUDE.parse({ tools: [tool], ...CLAUDE.result(image, reference, image, CLAUDE.text("a")) }, images),
        "tool",
      );
    const image = CLAUDE.image(base64(PNG));
    const asText = JSON.stringify(read(image, "placeholder"));
    expect(asText).toMatch(/^"\[image\]\\n.*\\n\[image\]a"$/s);
    const before = JSON.parse(`"${asText.split("[image]")[1]}"`) as string;
    expect(read(image, "tokens")).toEqual([
      part(PNG),
      { type: "text", text: before },
      part(PNG),
      { type: "text", text: "a" },
    ]);
  });

  it("can be beside the text of a document, but of no other document", () => {
    const document = (source: object) => ({ type: "document", source });
    const plain = document({ type: "text", media_type: "text/plain", data: "the file" });
    const request = CLAUDE.parse(CLAUDE.body(CLAUDE.image(base64(PNG)), plain));
    expect(contentOf(request, "user")).toEqual([part(PNG), { type: "text", text: "the file" }]);
    const pdf = document({ type: "base64", media_type: "application/pdf", data: base64(PNG) });
    expect(contentOf(CLAUDE.parse(CLAUDE.body(pdf), "placeholder"), "user")).toBe("[file]");
    const message = 'messages[0].content[0].type: "document" is not supported. The server takes texts and images.';
    expect(refusal(() => CLAUDE.parse(CLAUDE.body(pdf)))).toEqual([
      "messages[0].content[0].type",
      "unsupported_parameter",
      message,
    ]);
  });
});

describe("an image of responses", () => {
  it("cannot be a file's id", () => {
    for (const image of [{ file_id: "file-1" }, { file_id: "file-1", image_url: null }]) {
      expect(refusal(() => RESPONSES.parse(RESPONSES.body({ type: "input_image", ...image })))).toEqual(
        fetched("input[0].content[0].file_id"),
      );
    }
  });

  const screenshot = (image: object) => ({
    input: [
      { role: "user", content: "look" },
      { type: "function_call", call_id: "c", name: "look", arguments: "{}" },
      { type: "computer_call_output", call_id: "c", output: { type: "computer_screenshot", ...image } },
    ],
  });

  it("can be the screenshot of a computer call", () => {
    const request = RESPONSES.parse(screenshot({ image_url: `data:image/png;base64,${base64(PNG)}` }));
    expect(contentOf(request, "tool")).toEqual([part(PNG)]);
    expect(request.images).toEqual(filesOf(PNG));
    expect(refusal(() => RESPONSES.parse(screenshot({ image_url: "data:;base64,AAAA" })))[0]).toBe(
      "input[2].output.image_url",
    );
    expect(refusal(() => RESPONSES.parse(screenshot({ file_id: "file-1" })))).toEqual(
      fetched("input[2].output.file_id"),
    );
  });

  it("of an earlier response is a part of the conversation, but its file is not sent again", () => {
    const messages: Message[] = [
      { role: "user", content: [part(PNG)] },
      { role: "assistant", content: "gray" },
    ];
    const body = { ...RESPONSES.body(RESPONSES.image(base64(OTHER))), previous_response_id: "resp_1" };
    const earlier = { ...NO_EARLIER, findMessages: () => messages };
    const request = parseResponses(responsesSchema.parse(body), earlier, { images: "tokens" });
    expect(request.conversation.messages).toEqual([...messages, { role: "user", content: [part(OTHER)] }]);
    expect(request.images).toEqual(filesOf(OTHER));
  });
});

describe("an image of generate content", () => {
  it("can have the alphabet of URLs, and no padding", () => {
    const digits = base64(ALL_DIGITS);
    expect(digits).toMatch(/\+.*\/.*=$/);
    for (const data of [digits, toUrlAlphabet(digits), ALL_DIGITS.toString("base64url")]) {
      expect(contentOf(GEMINI.parse(GEMINI.body(GEMINI.image(data))), "user")).toEqual([part(ALL_DIGITS)]);
    }
  });

  it("can be written in snake_case, and without a type", () => {
    for (const data of [{ mime_type: "image/png", data: base64(PNG) }, { data: base64(PNG) }]) {
      expect(contentOf(GEMINI.parse(GEMINI.body({ inline_data: data })), "user")).toEqual([part(PNG)]);
    }
  });

  it("can have a media type in upper case", () => {
    const body = GEMINI.body({ inlineData: { mimeType: "IMAGE/PNG", data: base64(PNG) } });
    expect(contentOf(GEMINI.parse(body), "user")).toEqual([part(PNG)]);
  });

  it("follows the text of a function's response", () => {
    const response = { id: "c", name: "look", response: { output: "seen " }, parts: [GEMINI.image(base64(PNG))] };
    const { contents } = GEMINI.result() as { contents: object[] };
    const answered = [...contents.slice(0, 2), { role: "user", parts: [{ functionResponse: response }] }];
    const { conversation } = GEMINI.parse({ contents: answered });
    const content = [{ type: "text", text: "seen " }, part(PNG)];
    expect(conversation.messages[2]).toEqual({ role: "tool", content, toolCallId: "c", name: "look" });
  });

  it("makes a response differ from an earlier one of the same call", () => {
    const answer = (file: Buffer) => ({
      functionResponse: { id: "c", name: "look", response: { output: "" }, parts: [GEMINI.image(base64(file))] },
    });
    const { contents } = GEMINI.result() as { contents: object[] };
    const answered = [...contents.slice(0, 2), { role: "user", parts: [answer(PNG), answer(PNG), answer(OTHER)] }];
    const tools = GEMINI.parse({ contents: answered }).conversation.messages.filter(({ role }) => role === "tool");
    expect(tools.map(({ content }) => content)).toEqual([[part(PNG)], [part(OTHER)]]);
  });

  it.each([
    ["an image", { mimeType: "image/png", fileUri: "gs://a/b" }],
    ["a file without a type", { fileUri: "https://example.com/files/1" }],
  ])("cannot be the address of %s", (_, fileData) => {
    expect(refusal(() => GEMINI.parse(GEMINI.body({ fileData })))).toEqual(
      fetched("contents[0].parts[0].fileData.fileUri"),
    );
  });
});

it.each<[Dialect, object, string, string]>([
  [CHAT, { type: "file", file: { file_data: "data:image/png;base64,AAAA" } }, "messages[0].content[0].type", "file"],
  [CHAT, { type: "input_audio", input_audio: { data: "AA" } }, "messages[0].content[0].type", "input_audio"],
  [RESPONSES, { type: "input_file", file_data: "AAAA" }, "input[0].content[0].type", "input_file"],
  [RESPONSES, { type: "input_audio", input_audio: { data: "AA" } }, "input[0].content[0].type", "input_audio"],
  [GEMINI, { inlineData: { mimeType: "audio/wav", data: "AA" } }, "contents[0].parts[0].inlineData", "inlineData"],
  [GEMINI, { inlineData: { mimeType: "video/mp4", data: "AA" } }, "contents[0].parts[0].inlineData", "inlineData"],
  [GEMINI, { fileData: { mimeType: "audio/wav", fileUri: "a" } }, "contents[0].parts[0].fileData", "fileData"],
])("does not read other media: %#", ({ parse, body }, media, param, type) => {
  const message = `${param}: "${type}" is not supported. The server takes texts and images.`;
  expect(refusal(() => parse(body(media)))).toEqual([param, "unsupported_parameter", message]);
});

describe("an image that is not in the fields of the request", () => {
  const file = { sha256: sha256(PNG), bytes: PNG };
  const parse = (url: string, sources: object) => {
    const messages = [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }];
    return parseChatCompletion(chatCompletionSchema.parse({ messages }), { images: "tokens", ...sources });
  };

  it("is found by its address", () => {
    const find = vi.fn<(url: string, param: string) => typeof file>(() => file);
    const imageUrls = { find };
    expect(contentOf(parse("HTTPS://x.example/a.png", { imageUrls }), "user")).toEqual([part(PNG)]);
    expect(find.mock.calls).toEqual([["HTTPS://x.example/a.png", CHAT.param]]);
    for (const url of ["ftp://x.example/a.png", "x https://x.example/a.png"]) {
      expect(() => parse(url, { imageUrls })).toThrow(
        "must be a data URL or an address that begins with http:// or https://",
      );
    }
  });

  it("is refused by address if the server fetches none", () => {
    expect(() => parse("https://x.example/a.png", {})).toThrow("the server fetches none");
  });

  it("is found by its stand-in", () => {
    const takenImages = { find: (text: string) => (text === "data:1" ? file : undefined) };
    const request = parse("data:1", { takenImages });
    expect(contentOf(request, "user")).toEqual([part(PNG)]);
    expect(request.images).toEqual(filesOf(PNG));
    expect(() => parse("data:2", { takenImages })).toThrow("must be a data URL in base64");
  });
});

it("an image that was uploaded is refused, because the server keeps no files", () => {
  const content = [{ type: "input_image", file_id: "file-1" }];
  const request = responsesSchema.parse({ input: [{ role: "user", content }] });
  expect(() => parseResponses(request, NO_EARLIER, { images: "tokens" })).toThrow("the server keeps no uploaded files");
});
