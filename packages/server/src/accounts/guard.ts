import { type CheckInput, inputCheck } from '@waxwing/contract/management-api/check-input.ts';
import {
  type AnswerOf,
  type BodyOf,
  managementBase,
  type Operation,
  type ParamsOf,
  type QueryOf,
} from '@waxwing/contract/management-api/operation.ts';
import { type Paging, standardPage } from '@waxwing/contract/management-api/shared-schemas.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ChangeFeed } from '../database/change-feed.ts';
import type { Change, ChangedKind } from '../database/change-log.ts';
import { isUnavailable } from '../database/connect.ts';
import { apiHeaders, newRequestId } from '../http/api-headers.ts';
import { type EventSink, openEventStream } from '../http/event-stream.ts';
import { goneSignal } from '../http/gone-signal.ts';
import { type Page, pageAt } from '../http/page-cursor.ts';
import { headerLines } from '../http/raw-headers.ts';
import { requireIfMatch, requireTag, settingsTag } from '../http/settings-tag.ts';
import { canonicalJson, readStrictJson } from '../http/strict-json.ts';
import { typedQuery } from '../http/typed-query.ts';
import { BatcherFull } from '../runtime/batcher.ts';
import type { Clock } from '../runtime/clock.ts';
import { type Fault, Problem } from '../runtime/problem.ts';
import { type Actor, actorKey, auditName } from './actor.ts';
import type { Admission, Admit } from './admit-actor.ts';
import type { IdempotentAnswers, StoredAnswer } from './idempotent-answers.ts';
import { may } from './roles.ts';

/** One request to an operation, checked: the actor may do it, and its input is what the contract describes. */
export interface Call<Of extends Operation> {
  readonly actor: Of['action'] extends 'public' ? Actor | undefined : Actor;
  /** The actor as the audit trail names it; `anonymous` for nobody. */
  readonly by: string;
  readonly params: ParamsOf<Of>;
  readonly query: QueryOf<Of>;
  readonly body: BodyOf<Of>;
  /** Its `Idempotency-Key` as no other actor has it, for what must itself happen once. */
  readonly onceKey: string | undefined;
  /** Of a paged operation. */
  readonly page: Page;
  /** Who sends it, as text; `unknown` when the address could not be determined. */
  readonly address: string;
  readonly userAgent: string;
  /** Name, value, name, value … as received, for cookies. */
  readonly rawHeaders: readonly string[];
  /** Of a stream: what the client saw last. */
  readonly lastEventId: string | undefined;
  /**
   * For an operation with `ifMatch`, to be called in the transaction that changes `current`, before it does.
   * @throws Problem `precondition_failed`
   */
  requireMatch(current: object): void;
  /** Whether the actor may also do this, in the same place: what it shows may depend on that. */
  allows(action: string): boolean;
  /**
   * For an operation that in one case alone needs a sign-in of the last five minutes: of people, as with `fresh: 'people'`.
   * @throws Problem `reauthentication_required`
   */
  requireFresh(): void;
  /** Adds a header to the answer: `set-cookie`, `location`. */
  addHeader(name: string, value: string): void;
  /** Aborted, with a Problem, when the client leaves. For work that waits for its turn. */
  goneSignal(): AbortSignal;
  /** To be called when work begins that has waited: the right may have ended meanwhile. @throws Problem */
  admitAgain(): Promise<void>;
}

export type Handler<Of extends Operation> = (call: Call<Of>) => Promise<AnswerOf<Of>> | AnswerOf<Of>;

/** Feeds a stream until `sink.closed` is aborted. */
export type StreamHandler<Of extends Operation> = (call: Call<Of>, sink: EventSink) => void;

export interface BindingOptions {
  /** The largest body, where neither 16 KiB nor what the instance is set to take is the measure, bytes. */
  readonly bodyBytes?: number;
}

/** An operation with what carries it out. */
export interface Binding {
  readonly operation: Operation;
  readonly options: BindingOptions;
  readonly handle: Handler<Operation> | undefined;
  readonly stream: StreamHandler<Operation> | undefined;
}

export function bind<Of extends Operation>(operation: Of, handle: Handler<Of>, options: BindingOptions = {}): Binding {
  // The call that the frame makes is checked against this very operation.
  return { operation, options, handle: handle as unknown as Handler<Operation>, stream: undefined };
}

export function bindStream<Of extends Operation>(operation: Of, stream: StreamHandler<Of>): Binding {
  return { operation, options: {}, handle: undefined, stream: stream as unknown as StreamHandler<Operation> };
}

/**
 * The thing, when it is the organization's. One of another organization is not there, in the very words for one that does
 * not exist.
 * @param field where its id was given, when that was not the path
 * @throws Problem `not_found`
 */
export async function owned<T extends { readonly organization_id: string }>(
  organizationId: string,
  reading: Promise<T>,
  field?: string,
): Promise<T> {
  const absent = new Problem('not_found', field === undefined ? {} : { field });
  try {
    const thing = await reading;
    if (thing.organization_id === organizationId) return thing;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
  }
  throw absent;
}

export interface GuardNeeds {
  readonly clock: Clock;
  readonly baseUrl: string;
  /** The largest body of an operation whose body may be long, bytes. */
  readonly bodyBytes: number;
  readonly admit: Admit;
  readonly answers: Pick<IdempotentAnswers, 'once'>;
  /** Tells when somebody may no longer read a stream. */
  readonly feed: Pick<ChangeFeed, 'listen'>;
  /** Streams that this node serves at once, and one actor has of them. */
  readonly streams: number;
  readonly streamsPerActor: number;
  /** How often a stream's reader is asked for again, and its connection kept alive, milliseconds. */
  readonly beatMs?: number;
}

const standardBeatMs = 15_000;

/** Registers the operations below `/api/v1`. */
export function registerOperations(app: FastifyInstance, bindings: readonly Binding[], needs: GuardNeeds): void {
  const headers = apiHeaders(needs.baseUrl);
  const streams = createStreams(needs);
  app.addHook('preClose', async () => streams.endAll());
  app.register(async (scope) => {
    readStrictJson(scope, { repeated: true });
    scope.decorateRequest('admission');
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers(headers).header('request-id', newRequestId());
    });
    for (const binding of bindings) register(scope, binding, needs, streams);
  });
}

function register(scope: FastifyInstance, binding: Binding, needs: GuardNeeds, streams: Streams): void {
  const { operation } = binding;
  const checks = inputChecks(operation);
  scope.route({
    method: operation.method,
    url: managementBase + operation.path.replace(/\{([a-z_]+)\}/g, ':$1'),
    bodyLimit: bodyLimit(binding, needs.bodyBytes),
    // Before the body is read: whoever may not cannot make us parse anything.
    onRequest: async (request) => {
      request.setDecorator(
        'admission',
        await orUnavailable(needs.admit(request.raw, operation, checks.params(request))),
      );
    },
    handler: async (request, reply) => {
      const admitAgain = () => orUnavailable(needs.admit(request.raw, operation, checks.params(request), true));
      const callBy = (admission: Admission) =>
        toCall(operation, checks, request, reply, admission, admitAgain, needs.clock.now());
      // Who takes half a minute to send a body may have lost the right meanwhile.
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const admission = isRead ? request.getDecorator<Admission>('admission') : await admitAgain();
      const call = callBy(admission);
      if (binding.stream !== undefined) return streams.open(binding.stream, call, request, reply, admission, operation);
      const callAgain = async () => callBy(await admitAgain());
      const answer = await orUnavailable(answerOf(binding, call, callAgain, request, admission, needs));
      return send(reply, operation, answer);
    },
  });
}

/**
 * A few fields, with room to escape what is in them. Strangers sign in as well, and what they send half of stays in memory until
 * its time is over: 3,000 bodies of 255 KB took the process from 283 MB to 1.0 GB.
 */
const usualBodyBytes = 16_384;

/** The largest body of an operation, bytes. @param long of those whose body may be long */
export function bodyLimit({ operation, options }: Pick<Binding, 'operation' | 'options'>, long: number): number {
  return options.bodyBytes ?? (operation.longBody ? long : usualBodyBytes);
}

interface InputChecks {
  /** @throws Problem `not_found`: what the path names cannot exist. */
  params(request: FastifyRequest): Readonly<Record<string, string>>;
  query(request: FastifyRequest): Record<string, unknown>;
  body(request: FastifyRequest): unknown;
}

function inputChecks(operation: Operation): InputChecks {
  const [params, query, body] = [operation.params, operation.query, operation.body].map((schema) =>
    schema === undefined ? undefined : inputCheck(schema),
  );
  const properties = operation.query?.properties ?? {};
  return {
    params(request) {
      const given = request.params as Record<string, string>;
      if (params !== undefined && params(given).length > 0) throw new Problem('not_found');
      return given;
    },
    query(request) {
      const given = typedQuery(request.raw.url ?? '', properties);
      const [unknown] = Object.keys(given);
      if (query === undefined && unknown !== undefined)
        throw rejected([{ field: unknown, message: 'is not known here' }]);
      return checked(query, given);
    },
    body(request) {
      // A POST without a body says as much as one with an empty object.
      const given = request.body ?? {};
      if (body !== undefined) return checked(body, given);
      if (isEmptyObject(given)) return undefined;
      throw new Problem('invalid_request', { detail: 'This operation takes no body.' });
    },
  };
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

function checked<Value>(check: CheckInput | undefined, value: Value): Value {
  const faults = check?.(value) ?? [];
  if (faults.length > 0) throw rejected(faults);
  return value;
}

function rejected(faults: readonly Fault[]): Problem {
  const [first] = faults;
  const field = first?.field ?? '';
  return new Problem('invalid_parameter', {
    ...(field !== '' && { field }),
    detail: `${field === '' ? 'The body' : field} ${first?.message ?? 'is not accepted'}.`,
    faults: faults.map((fault) => (fault.field === '' ? { ...fault, field: 'body' } : fault)),
  });
}

function toCall(
  operation: Operation,
  checks: InputChecks,
  request: FastifyRequest,
  reply: FastifyReply,
  { actor, address }: Admission,
  admitAgain: () => Promise<Admission>,
  now: number,
): Call<Operation> {
  const { rawHeaders } = request.raw;
  const query = checks.query(request);
  const { limit = standardPage, cursor } = query as Paging;
  const ifMatch = headerLines(rawHeaders, 'if-match').join(',') || undefined;
  if (operation.ifMatch) requireIfMatch(ifMatch);
  const { organization_id: organizationId } = request.params as { readonly organization_id?: string };
  return {
    actor: actor as Actor,
    by: actor === undefined ? 'anonymous' : auditName(actor),
    params: request.params as object,
    query,
    body: checks.body(request) as undefined,
    onceKey: onceKeyOf(operation, request, actor),
    page: pageAt(operation.id, limit, cursor),
    address: address?.text ?? 'unknown',
    userAgent: request.headers['user-agent'] ?? '',
    rawHeaders,
    lastEventId: headerLines(rawHeaders, 'last-event-id')[0],
    requireMatch: (current) => requireTag(ifMatch, settingsTag(current, taggedFields(operation))),
    allows: (action) => may(actor, { action, organizationId }, now).allowed,
    requireFresh() {
      const verdict = may(actor, { action: operation.action, organizationId, fresh: 'people' }, now);
      if (!verdict.allowed) throw new Problem('reauthentication_required');
    },
    addHeader: (name, value) => reply.header(name, value),
    goneSignal: () => goneSignal(request.raw.socket),
    async admitAgain() {
      await admitAgain();
    },
  };
}

function taggedFields({ tagged }: Operation): readonly string[] {
  return Object.keys(tagged?.properties ?? {});
}

async function answerOf(
  { operation, handle }: Binding,
  call: Call<Operation>,
  callAgain: () => Promise<Call<Operation>>,
  request: FastifyRequest,
  admission: Admission,
  needs: GuardNeeds,
): Promise<StoredAnswer & { readonly tag?: string }> {
  const work = async (call: Call<Operation>) => {
    const shown: unknown = await handle?.(call);
    const { status, schema } = operation.answer;
    const tag = operation.tagged && settingsTag(shown as object, taggedFields(operation));
    return { status, body: schema === undefined ? '' : JSON.stringify(shown), ...(tag !== undefined && { tag }) };
  };
  const key = operation.idempotent ? readIdempotencyKey(request) : undefined;
  if (key === undefined || admission.actor === undefined || admission.credential === undefined) return work(call);
  return needs.answers.once(
    {
      actor: actorKey(admission.actor),
      credential: admission.credential,
      key,
      request: canonicalJson([operation.id, request.params, request.body ?? {}]),
    },
    // It may have waited for a twin that then failed.
    async () => work(await callAgain()),
  );
}

function onceKeyOf(operation: Operation, request: FastifyRequest, actor: Actor | undefined): string | undefined {
  const key = operation.idempotent ? readIdempotencyKey(request) : undefined;
  return actor === undefined || key === undefined ? undefined : `${actorKey(actor)} ${key}`;
}

const idempotencyHeader = 'Idempotency-Key';

/** An empty one is not passed over: its sender believes to be safe from doing it twice. */
function readIdempotencyKey(request: FastifyRequest): string | undefined {
  const lines = headerLines(request.raw.rawHeaders, idempotencyHeader.toLowerCase());
  const [key] = lines;
  if (key === undefined) return undefined;
  if (lines.length === 1 && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const detail = `${idempotencyHeader} is given once, with 1 to 255 visible ASCII characters.`;
  throw new Problem('invalid_parameter', { field: idempotencyHeader, detail });
}

function send(reply: FastifyReply, { answer }: Operation, { status, body, tag }: StoredAnswer & { tag?: string }) {
  if (tag !== undefined) reply.header('etag', tag);
  reply.code(status);
  return answer.schema === undefined ? reply.send() : reply.type('application/json').send(Buffer.from(body));
}

async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (isUnavailable(cause) || cause instanceof BatcherFull) {
      throw new Problem('service_unavailable', { cause, retryAfterSeconds: 2 });
    }
    throw cause;
  }
}

interface Streams {
  open(
    tell: StreamHandler<Operation>,
    call: Call<Operation>,
    request: FastifyRequest,
    reply: FastifyReply,
    admission: Admission,
    operation: Operation,
  ): void;
  endAll(): void;
}

/** What may end somebody's right to read. */
const decisive: readonly ChangedKind[] = ['session', 'account', 'management-key', 'organization'];

/** The streams that this node serves: so many at most, and each ends when its reader may read no longer. */
function createStreams({ admit, feed, streams, streamsPerActor, beatMs = standardBeatMs }: GuardNeeds): Streams {
  const open = new Map<EventSink, { readonly reader: string; readonly look: () => Promise<void> }>();

  feed.listen((changes: readonly Change[] | undefined) => {
    if (changes !== undefined && !changes.some(({ kind }) => decisive.includes(kind))) return;
    for (const { look } of open.values()) void look();
  });

  return {
    open(tell, call, request, reply, admission, operation) {
      const reader = admission.actor === undefined ? '' : auditName(admission.actor);
      const own = [...open.values()].filter((each) => each.reader === reader).length;
      if (own >= streamsPerActor) {
        throw new Problem('too_many_requests', {
          detail: 'Too many event streams are open already.',
          retryAfterSeconds: 30,
        });
      }
      if (open.size >= streams) throw new Problem('service_unavailable', { retryAfterSeconds: 30 });
      const headers = reply.getHeaders() as Record<string, string>;
      reply.hijack();
      const sink = openEventStream(reply.raw, headers);
      const look = async (): Promise<void> => {
        try {
          await admit(request.raw, operation, request.params as Record<string, string>, true);
        } catch (error) {
          // While the database is away nobody is told anything, and nobody is sent away either.
          if (error instanceof Problem && error.status < 500) sink.end();
        }
      };
      open.set(sink, { reader, look });
      // What was told since the admission found no stream here.
      void look();
      // Time ends sessions as well, without a change that would tell.
      const beat = setInterval(() => void look().then(() => sink.beat()), beatMs);
      sink.closed.addEventListener('abort', () => {
        clearInterval(beat);
        open.delete(sink);
      });
      if (request.method !== 'HEAD') tell(call, sink);
      else sink.end();
    },
    endAll() {
      for (const sink of open.keys()) sink.end();
    },
  };
}
