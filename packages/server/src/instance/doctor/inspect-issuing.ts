import { listFailingRequests } from '../../certificates/acme/requests/failing-requests.ts';
import { countRequests } from '../../certificates/acme/requests/request-store.ts';
import type { Application } from '../../compose.ts';
import { type Check, firstOf, ok, someOf, warn } from './doctor-check.ts';

const name = 'issuing';

/** Whether the latest orders succeeded. */
export async function inspectIssuing({ database }: Pick<Application, 'database'>): Promise<Check> {
  const failing = (await listFailingRequests(database)).map(({ id, name }) => `${name} (${id})`);
  if (failing.length > 0) {
    const parameters = { count: failing.length, certificates: firstOf(failing) };
    const message = `Certificates whose latest order failed (${failing.length}): ${someOf(failing)}.`;
    const remedy =
      'See the words of the authority by "waxwing certificate progress". When it is mended, "waxwing certificate request-again" goes on.';
    return warn(name, 'orders_failing', parameters, message, remedy);
  }
  const count = await countRequests(database.db);
  const message = `Certificates that are issued here, of which no latest order failed: ${count}.`;
  return ok(name, 'orders_succeeding', { count }, message);
}
