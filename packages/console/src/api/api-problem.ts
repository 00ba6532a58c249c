import type { Fault, ProblemDocument } from '@waxwing/contract/management-api/shared-schemas.ts';

/** What went wrong with a call: the server's problem document, or one of ours where no server answered. */
export class ApiProblem extends Error {
  /** One of the server's codes, `unreachable`, or `unexpected_answer`. */
  readonly code: string;
  /** The HTTP status. 0 where no server answered, or an answer was successful but cannot be used. */
  readonly status: number;
  readonly field: string | undefined;
  /** Which of a code's reasons, where it has several. */
  readonly reason: string | undefined;
  /** What the sentence of the reason is filled with. */
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly faults: readonly Fault[];
  readonly retryAfterSeconds: number | undefined;
  /** By which the operator finds the request in the log. */
  readonly requestId: string | undefined;

  constructor(
    {
      code,
      status,
      detail,
      field,
      reason,
      parameters = {},
      faults = [],
    }: Partial<ProblemDocument> & { readonly code: string },
    { retryAfterSeconds, requestId }: { retryAfterSeconds?: number | undefined; requestId?: string | undefined } = {},
  ) {
    super(detail ?? code);
    this.name = 'ApiProblem';
    this.code = code;
    this.status = status ?? 0;
    this.field = field;
    this.reason = reason;
    this.parameters = parameters;
    this.faults = faults;
    this.retryAfterSeconds = retryAfterSeconds;
    this.requestId = requestId;
  }
}

/** Whatever was thrown, as a problem that can be shown. */
export function toApiProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  return new ApiProblem({ code: 'unexpected_answer', detail: error instanceof Error ? error.message : String(error) });
}

/** The problem in an answer that was no success. */
export async function readProblem(response: Response): Promise<ApiProblem> {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const facts = {
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
    requestId: response.headers.get('request-id') ?? undefined,
  };
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') === true;
  const document = isProblem
    ? ((await response.json().catch(() => undefined)) as ProblemDocument | undefined)
    : undefined;
  // A proxy in front of the server answers in its own words.
  const { status } = response;
  return new ApiProblem({ status, code: 'unexpected_answer', detail: `${status}`, ...document }, facts);
}
