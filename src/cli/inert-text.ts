/**
 * Text that agents or files chose, as it is safe to print: characters that a terminal acts on, that are invisible, or that
 * turn the direction of writing become spaces.
 */
export function inertText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ");
}
