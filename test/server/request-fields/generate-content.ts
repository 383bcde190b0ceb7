import type {
  FunctionCall,
  FunctionCallingConfig,
  FunctionDeclaration,
  FunctionResponse,
  GenerateContentConfig,
  GenerationConfig,
  Part,
  ThinkingConfig,
  Tool,
  ToolConfig,
} from "@google/genai";
import { ENGINE_FIELDS, type Field, honoured, ignored, PARAMETERS, refused } from "./field.js";

const user = { role: "user", parts: [{ text: "hello" }] };
export const GENERATE_BASE = { contents: [user] };

const JSON_TYPE = { responseMimeType: "application/json" };

const declare = (fields: object) => [{ functionDeclarations: [{ name: "f", ...fields }] }];
const tools = declare({});
const said = (part: object) => [user, { role: "model", parts: [part] }, user];
const part = (fields: object) => said({ text: "hm", ...fields });
const call = (fields: object) => said({ functionCall: { id: "c", name: "f", args: {}, ...fields } });
const result = (fields: object) => [
  user,
  { role: "user", parts: [{ functionResponse: { id: "c", name: "f", response: {}, ...fields } }] },
];
const calling = (functionCallingConfig: object) => ({ functionCallingConfig });
const thinking = (thinkingConfig: object) => ({ thinkingConfig });

/** What the SDK reads itself, and fields that it sends inside `generationConfig`. */
type NotSent = "abortSignal" | "automaticContinuation" | "automaticFunctionCalling" | "httpOptions";
type TopField = Exclude<keyof GenerateContentConfig, NotSent | keyof GenerationConfig | "imageConfig"> | "contents";

/** Every field at the top of Gemini's request. */
export const GENERATE_FIELDS: Readonly<Record<TopField, Field>> = {
  contents: honoured([{ role: "user", parts: [{ text: "other" }] }]),
  systemInstruction: honoured({ parts: [{ text: "be brief" }] }),
  tools: honoured(tools),
  toolConfig: honoured(calling({ mode: "ANY" }), { tools }),
  safetySettings: ignored([{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }]),
  labels: ignored({ team: "a" }),
  modelArmorConfig: ignored({}),
  serviceTier: ignored("standard"),
  store: ignored(true),
  cachedContent: refused("cachedContents/c"),
  continuationToken: refused("t"),
  generationOutputConfig: refused({}),
};

const { seed: _seed, top_k: _topK, ...ownFields } = ENGINE_FIELDS;

export const GENERATE_MORE: Readonly<Record<string, Field>> = {
  return_token_ids: refused(true),
  ...ownFields,
  generationConfig: honoured({ temperature: 0.5 }),
  model: ignored("models/another"),
};

const ofConfig: Record<keyof GenerationConfig | "imageConfig", Field> = {
  temperature: honoured({ temperature: 0.5 }),
  topP: honoured({ topP: 0.5 }),
  topK: honoured({ topK: 5 }),
  maxOutputTokens: honoured({ maxOutputTokens: 2 }),
  stopSequences: honoured({ stopSequences: ["END"] }),
  seed: honoured({ seed: 7 }),
  presencePenalty: honoured({ presencePenalty: 0.5 }),
  frequencyPenalty: honoured({ frequencyPenalty: 0.5 }),
  responseLogprobs: honoured({ responseLogprobs: true }),
  logprobs: honoured({ responseLogprobs: true, logprobs: 2 }),
  responseMimeType: honoured(JSON_TYPE),
  responseSchema: honoured({ ...JSON_TYPE, responseSchema: { type: "OBJECT" } }),
  responseJsonSchema: honoured({ ...JSON_TYPE, responseJsonSchema: PARAMETERS }),
  thinkingConfig: honoured(thinking({ thinkingBudget: 0 })),
  candidateCount: honoured({ candidateCount: 2 }),
  responseModalities: refused({ responseModalities: ["AUDIO"] }),
  responseFormat: refused({ responseFormat: [{ text: {} }] }),
  speechConfig: refused({ speechConfig: {} }),
  imageConfig: refused({ imageConfig: {} }),
  translationConfig: refused({ translationConfig: {} }),
  enableAffectiveDialog: refused({ enableAffectiveDialog: true }),
  audioTimestamp: ignored({ audioTimestamp: true }),
  audioTranscriptionConfig: ignored({ audioTranscriptionConfig: {} }),
  enableEnhancedCivicAnswers: ignored({ enableEnhancedCivicAnswers: true }),
  mediaResolution: ignored({ mediaResolution: "MEDIA_RESOLUTION_LOW" }),
  modelSelectionConfig: ignored({ modelSelectionConfig: {} }),
  routingConfig: ignored({ routingConfig: {} }),
};
const ofThinking: Record<Exclude<keyof ThinkingConfig, "includeThoughts">, Field> = {
  thinkingBudget: honoured(thinking({ thinkingBudget: 512 })),
  thinkingLevel: honoured(thinking({ thinkingLevel: "HIGH" })),
};
const ofPart: Record<keyof Part, Field> = {
  text: honoured(part({ text: "ha" })),
  functionCall: honoured(call({})),
  functionResponse: honoured(result({})),
  thought: honoured(part({ thought: true })),
  thoughtSignature: ignored(part({ thoughtSignature: "of another model" })),
  inlineData: refused(part({ inlineData: {} })),
  fileData: refused(part({ fileData: {} })),
  audioTranscription: refused(part({ audioTranscription: {} })),
  codeExecutionResult: refused(part({ codeExecutionResult: {} })),
  executableCode: refused(part({ executableCode: {} })),
  toolCall: refused(part({ toolCall: {} })),
  toolResponse: refused(part({ toolResponse: {} })),
  mediaProcessing: ignored(part({ mediaProcessing: {} })),
  mediaResolution: ignored(part({ mediaResolution: {} })),
  partMetadata: ignored(part({ partMetadata: {} })),
  speechMetadata: ignored(part({ speechMetadata: {} })),
  videoMetadata: ignored(part({ videoMetadata: {} })),
};
const ofCall: Record<keyof FunctionCall, Field> = {
  id: honoured(call({ id: "d" })),
  name: honoured(call({ name: "g" })),
  args: honoured(call({ args: { a: 1 } })),
  partialArgs: refused(call({ partialArgs: [{}] })),
  willContinue: refused(call({ willContinue: true })),
};
const ofResult: Record<keyof FunctionResponse, Field> = {
  id: honoured(result({ id: "d" })),
  name: honoured(result({ name: "g" })),
  response: honoured(result({ response: { output: "x" } })),
  parts: refused(result({ parts: [{ inlineData: {} }] })),
  willContinue: refused(result({ willContinue: true })),
  scheduling: ignored(result({ scheduling: "SILENT" })),
};
const ofTool: Record<keyof Tool, Field> = {
  functionDeclarations: honoured(tools),
  codeExecution: refused([{ codeExecution: {} }]),
  computerUse: refused([{ computerUse: {} }]),
  enterpriseWebSearch: refused([{ enterpriseWebSearch: {} }]),
  exaAiSearch: refused([{ exaAiSearch: {} }]),
  fileSearch: refused([{ fileSearch: {} }]),
  googleMaps: refused([{ googleMaps: {} }]),
  googleSearch: refused([{ googleSearch: {} }]),
  googleSearchRetrieval: refused([{ googleSearchRetrieval: {} }]),
  mcpServers: refused([{ mcpServers: [{}] }]),
  parallelAiSearch: refused([{ parallelAiSearch: {} }]),
  retrieval: refused([{ retrieval: {} }]),
  urlContext: refused([{ urlContext: {} }]),
};
const ofFunction: Record<keyof FunctionDeclaration, Field> = {
  name: honoured(declare({ name: "g" })),
  description: honoured(declare({ description: "d" })),
  parameters: honoured(declare({ parameters: { type: "OBJECT" } })),
  parametersJsonSchema: honoured(declare({ parametersJsonSchema: PARAMETERS })),
  behavior: refused(declare({ behavior: "NON_BLOCKING" })),
  response: ignored(declare({ response: { type: "OBJECT" } })),
  responseJsonSchema: ignored(declare({ responseJsonSchema: PARAMETERS })),
};
const ofToolConfig: Record<keyof ToolConfig, Field> = {
  functionCallingConfig: honoured(calling({ mode: "ANY" })),
  includeServerSideToolInvocations: ignored({ includeServerSideToolInvocations: true }),
  retrievalConfig: ignored({ retrievalConfig: {} }),
};
const ofCalling: Record<keyof FunctionCallingConfig, Field> = {
  mode: honoured(calling({ mode: "NONE" })),
  allowedFunctionNames: honoured(calling({ mode: "ANY", allowedFunctionNames: ["f"] })),
  streamFunctionCallArguments: refused(calling({ streamFunctionCallArguments: true })),
};

/** The field inside of which a part is, the request without it, and its fields. */
export const GENERATE_PARTS = {
  "generationConfig.": { in: "generationConfig", without: {}, fields: ofConfig },
  "generationConfig.thinkingConfig.": { in: "generationConfig", without: {}, fields: ofThinking },
  "contents[].parts[].": { in: "contents", without: { contents: part({}) }, fields: ofPart },
  "contents[].parts[].functionCall.": { in: "contents", without: { contents: call({}) }, fields: ofCall },
  "contents[].parts[].functionResponse.": { in: "contents", without: { contents: result({}) }, fields: ofResult },
  "tools[].": { in: "tools", without: {}, fields: ofTool },
  "tools[].functionDeclarations[].": { in: "tools", without: { tools }, fields: ofFunction },
  "toolConfig.": { in: "toolConfig", without: { tools }, fields: ofToolConfig },
  "toolConfig.functionCallingConfig.": { in: "toolConfig", without: { tools }, fields: ofCalling },
};
