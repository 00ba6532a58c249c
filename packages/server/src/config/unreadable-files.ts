import { accessSync, constants } from 'node:fs';
import type { SettingProblem } from './load-settings.ts';
import type { Settings } from './settings.ts';

/** The files that settings name and that this process cannot read, but will need some time after its start. */
export function unreadableFiles({ smtpPasswordFile }: Pick<Settings, 'smtpPasswordFile'>): readonly SettingProblem[] {
  const files = [['WAXWING_SMTP_PASSWORD_FILE', smtpPasswordFile]] as const;
  return files.flatMap(([name, path]) => {
    const code = path === undefined ? undefined : faultOf(path);
    return code === undefined ? [] : [{ name, message: `names ${path}, which cannot be read (${code})` }];
  });
}

function faultOf(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown error';
  }
}
