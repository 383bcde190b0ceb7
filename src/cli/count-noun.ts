/** Returns a number with its noun, for example `1 session` or `3 sessions`. */
export function countNoun(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}
