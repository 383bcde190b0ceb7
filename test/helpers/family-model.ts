import type { Conversation, Message } from "../../src/conversation/message.js";
import { type ChatModelOptions, loadChatModel } from "../../src/model/load-chat-model.js";
import { findCallSyntax, type OutputFamilies } from "../../src/model/output/family-lookup.js";
import { createOutputFormat } from "../../src/model/output/output-format.js";
import { ChatTemplate } from "../../src/model/template/chat-template.js";
import { addedTokenSchema } from "../../src/model/tokenizer/added-token.js";
import { Tokenizer } from "../../src/model/tokenizer/tokenizer.js";
import { byteLevelTokenizer } from "../model/support/bpe.js";
import { joinIds, writeModelFolder } from "../model/support/model-folder.js";

/** A model folder with a published template and a small vocabulary that has the markers of its family as tokens. */
export class FamilyModel {
  readonly folder: string;
  readonly template: ChatTemplate;
  readonly families: OutputFamilies;
  readonly #tokenizer: Tokenizer;
  readonly #stops: readonly string[];

  private constructor(
    { folder, families }: Pick<FamilyModel, "folder" | "families">,
    source: string,
    tokenizer: Tokenizer,
    stops: readonly string[],
    { templateArgs = {} }: ChatModelOptions,
  ) {
    this.folder = folder;
    this.families = families;
    const specialTokens = new Map([
      ["bos_token", "<BOS>"],
      ["eos_token", "<EOS>"],
    ]);
    this.template = new ChatTemplate(source, { now: () => new Date(), templateArgs, specialTokens });
    this.#tokenizer = tokenizer;
    this.#stops = stops;
  }

  /** Creates the folder, which is removed when the test ends. */
  static async write(source: string, stops: readonly string[], options: ChatModelOptions): Promise<FamilyModel> {
    const { families } = await loadChatModel(writeModelFolder(source, stops), options);
    const { markers } = createOutputFormat(families, { tools: [], stop: [], stopTokenIds: [], promptEnd: "" });
    const parts = findCallSyntax(families.tools)?.markerParts ?? [];
    const inTemplate = source.match(/<[|｜][^<>\s'"]+?[|｜]>/g) ?? [];
    const shaped = markers.filter((marker) => /^[<[◁].*[>\]▷]$/u.test(marker));
    const added = [...new Set([...stops, ...inTemplate, ...shaped, ...parts])];
    // As in published vocabularies: a marker that does not end a turn is often a token, but not a special one.
    const json = byteLevelTokenizer(added.map((content) => ({ content, special: !/^<\/?[a-z_]+>$/.test(content) })));
    const ends = json.added_tokens.filter(({ content }) => stops.includes(content)).map(({ id }) => id);
    const folder = writeModelFolder(source, stops, {
      "tokenizer.json": json,
      "generation_config.json": { eos_token_id: ends },
    });
    const added_tokens = json.added_tokens.map((token) => addedTokenSchema.parse(token));
    return new FamilyModel(
      { folder, families },
      source,
      new Tokenizer({ tokenizer: { ...json, added_tokens }, config: {} }, 0),
      stops,
      options,
    );
  }

  async encode(text: string): Promise<number[]> {
    return joinIds(await this.#tokenizer.encode(text));
  }

  decode(ids: readonly number[]): string {
    return this.#tokenizer.decode(Int32Array.from(ids), { skipSpecialTokens: false });
  }

  /** Returns the added token with which a text begins. */
  addedTokenAt(text: string): string | undefined {
    return this.#tokenizer.addedTokenAt(text);
  }

  /** Returns the text that the model writes for this answer, as its template renders it, with the end of turn. */
  written(conversation: Conversation, answer: Message): string {
    const prompt = this.template.render(conversation, true);
    const { messages, ...rest } = conversation;
    const results = (answer.toolCalls ?? []).map((call) => resultOf(call, "3"));
    // Some templates drop the reasoning of a finished turn, and some show it only then.
    const whole = [
      [...messages, answer, ...results],
      [...messages, answer],
    ]
      .map((each) => this.template.render({ ...rest, messages: each }, false))
      .find((text) => text.startsWith(prompt));
    if (whole === undefined) throw new Error("the template writes this answer in no way that follows its prompt");
    return this.untilStop(whole.slice(prompt.length));
  }

  /** Returns true if the text is a token that ends a turn. */
  isStop(text: string): boolean {
    return this.#stops.includes(text);
  }

  /** Returns a rendered answer up to and with its end of turn. */
  untilStop(text: string): string {
    const [at, stop] = this.#stops
      .map((token) => [text.indexOf(token), token] as const)
      .filter(([found]) => found >= 0)
      .reduce((first, each) => (each[0] < first[0] ? each : first), [text.length, this.#stops[0] ?? ""] as const);
    return text.slice(0, at) + stop;
  }
}

export const resultOf = ({ id, name }: { readonly id: string; readonly name: string }, content: string): Message => ({
  role: "tool",
  content,
  toolCallId: id,
  name,
});
