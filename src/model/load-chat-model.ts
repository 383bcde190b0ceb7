import { basename, resolve } from "node:path";
import type { Conversation } from "../conversation/message.js";
import { runInSlices } from "../support/async/run-steps.js";
import type { Steps } from "../support/async/steps.js";
import type {
  ChatModel,
  ContinuationFallback,
  ContinuationResult,
  MarkerTokens,
  PromptOptions,
  RecordedTurn,
  ToolCallSupport,
} from "./chat-model.js";
import { ContinuationFinder } from "./continuation/continuation-finder.js";
import { findContinuationProblem } from "./continuation/find-problem.js";
import { type ModelExperts, readExperts } from "./experts.js";
import { ImageModel } from "./images/image-model.js";
import type { KnownRendering } from "./jinja/index.js";
import { type ModelFiles, ModelFolderError, readModelFiles } from "./model-files.js";
import { chooseFamilies, type FamilyChoice, hasMarker, type ModelSigns } from "./output/choose-families.js";
import { Vocabulary } from "./output/detokenizer/vocabulary.js";
import { findCallStructure, findReasoningBlock, type OutputFamilies } from "./output/family-lookup.js";
import type { OutputParser, OutputParserOptions } from "./output/output-parser.js";
import { THINK } from "./output/reasoning/reasoning-block.js";
import {
  buildOutputStructure,
  findEnforcement,
  type OutputRules,
  type OutputStructure,
} from "./output/structure/output-structure.js";
import { TokenOutputParser } from "./output/token-output-parser.js";
import { renderPrefillAfterOpening, renderPrefilled } from "./prefilled-prompt.js";
import { ChatTemplate, type ChatTemplateOptions } from "./template/chat-template.js";
import { omitsCalls, showsTools } from "./template/shows-tools.js";
import { encodePartsWithin, encodeWithin } from "./tokenizer/encode-within.js";
import type { EncodedText } from "./tokenizer/encoded-text.js";
import type { CacheStats } from "./tokenizer/piece-cache.js";
import { Tokenizer } from "./tokenizer/tokenizer.js";
import { readVocabularySize } from "./vocabulary-size.js";

export interface ChatModelOptions extends FamilyChoice {
  /** Clock for templates that show the date. Default: the system's clock. */
  readonly now?: () => Date;
  /** Limit of the cache of encoded pieces, in bytes. Default 64 MiB; 0 turns the cache off. */
  readonly cacheBytes?: number;
  /** Variables for the chat template. A conversation's own variables override them key by key. */
  readonly templateArgs?: Readonly<Record<string, unknown>>;
}

const CACHE_BYTES = 64 << 20;

/**
 * Loads the chat model that a Hugging Face folder describes.
 *
 * @throws ModelFolderError if a file is missing or invalid, or if the template cannot render one user message
 */
export async function loadChatModel(folder: string, options: ChatModelOptions = {}): Promise<FolderChatModel> {
  return new FolderChatModel(folder, await readModelFiles(folder), options);
}

/** A template, and the finder of continuations for it. */
interface Dialogue {
  readonly template: ChatTemplate;
  readonly continuations: ContinuationFinder;
}

/** A {@link ChatModel} that is created from the files of a model folder. */
export class FolderChatModel implements ChatModel {
  readonly name: string;
  /** Absolute path of the model's folder. */
  readonly folder: string;
  readonly digest: string;
  readonly stopTokenIds: readonly number[];
  readonly contextLength: number | undefined;
  readonly vocabularySize: number;
  readonly images: ImageModel | undefined;
  /** The experts of its layers, as config.json names them. Undefined if it has none. */
  readonly experts: ModelExperts | undefined;
  /** The families that describe how the model writes reasoning and tool calls. */
  readonly families: OutputFamilies;
  readonly toolCalls: ToolCallSupport;
  readonly #tokenizer: Tokenizer;
  readonly #vocabulary: Vocabulary;
  readonly #callStructure: ReturnType<typeof findCallStructure>;
  readonly #plain: Dialogue;
  readonly #withTools: Dialogue;
  /** The loops that were recorded while these texts were rendered. The next rendering takes iterations from them. */
  readonly #loops = new WeakMap<EncodedText, KnownRendering["loops"]>();

  #markers: Promise<MarkerTokens | undefined> | undefined;

  constructor(folder: string, files: ModelFiles, options: ChatModelOptions) {
    this.folder = resolve(folder);
    this.name = basename(this.folder);
    this.digest = files.digest;
    this.#tokenizer = makeTokenizer(folder, files, options.cacheBytes ?? CACHE_BYTES);
    this.#vocabulary = new Vocabulary(files.tokenizer, this.#tokenizer);
    this.stopTokenIds = stopTokenIds(files, this.#tokenizer);
    this.contextLength =
      files.config.max_position_embeddings ?? files.config.text_config?.max_position_embeddings ?? undefined;
    this.vocabularySize = readVocabularySize(files);
    this.images = ImageModel.read(files);
    const { config } = files;
    this.experts = readExperts(config) ?? (config.text_config ? readExperts(config.text_config) : undefined);
    const sources = templateSources(folder, files);
    const signs = collectSigns(sources, files, this.#vocabulary);
    this.families = chooseFamilies(options, signs);
    this.#callStructure = findCallStructure(this.families.tools, (marker) => hasMarker(signs, marker));
    const { now = () => new Date(), templateArgs = {} } = options;
    const templateOptions = { now, templateArgs, specialTokens: specialTokens(files) };
    const create = (source: string): Dialogue => this.#createDialogue(makeTemplate(folder, source, templateOptions));
    this.#plain = create(sources.plain);
    this.#withTools = sources.withTools === sources.plain ? this.#plain : create(sources.withTools);
    this.toolCalls = {
      family: this.families.tools,
      isConfigured: (options.toolCallParser ?? "auto") !== "auto",
      isShown: showsTools(this.#withTools.template),
      isOmitted: omitsCalls(this.#withTools.template),
      enforced: findEnforcement(this.#callStructure),
    };
  }

  get cacheStats(): CacheStats {
    return this.#tokenizer.cacheStats;
  }

  /** Starts a thread for large texts, so the first large text does not wait for it. */
  warmUp(): void {
    this.#tokenizer.warmUp();
  }

  /** Ends the threads that encode large texts. Without this call, they end with the process. */
  close(): Promise<void> {
    return this.#tokenizer.close();
  }

  async prompt(conversation: Conversation, { known, maxTokens }: PromptOptions = {}): Promise<EncodedText> {
    const { template } = this.#chooseDialogue(conversation);
    const earlier = known?.items.map((text) => ({ parts: text.parts, loops: this.#loops.get(text) ?? [] }));
    const { parts, loops } = await runInSlices(renderPrompt(template, conversation, earlier));
    const text = await encodePartsWithin(this.#tokenizer, parts, maxTokens, known);
    if (known) this.#loops.set(text, loops);
    return text;
  }

  async continuation(conversation: Conversation, turn: RecordedTurn, maxTokens?: number): Promise<ContinuationResult> {
    const { template, continuations } = this.#chooseDialogue(conversation);
    const found = continuations.find(conversation, turn);
    if (typeof found === "string") return { fallback: found };
    const prefill = renderPrefillAfterOpening(template, conversation);
    if (prefill === undefined) return { fallback: "answer_opened_otherwise" };
    const text = found.text + prefill;
    if (turn.addedText === undefined || turn.lastTokenId === undefined)
      return { pieces: await encodeWithin(this.#tokenizer, text, maxTokens, found.after) };
    const pieces = await this.encodeAfter(Int32Array.of(turn.lastTokenId), text, maxTokens);
    return pieces ? { pieces } : { fallback: "added_text_changed" };
  }

  continuationProblem(): ContinuationFallback | undefined {
    const problem = findContinuationProblem(this.#plain.continuations, false);
    return this.toolCalls.isShown ? (problem ?? findContinuationProblem(this.#withTools.continuations, true)) : problem;
  }

  async encodeAfter(tokens: Int32Array, text: string, maxTokens?: number): Promise<Int32Array[] | undefined> {
    const pieces = await encodeWithin(this.#tokenizer, text, maxTokens);
    const decode = (ids: readonly Int32Array[]) => this.decode(joinIds(ids), { skipSpecialTokens: false });
    // Some tokenizers write a space before a text, or normalize it.
    return decode([tokens, ...pieces]) === decode([tokens]) + text ? pieces : undefined;
  }

  decode(ids: Int32Array, options: { readonly skipSpecialTokens: boolean }): string {
    return this.#tokenizer.decode(ids, options);
  }

  tokenBytes(id: number): Uint8Array {
    return this.#vocabulary.bytes(id);
  }

  outputStructure(rules: OutputRules): OutputStructure | undefined {
    return buildOutputStructure(this.#callStructure, findReasoningBlock(this.families.reasoning), rules);
  }

  hasEndedReasoning(promptEnd: string): boolean {
    const block = findReasoningBlock(this.families.reasoning);
    return block !== undefined && promptEnd.trimEnd().endsWith(block.end);
  }

  reasoningMarkers(): Promise<MarkerTokens | undefined> {
    this.#markers ??= this.#encodeMarkers();
    return this.#markers;
  }

  async #encodeMarkers(): Promise<MarkerTokens | undefined> {
    const { reasoning } = this.families;
    const block = reasoning === "none" ? THINK : findReasoningBlock(reasoning);
    if (block === undefined) return undefined;
    const [begin, end] = await Promise.all([block.begin, block.end].map((text) => this.#tokenizer.encode(text)));
    return { begin: joinIds(begin), end: joinIds(end) };
  }

  outputParser(options: OutputParserOptions): OutputParser {
    return new TokenOutputParser(this.#vocabulary, options.isPlain ? NO_FAMILIES : this.families, options);
  }

  #chooseDialogue(conversation: Conversation): Dialogue {
    return (conversation.tools ?? []).length > 0 ? this.#withTools : this.#plain;
  }

  #createDialogue(template: ChatTemplate): Dialogue {
    const stops = new Map<number, string>();
    for (const id of this.stopTokenIds) {
      const token = this.#tokenizer.findToken(id);
      if (token !== undefined) stops.set(id, token);
    }
    const addedTokenAt = (text: string): string | undefined => this.#tokenizer.addedTokenAt(text);
    return { template, continuations: new ContinuationFinder(template, { stops, addedTokenAt }) };
  }
}

const NO_FAMILIES: OutputFamilies = { tools: "none", reasoning: "none" };

function* renderPrompt(
  template: ChatTemplate,
  conversation: Conversation,
  known?: readonly KnownRendering[],
): Steps<KnownRendering> {
  if (conversation.prefill === undefined) return yield* template.renderInSteps(conversation, true, known);
  return { parts: [yield* renderPrefilled(template, conversation)], loops: [] };
}

function makeTokenizer(folder: string, files: ModelFiles, cacheBytes: number): Tokenizer {
  try {
    return new Tokenizer({ tokenizer: files.tokenizer, config: files.tokenizerConfig }, cacheBytes);
  } catch (cause) {
    const message = `${folder}/tokenizer.json describes an unsupported tokenizer: ${String(cause)}`;
    throw new ModelFolderError("model_file_invalid", message, { cause });
  }
}

function makeTemplate(folder: string, source: string, options: ChatTemplateOptions): ChatTemplate {
  try {
    return new ChatTemplate(source, options);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `the chat template of ${folder} cannot render a user's message: ${reason}`;
    throw new ModelFolderError("chat_template_invalid", message, { cause });
  }
}

function specialTokens({ tokenizerConfig }: ModelFiles): Map<string, string> {
  const names = ["bos_token", "eos_token", "pad_token", "unk_token"] as const;
  return new Map(names.flatMap((name) => (tokenizerConfig[name] ? [[name, tokenizerConfig[name]] as const] : [])));
}

/**
 * Chooses the templates: chat_template.jinja, or else those of tokenizer_config.json, where one named `tool_use` is for
 * conversations with tools.
 */
function templateSources(folder: string, files: ModelFiles): { readonly plain: string; readonly withTools: string } {
  const configured = files.chatTemplate ?? files.tokenizerConfig.chat_template ?? [];
  if (typeof configured === "string") return { plain: configured, withTools: configured };
  const named = new Map(configured.map(({ name, template }) => [name, template]));
  const plain = named.get("default") ?? configured[0]?.template;
  if (plain === undefined) {
    const message = `${folder} has no chat template: neither chat_template.jinja nor chat_template in tokenizer_config.json`;
    throw new ModelFolderError("chat_template_missing", message);
  }
  return { plain, withTools: named.get("tool_use") ?? plain };
}

function collectSigns(
  { plain, withTools }: { readonly plain: string; readonly withTools: string },
  { config }: ModelFiles,
  vocabulary: Vocabulary,
): ModelSigns {
  return {
    template: plain === withTools ? plain : `${plain}\n${withTools}`,
    isAdded: (spelling) => vocabulary.isAdded(spelling),
    modelType: config.model_type ?? undefined,
  };
}

/** Collects the ids that end a turn from all files. */
function stopTokenIds({ generationConfig, config, tokenizerConfig }: ModelFiles, tokenizer: Tokenizer): number[] {
  const eos = tokenizerConfig.eos_token ? tokenizer.findId(tokenizerConfig.eos_token) : undefined;
  const ids = [generationConfig.eos_token_id, config.eos_token_id, config.text_config?.eos_token_id, eos].flat();
  return [...new Set(ids.filter((id) => id !== undefined && id !== null))];
}

function joinIds(pieces: readonly Int32Array[] = []): Int32Array {
  return Int32Array.from(pieces.flatMap((piece) => [...piece]));
}
