/** What Python raises while a template runs, in the words of Python where templates are likely to run into it. */
export class RenderError extends Error {
  override readonly name: string = "RenderError";
}
