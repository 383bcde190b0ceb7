/** The title of a channel within a sentence. */
export const titleInSentence = ({ title }: { readonly title: string }): string =>
  title.charAt(0).toLowerCase() + title.slice(1);

/** −0.1234, or −∞ */
export function formatLogprob(logprob: number): string {
  if (logprob === -Infinity) return "−∞";
  return logprob.toFixed(4).replace("-", "−");
}

/** The probability of a log probability: 12.3% */
export const formatProbability = (logprob: number): string => `${(100 * Math.exp(logprob)).toPrecision(3)}%`;

/** +0.25, −1.50, or 0.00 */
export function formatDifference(difference: number): string {
  if (!Number.isFinite(difference)) return difference > 0 ? "+∞" : difference < 0 ? "−∞" : "–";
  const text = difference.toFixed(2).replace(/^-(?=0\.00$)/, "");
  return difference > 0 && text !== "0.00" ? `+${text}` : text.replace("-", "−");
}

/** A number of a channel, with at most four digits unless it is whole. */
export function formatValue(value: number): string {
  if (!Number.isFinite(value)) return formatDifference(value);
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(4))).replace(/-/g, "−");
}
