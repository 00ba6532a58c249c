import { Problem } from '../../runtime/problem.ts';
import { headerLines } from './raw-headers.ts';

export const idempotencyHeader = 'Idempotency-Key';

/**
 * The key of a request, or undefined when it has none.
 * @param rawHeaders as `IncomingMessage.rawHeaders`
 * @throws Problem `invalid_parameter` for one that is not 1 to 255 visible ASCII characters, or given twice. An empty one
 *   is refused as well: its sender relies on the protection.
 */
export function readIdempotencyKey(rawHeaders: readonly string[]): string | undefined {
  const lines = headerLines(rawHeaders, 'idempotency-key');
  const [key] = lines;
  if (key === undefined) return undefined;
  if (lines.length === 1 && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const detail = `${idempotencyHeader} is given once, with 1 to 255 visible ASCII characters.`;
  throw new Problem('invalid_parameter', { field: idempotencyHeader, detail });
}
