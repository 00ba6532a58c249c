import Type, { type Static } from 'typebox';
import { Check } from 'typebox/value';
import type { AcmeFailure } from './acme-port.ts';

const Identifier = Type.Object({ type: Type.String(), value: Type.String() });
/** A problem document (RFC 7807), with what RFC 8555 §6.7.1 adds. */
export const ProblemDocument = Type.Object({
  type: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  detail: Type.Optional(Type.String()),
  subproblems: Type.Optional(
    Type.Array(
      Type.Object({
        type: Type.Optional(Type.String()),
        detail: Type.Optional(Type.String()),
        identifier: Type.Optional(Identifier),
      }),
    ),
  ),
});

const prefix = 'urn:ietf:params:acme:error:';
const mostWords = 1000;
const mostSubproblems = 100;

/** What a second try may overcome. `connection`, `dns` and `tls` are what the authority met on its way to a proof. */
const temporaryTypes: ReadonlySet<string> = new Set([
  'badNonce',
  'connection',
  'dns',
  'orderNotReady',
  'rateLimited',
  'serverInternal',
  'tls',
]);

/** A problem as part of an order or a challenge, or as the body of an answer. */
export function failureOfProblem(problem: Static<typeof ProblemDocument>): AcmeFailure {
  const type = typeOf(problem.type);
  return {
    kind: 'failed',
    type,
    words: printable(problem.detail ?? problem.title ?? 'The authority gave no reason.'),
    temporary: type !== null && temporaryTypes.has(type),
    retryAfterMs: null,
    subproblems: (problem.subproblems ?? []).slice(0, mostSubproblems).map((each) => ({
      identifier: printable(each.identifier?.value ?? ''),
      type: typeOf(each.type) ?? '',
      words: printable(each.detail ?? ''),
    })),
  };
}

/** An answer whose status says that nothing was done. What stands before the authority may refuse as well, in its own way. */
export function failureOfAnswer(status: number, body: unknown, retryAfterMs: number | null): AcmeFailure {
  const isLater = status >= 500 || status === 429 || status === 408;
  const failure = Check(ProblemDocument, body)
    ? failureOfProblem(body)
    : { ...noAnswer(`The authority answered with status ${status} and gave no reason.`), temporary: false };
  const type = failure.type ?? (isLater ? null : 'refusedWithoutType');
  return { ...failure, type, temporary: failure.temporary || isLater, retryAfterMs };
}

/** Nothing came that tells what the authority did. It may be otherwise the next time. */
export function noAnswer(words: string): AcmeFailure {
  return { kind: 'failed', type: null, words: printable(words), temporary: true, retryAfterMs: null, subproblems: [] };
}

function typeOf(text: string | undefined): string | null {
  return text?.startsWith(prefix) ? text.slice(prefix.length, prefix.length + 100) : null;
}

/** Words of strangers end up in terminals, logs and tables. */
function printable(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, mostWords)
    .trim();
}
