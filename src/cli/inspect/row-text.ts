import type { MetadataRow } from "../../batch-file/batch-rows.js";
import type { SequenceTokens } from "../../batch-file/batch-tokens.js";
import { makeInert } from "../../support/inert-text.js";
import { formatFloat } from "./numbers.js";

export interface ShownRow {
  readonly row: number;
  readonly entry: MetadataRow;
  readonly reward: number | undefined;
  readonly tokens: SequenceTokens;
  /** The text of each token; undefined without a tokenizer. */
  readonly texts: readonly string[] | undefined;
  readonly warnings: readonly string[];
}

/** Log probabilities from which a token is shown in a color, with the color's number among the 256 of terminals. */
const COLORS = [
  { from: -0.1, color: 114, name: "> -0.1" },
  { from: -1, color: 186, name: "> -1" },
  { from: -3, color: 215, name: "> -3" },
  { from: -Infinity, color: 203, name: "≤ -3" },
] as const;

const [DIM, RESET] = ["\u001b[2m", "\u001b[0m"];
const [LOSS_START, LOSS_END] = ["⟦", "⟧"];
/** Without colors, tokens below this log probability have it behind them. */
const UNLIKELY = -1;

/**
 * Returns one row as text.
 *
 * @param hasColors colors tokens by log probability. Otherwise marks say what is in the loss, and how unlikely tokens are
 */
export function describeRowText(shown: ShownRow, hasColors: boolean): string {
  const { row, entry, reward, tokens, warnings } = shown;
  const inLoss = tokens.lossMask.reduce((sum, each) => sum + each, 0);
  const facts = [
    `session ${entry.session_id}`,
    `interaction ${entry.interaction_id}`,
    `${tokens.ids.length} tokens, ${inLoss} of them in the loss`,
    ...(reward === undefined ? [] : [`row reward ${formatFloat(reward)}`]),
  ];
  const head = [`row ${row}: ${makeInert(facts.join(", "))}`, hasColors ? colorLegend() : PLAIN_LEGEND];
  const body = hasColors ? writeColored(shown) : writePlain(shown);
  return `${[...warnings.map((each) => `warning: ${makeInert(each)}`), ...head].join("\n")}\n\n${body}\n`;
}

const PLAIN_LEGEND = `${LOSS_START}…${LOSS_END} is in the loss; ‹…› is a log probability below ${UNLIKELY}; <U+…> is an invisible character`;

function colorLegend(): string {
  const names = COLORS.map(({ color, name }) => paint(name, color)).join("  ");
  return `in the loss, by log probability: ${names}  ${DIM}not in the loss${RESET}`;
}

function writeColored({ tokens, texts }: ShownRow): string {
  return Array.from(tokens.ids, (id, i) => {
    const text = showToken(id, texts?.[i]);
    if (text === "") return "";
    if (tokens.lossMask[i] === 0) return dim(text);
    const logprob = tokens.logprobs[i] ?? 0;
    const { color } = COLORS.find(({ from }) => logprob > from) ?? COLORS[3];
    return paint(text, color);
  }).join("");
}

function writePlain({ tokens, texts }: ShownRow): string {
  let isInLoss = false;
  const written = Array.from(tokens.ids, (id, i) => {
    const wasInLoss = isInLoss;
    isInLoss = tokens.lossMask[i] === 1;
    const mark = wasInLoss === isInLoss ? "" : isInLoss ? LOSS_START : LOSS_END;
    const logprob = tokens.logprobs[i] ?? 0;
    const unlikely = isInLoss && logprob < UNLIKELY ? `‹${logprob.toFixed(2)}›` : "";
    return mark + showToken(id, texts?.[i]) + unlikely;
  });
  return written.join("") + (isInLoss ? LOSS_END : "");
}

function showToken(id: number, text: string | undefined): string {
  return text === undefined ? `${id} ` : showInvisible(text);
}

/**
 * Makes characters visible that a terminal would obey or not show: control characters, those that change the direction of writing,
 * separators, halves of characters, and the marks of this report.
 */
export function showInvisible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u034F\u115F\u1160\u3164\uFFA0⟦⟧‹›]/gu, (character) => {
    if (character === "\n") return "↵\n";
    if (character === "\t") return "⇥";
    return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

/** Colors end before each line break, so that a pager shows every line right. */
function paint(text: string, color: number): string {
  return text.replace(/[^\n]+/g, (line) => `\u001b[38;5;${color}m${line}${RESET}`);
}

function dim(text: string): string {
  return text.replace(/[^\n]+/g, (line) => `${DIM}${line}${RESET}`);
}
