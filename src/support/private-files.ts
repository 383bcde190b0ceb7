/** Permissions of new files that hold prompts and answers, and of the folders that are made for them. */
export const permissions = { file: 0o600, folder: 0o700 };

/** From now on, the group of such files can read them. */
export function shareWithGroup(): void {
  permissions.file = 0o640;
  permissions.folder = 0o750;
}
