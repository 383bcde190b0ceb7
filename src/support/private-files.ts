/** Permissions of new files with prompts and answers, and of folders that are made for them. */
export const permissions = { file: 0o600, folder: 0o700 };

/** Lets the group read such files from now on. */
export function shareWithGroup(): void {
  permissions.file = 0o640;
  permissions.folder = 0o750;
}
