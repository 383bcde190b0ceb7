import type { NamedVersions } from "../../../native/contract.js";
import type { GenerateCall, LabelVersions } from "../../engine.js";
import { VersionLabels } from "../../version-labels.js";
import { PauseHold, type PauseListener } from "../pause/pause-hold.js";
import { ServerVersions } from "./server-versions.js";

export interface VersionContext {
  readonly hold: PauseHold;
  readonly server: ServerVersions;
  readonly labels: LabelVersions;
}

type VersionedCall = Pick<GenerateCall, "generation" | "currentVersion">;

const NAMES_NONE: NamedVersions = { naming: "none", firstCount: 0, mixed: false, saysDefault: false };

/**
 * The weight versions of the tokens of one request. A token has the version that the reply names. If the reply names none, it has the
 * version that was current when its part of the reply arrived; in a pause, the version at the beginning of the pause.
 *
 * {@link isUncertain} is true if weights changed during the request and it is not known which tokens came before. It is known
 *
 * - from spans of versions, for each token;
 * - between two frames of a stream with different versions, if the second one has a single token;
 * - from a pause of this proxy, in which servers sample nothing: if the version changed in it, tokens that arrive later have the new
 *   one, except for the beginning of a part with several tokens.
 */
export class ReplyVersions implements PauseListener, Disposable {
  readonly #call: VersionedCall;
  readonly #context: VersionContext;
  readonly #listening: Disposable;
  /** State of the server's versions when the request was sent. */
  readonly #sent: { readonly last: number | null | undefined; readonly changes: number };
  /** The version of the first token. */
  #first: number;
  /** The version of tokens that arrive now. */
  #version: number;
  #hasTokens = false;
  /** The request was held by a pause that cuts everything else: its tokens came after the pause. */
  #wasHeld = false;
  #hasChanged = false;
  /** The version has changed since the last token. `pause`: in a pause, so that only tokens of the same part can be older. */
  #change: "pause" | "anywhere" | undefined;
  #isStreamed = false;
  #isUncertain = false;
  /** The version of every token, whatever the reply names: that of an adapter. */
  #fixed: number | undefined;

  constructor(call: VersionedCall, context: Partial<VersionContext> = {}) {
    const { hold = new PauseHold(), server = new ServerVersions(), labels = new VersionLabels() } = context;
    this.#call = call;
    this.#context = { hold, server, labels };
    this.#version = call.currentVersion();
    this.#first = this.#version;
    this.#sent = { last: server.last, changes: server.changes };
    this.#listening = hold.listen(this);
  }

  /** The version of the tokens of a reply that names none and is not streamed. */
  get first(): number {
    return this.#first;
  }

  get isUncertain(): boolean {
    return this.#isUncertain;
  }

  /** Gives all tokens one version, because the engine names only versions of the base model. Call it before the request is sent. */
  fix(version: number): void {
    this.#fixed = version;
    this.#first = version;
    this.#version = version;
  }

  pauseBegins(): void {
    this.#observe("anywhere");
  }

  pauseEnds(): void {
    if (this.#fixed !== undefined) return;
    const isHeld = !this.#context.hold.mayKeep && !this.#hasTokens && !this.#hasChanged;
    if (!isHeld) return this.#observe("pause");
    this.#first = this.#call.currentVersion();
    this.#wasHeld ||= this.#first !== this.#version;
    this.#version = this.#first;
  }

  /** Returns the version of tokens in the next part of a stream for which the engine names none. */
  beginPart(): number {
    this.#isStreamed = true;
    this.#observeNow();
    return this.#version;
  }

  /** Notes how many tokens that part had. */
  endPart(tokens: number): void {
    if (tokens === 0) return;
    this.#hasTokens = true;
    if (this.#change === undefined) return;
    if (this.#change === "anywhere" || tokens > 1) this.#isUncertain = true;
    this.#change = undefined;
  }

  /**
   * Gives versions to the labels in the generation, when the reply has ended or was cut.
   *
   * @param isCut the server has ended the generation for a pause
   */
  end(named: NamedVersions = NAMES_NONE, isCut = false): void {
    const { server, labels } = this.#context;
    const { generation, currentVersion } = this.#call;
    const { naming, highest, labels: texts = [] } = named;
    if (this.#fixed !== undefined) return this.#endFixed(this.#fixed, named);
    this.#observeNow();
    const versions = texts.map((label) => labels.versionOf(label, currentVersion()));
    if (versions.length > 0) generation.nameVersions(Int32Array.from(versions));
    if (highest !== undefined) labels.note(highest);
    const resolve = (version: number | undefined) =>
      version === undefined || version >= 0 ? version : versions[-2 - version];
    const last = resolve(named.last);
    const isLate = isCut && this.#wasHeld && naming === "none";
    this.#isUncertain = isLate || this.#judge(named, resolve(named.first), last);
    server.replied(naming === "none" ? undefined : last, named.saysDefault);
    // The first replies of a server tell what it names.
    if (naming === "spans" || this.#sent.last !== undefined) server.noteReply(naming === "spans", this.#isUncertain);
  }

  /** Texts stand for the fixed version. Integers are in the generation already, so its versions are uncertain. */
  #endFixed(version: number, { highest, labels = [], saysDefault }: NamedVersions): void {
    if (labels.length > 0) this.#call.generation.nameVersions(Int32Array.from(labels, () => version));
    this.#isUncertain = highest !== undefined;
    this.#context.server.replied(undefined, saysDefault);
  }

  /** A pause of mode `abort` ends what runs. In mode `keep`, another proxy may already have resumed the server. */
  #observeNow(): void {
    const { hold } = this.#context;
    if (hold.mayRun || hold.mode === "keep") this.#observe("anywhere");
  }

  #observe(change: "pause" | "anywhere"): void {
    if (this.#fixed !== undefined) return;
    const version = this.#call.currentVersion();
    if (version === this.#version) return;
    this.#version = version;
    this.#hasChanged = true;
    this.#change = this.#change === "anywhere" ? "anywhere" : change;
  }

  #judge({ naming, firstCount, mixed, saysDefault }: NamedVersions, first?: number, last?: number): boolean {
    const { server } = this.#context;
    // A server that named versions and now says `default` was restarted. Its weights are not known.
    if (naming === "none") return (saysDefault && server.hasNamed) || this.#isUnnamedUncertain;
    if (server.isStale) return true;
    // The version was set while the server may have been running, maybe later than its weights changed.
    const isGivenLate =
      server.changes !== this.#sent.changes && !(first === last && last === this.#call.currentVersion());
    if (naming === "spans") return isGivenLate;
    return isGivenLate || mixed || (firstCount > 1 && (first ?? null) !== this.#sent.last);
  }

  get #isUnnamedUncertain(): boolean {
    return this.#isStreamed ? this.#isUncertain : this.#hasChanged;
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
  }
}
