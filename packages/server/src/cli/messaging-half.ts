import type { Application } from '../compose.ts';
import { Problem } from '../runtime/problem.ts';

/**
 * For what only a server with the message gateway does: without it the command would answer well and nothing would
 * follow. Keys, settings and lists can be prepared and looked at all the same.
 * @throws Problem `conflict`, naming `WAXWING_MODULES`
 */
export function requireMessaging({ settings }: Pick<Application, 'settings'>): void {
  if (settings.modules.includes('messaging')) return;
  throw new Problem('conflict', {
    field: 'WAXWING_MODULES',
    detail:
      'The message gateway is switched off here, so nothing would be sent. Add messaging to WAXWING_MODULES, and restart the server.',
  });
}

/** For the notes of such a command. */
export const needsMessaging = 'Refused where WAXWING_MODULES leaves the message gateway out: nothing would be sent.';
