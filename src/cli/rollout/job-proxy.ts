/** The proxy that a job runs against. */
export interface JobProxy extends AsyncDisposable {
  readonly url: string;
  readonly adminKey: string;
}
