import type { ChannelSpec } from "../../native/contract.js";
import type { Session } from "../session.js";

/** The properties of a teacher that its tensors depend on. */
export interface TeacherFields {
  readonly name: string;
  /** Number of its most probable tokens that are recorded for each position. */
  readonly topLogprobs: number;
}

/** The channels of a teacher's scores. The item of a token is a score given the tokens before it. */
export interface TeacherChannels {
  /** The log probability of the token. */
  readonly logprobs: ChannelSpec;
  /** The teacher's most probable tokens; undefined if none are recorded. */
  readonly top: { readonly ids: ChannelSpec; readonly logprobs: ChannelSpec } | undefined;
}

export function teacherChannels({ name, topLogprobs }: TeacherFields): TeacherChannels {
  const channel = (suffix: string, dtype: ChannelSpec["dtype"], shape: number[]): ChannelSpec => ({
    name: `teacher_${name}_${suffix}`,
    dtype,
    shape,
    of: "sequence",
  });
  return {
    logprobs: channel("logprobs", "F32", []),
    top:
      topLogprobs === 0
        ? undefined
        : { ids: channel("top_ids", "I32", [topLogprobs]), logprobs: channel("top_logprobs", "F32", [topLogprobs]) },
  };
}

/** A teacher in the recorded configuration of a server; see `BatchOrigin.config`. */
interface RecordedTeacher {
  readonly name: string;
  readonly top_k: number;
}

/** Returns the teachers of the servers that recorded sessions, each once. */
export function listTeachers(origin: { readonly config: unknown } | undefined): TeacherFields[] {
  const configs = [origin?.config ?? []].flat() as { readonly teachers?: readonly RecordedTeacher[] }[];
  const teachers = configs.flatMap((config) => config.teachers ?? []);
  return [...new Map(teachers.map(({ name, top_k }) => [name, { name, topLogprobs: top_k }])).values()];
}

/**
 * Gives a session the channels of teachers, so that a batch has their tensors although no token was scored.
 *
 * @throws `ERR_INVALID_ARG` if a recorded channel has one of their names
 */
export function declareTeachers(session: Session, teachers: readonly TeacherFields[]): void {
  for (const teacher of teachers) {
    const { logprobs, top } = teacherChannels(teacher);
    for (const channel of [logprobs, ...(top ? [top.ids, top.logprobs] : [])]) session.tokens.declareChannel(channel);
  }
}

/** Returns true unless the start of the session excluded the teacher. */
export function isScoredBy({ withoutChannels = [] }: Session, { name }: Pick<TeacherFields, "name">): boolean {
  return !withoutChannels.includes(`teacher_${name}`);
}

/** Returns the number of tokens that lack a score of a teacher; 0 if the session excludes the teacher. */
export function countUnscored(session: Session, teacher: TeacherFields): number {
  if (!isScoredBy(session, teacher)) return 0;
  return session.tokens.countMissing(teacherChannels(teacher).logprobs.name);
}
