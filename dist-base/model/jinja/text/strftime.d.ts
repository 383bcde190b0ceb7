/**
 * C's `strftime` in local time and always in the C locale, without the fields of ISO weeks.
 *
 * @throws RenderError if a field is not supported: its spelling in a prompt would be wrong without notice
 */
export declare function strftime(format: string, date: Date): string;
