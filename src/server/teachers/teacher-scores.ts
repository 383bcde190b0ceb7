import type { FastifyBaseLogger } from "fastify";
import { EngineError } from "../../engine/engine.js";
import { type ScoringRound, Teacher, TeacherDownError, type TeacherOptions } from "../../engine/teachers/teacher.js";
import type { TokenScores } from "../../native/contract.js";
import { isScoredBy, teacherChannels } from "../../session/batch/teachers.js";
import { SessionError } from "../../session/errors.js";
import type { Session } from "../../session/session.js";
import type { SessionRegistry } from "../../session/session-registry.js";
import type { ScoringOutcome, TeacherMetrics } from "./teacher-metrics.js";

export interface TeacherSettings extends TeacherOptions {
  /** True: sessions are scored when they end. Exports then score only what is missing. */
  readonly atEnd: boolean;
}

export interface TeacherScoresOptions {
  readonly teachers: readonly TeacherSettings[];
  readonly registry: SessionRegistry;
  readonly metrics: TeacherMetrics;
  readonly logger: FastifyBaseLogger;
}

/** Time between two log entries about the progress of a round. */
const PROGRESS_MS = 10_000;

const IMAGES_REFUSED = "Teachers score no conversations with images.";

/** The scores of one teacher for the sessions of an export, or for one session that ended. */
interface Scoring {
  readonly teacher: Teacher;
  readonly round: ScoringRound;
  readonly signal: AbortSignal | undefined;
  readonly count: { scored: number; tokens: number; failed: number };
  /** The first failure, for the log. */
  failure: unknown;
}

/** Scores that are missing: those of the sequence of interaction `leaf` from token `first` on. */
interface MissingScores {
  readonly leaf: number;
  readonly first: number;
}

/** Lets teachers score the recorded tokens of sessions. Each teacher scores each token once, and the scores are stored. */
export class TeacherScores {
  readonly #options: TeacherScoresOptions;
  /** Sessions that are being scored, by teacher. */
  readonly #running = new Map<Teacher, Map<Session, Promise<void>>>();
  readonly #closing = new AbortController();

  constructor(options: TeacherScoresOptions) {
    this.#options = options;
    const endTeachers: Teacher[] = [];
    for (const settings of options.teachers) {
      const teacher = new Teacher(settings);
      this.#running.set(teacher, new Map());
      if (settings.atEnd) endTeachers.push(teacher);
    }
    if (endTeachers.length > 0) {
      options.registry.events.on("over", (session, outcome) => {
        if (outcome === "ended") void this.#scoreEnded(options.registry.get(session.id), endTeachers);
      });
    }
  }

  /**
   * Scores the tokens that have no scores yet. Tokens remain without scores if a teacher is down or refuses their sequence. The sessions
   * must be loaded, and must not be freed meanwhile.
   *
   * @throws SessionError `call_aborted` if the signal aborts
   */
  async score(sessions: readonly Session[], signal?: AbortSignal): Promise<void> {
    const teachers = [...this.#running.keys()];
    try {
      await Promise.all(teachers.map((teacher) => this.#scoreAll(teacher, sessions, teacher.begin(true), signal)));
    } catch (error) {
      if (!signal?.aborted) throw error;
      const message = "The export ended while it waited for the scores of a teacher. No session was exported.";
      throw new SessionError("call_aborted", message, { cause: error });
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("The server is closing."));
    await Promise.all([...this.#running.keys()].map((teacher) => teacher.close()));
  }

  async #scoreEnded(session: Session, teachers: readonly Teacher[]): Promise<void> {
    const { registry, logger } = this.#options;
    try {
      await registry.wake(session);
      if (!session.isLoaded) return;
      session.data.hold();
      try {
        const { signal } = this.#closing;
        await Promise.all(teachers.map((teacher) => this.#scoreAll(teacher, [session], teacher.begin(false), signal)));
      } finally {
        session.data.release();
      }
    } catch (error) {
      // The export of the session scores it.
      if (!this.#closing.signal.aborted) logger.warn({ session: session.id, err: error }, "the session was not scored");
    }
  }

  async #scoreAll(
    teacher: Teacher,
    sessions: readonly Session[],
    round: ScoringRound,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const count = { scored: 0, tokens: 0, failed: 0 };
    const scoring: Scoring = { teacher, round, signal, count, failure: undefined };
    const log = (message: string) =>
      this.#options.logger.info({ teacher: teacher.name, sessions: sessions.length, ...count }, message);
    const progress = setInterval(() => log("scoring sessions"), PROGRESS_MS).unref();
    try {
      // Each worker scores one session after the other, so that few prompts exist at once.
      const rest = sessions.values();
      const work = async () => {
        for (const session of rest) if (isScoredBy(session, teacher)) await this.#scoreAlone(session, scoring);
      };
      await Promise.all(Array.from({ length: Math.min(teacher.capacity, sessions.length) }, work));
    } finally {
      clearInterval(progress);
    }
    if (count.scored > 0 && round.waits) log("scored sessions");
    if (count.failed > 0) this.#warn(scoring);
  }

  /** Scores a session when it is not being scored for another export. */
  async #scoreAlone(session: Session, scoring: Scoring): Promise<void> {
    const running = this.#running.get(scoring.teacher);
    for (let other = running?.get(session); other; other = running?.get(session)) await other.catch(() => undefined);
    const scored = this.#scoreSession(session, scoring);
    running?.set(session, scored);
    try {
      await scored;
    } finally {
      running?.delete(session);
    }
  }

  async #scoreSession(session: Session, scoring: Scoring): Promise<void> {
    const asked = listMissing(session, scoring.teacher);
    const outcomes = await this.#scoreSequences(session, asked, scoring);
    if (!outcomes.includes("refused")) return;
    const refused = asked.filter((_, index) => outcomes[index] === "refused");
    for (const { leaf, first } of asked.filter((_, index) => outcomes[index] === "scored")) {
      if (isGone(session)) return;
      const gap = listMissing(session, scoring.teacher).find(
        (missing) =>
          missing.first < first &&
          refused.some((other) => other.leaf === missing.leaf && isSameTree(session, leaf, other.leaf)),
      );
      // The tokens before were part of the refused sequence.
      if (gap) await this.#scoreSequence(session, { leaf, first: gap.first }, scoring);
    }
  }

  async #scoreSequences(
    session: Session,
    sequences: readonly MissingScores[],
    scoring: Scoring,
  ): Promise<ScoringOutcome[]> {
    const scored = sequences.map((sequence) => this.#scoreSequence(session, sequence, scoring));
    // Wait for all sequences, also after a failure: none may be scored after the session was released.
    const settled = await Promise.allSettled(scored);
    for (const result of settled) if (result.status === "rejected") throw result.reason;
    return Promise.all(scored);
  }

  /** Scores a sequence. If the teacher does not score it, its tokens remain without scores. */
  async #scoreSequence(session: Session, { leaf, first }: MissingScores, scoring: Scoring): Promise<ScoringOutcome> {
    const { teacher, round, signal, count } = scoring;
    const { metrics } = this.#options;
    const prompt = session.tokens.prompt([], leaf);
    const stopTimer = metrics.startTimer(teacher.name);
    try {
      // Without their files, the teacher would take the tokens of images for text.
      if (session.interaction(leaf).images) throw new EngineError("engine_rejected_request", IMAGES_REFUSED);
      const scores = await teacher.score({ prompt, first, affinityKey: session.id }, round, signal);
      if (!isGone(session)) addScores(session, leaf, first, scores, teacher);
      stopTimer();
      count.scored++;
      count.tokens += scores.logprobs.length;
      metrics.count(teacher.name, "scored", scores.logprobs.length);
      return "scored";
    } catch (error) {
      signal?.throwIfAborted();
      scoring.failure ??= error;
      count.failed++;
      const outcome = error instanceof TeacherDownError ? "unanswered" : "refused";
      metrics.count(teacher.name, outcome);
      return outcome;
    } finally {
      prompt.release();
    }
  }

  #warn({ teacher, count, failure }: Scoring): void {
    this.#options.logger.warn(
      { teacher: teacher.name, sequences: count.failed, err: failure },
      "sequences remain without scores; a later export asks for them again",
    );
  }
}

/** Returns true if the session has no tokens in memory that could get scores. */
function isGone({ isLoaded, lifecycle }: Session): boolean {
  return !isLoaded || lifecycle.freed;
}

function listMissing(session: Session, teacher: Teacher): MissingScores[] {
  const pairs = session.tokens.listMissing(teacherChannels(teacher).logprobs.name);
  return Array.from({ length: pairs.length / 2 }, (_, i) => ({
    leaf: pairs[2 * i] ?? 0,
    first: pairs[2 * i + 1] ?? 0,
  }));
}

/** Returns true if the sequences of two interactions begin with the same stored token. */
function isSameTree(session: Session, one: number, other: number): boolean {
  return findRoot(session, one) === findRoot(session, other);
}

function findRoot({ tokens }: Session, index: number): number {
  let root = index;
  for (let at = tokens.interaction(root); at.sharedTokens > 0; at = tokens.interaction(root)) root = at.parent;
  return root;
}

function addScores(session: Session, leaf: number, first: number, scores: TokenScores, teacher: Teacher): void {
  const { logprobs, top } = teacherChannels(teacher);
  session.data.addChannels(leaf, first, [
    { channel: logprobs, values: scores.logprobs },
    ...(top
      ? [
          { channel: top.ids, values: scores.topIds },
          { channel: top.logprobs, values: scores.topLogprobs },
        ]
      : []),
  ]);
}
