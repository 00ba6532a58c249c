import { type CheckInput, inputCheck } from '@waxwing/contract/management-api/check-input.ts';
import {
  type AnswerOf,
  type BodyOf,
  managementBase,
  type Operation,
  type ParamsOf,
  type QueryOf,
} from '@waxwing/contract/management-api/operation.ts';
import { anyOrganization, type Paging, standardPage } from '@waxwing/contract/management-api/shared-schemas.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ChangeFeed } from '../database/change-feed.ts';
import type { Change, ChangedKind } from '../database/change-log.ts';
import { apiHeaders, newRequestId } from '../http/api-headers.ts';
import { readIdempotencyKey } from '../http/request/idempotency-key.ts';
import { headerLines } from '../http/request/raw-headers.ts';
import type { Clock } from '../runtime/clock.ts';
import { type Fault, Problem } from '../runtime/problem.ts';
import { orUnavailable } from '../runtime/unavailable.ts';
import { type Actor, actorKey, auditName } from './actor.ts';
import type { Admission, Admit } from './admit-actor.ts';
import { disconnectSignal } from './client-disconnect.ts';
import { type EventSink, openEventStream } from './event-stream.ts';
import type { IdempotentAnswers, StoredAnswer } from './idempotent-answers.ts';
import { type Page, pageAt } from './page-cursor.ts';
import { may } from './roles.ts';
import { requireIfMatch, requireTag, settingsTag } from './settings-tag.ts';
import { canonicalJson, readStrictJson } from './strict-json.ts';
import { typedQuery } from './typed-query.ts';

/** A checked request: the actor may do it, and its input is as the contract describes. */
export interface Call<Of extends Operation> {
  readonly actor: Of['action'] extends 'public' ? Actor | undefined : Actor;
  /** The actor's name in the audit trail; `anonymous` without one. */
  readonly by: string;
  readonly params: ParamsOf<Of>;
  readonly query: QueryOf<Of>;
  readonly body: BodyOf<Of>;
  /** Its `Idempotency-Key`, unique to the actor, for effects that must happen once. */
  readonly onceKey: string | undefined;
  /** Of a paged operation. */
  readonly page: Page;
  /** The client's address; `unknown` if it could not be determined. */
  readonly address: string;
  readonly userAgent: string;
  /** Name, value, name, value … as received, for cookies. */
  readonly rawHeaders: readonly string[];
  /** Of a stream: the client's last event. */
  readonly lastEventId: string | undefined;
  /** With `ifMatch`: call it in the transaction, before it changes `current`. @throws Problem `precondition_failed` */
  requireMatch(current: object): void;
  /** Whether the actor may do this as well, in the same organization. */
  allows(action: string): boolean;
  /** As `fresh: 'people'`, for operations that only sometimes need it. @throws Problem `reauthentication_required` */
  requireFresh(): void;
  /** Adds a header to the answer: `set-cookie`, `location`. */
  addHeader(name: string, value: string): void;
  /** Aborted, with a Problem, when the client disconnects. */
  disconnectSignal(): AbortSignal;
  /** Call it when queued work begins: the right may have ended meanwhile. @throws Problem */
  admitAgain(): Promise<void>;
}

export type Handler<Of extends Operation> = (call: Call<Of>) => Promise<AnswerOf<Of>> | AnswerOf<Of>;

/** Feeds a stream until `sink.closed` is aborted. */
type StreamHandler<Of extends Operation> = (call: Call<Of>, sink: EventSink) => void;

interface BindingOptions {
  /** The largest body if neither 16 KiB nor the setting for long bodies applies, bytes. */
  readonly bodyBytes?: number;
}

/** An operation and its handler. */
export interface Binding {
  readonly operation: Operation;
  readonly options: BindingOptions;
  readonly handle: Handler<Operation> | undefined;
  readonly stream: StreamHandler<Operation> | undefined;
}

export function bind<Of extends Operation>(operation: Of, handle: Handler<Of>, options: BindingOptions = {}): Binding {
  // The frame checks the call against this very operation.
  return { operation, options, handle: handle as unknown as Handler<Operation>, stream: undefined };
}

export function bindStream<Of extends Operation>(operation: Of, stream: StreamHandler<Of>): Binding {
  return { operation, options: {}, handle: undefined, stream: stream as unknown as StreamHandler<Operation> };
}

/** Whose list is asked for; undefined: that of all organizations. */
export function organizationOf(params: { readonly organization_id: string }): string | undefined {
  return params.organization_id === anyOrganization ? undefined : params.organization_id;
}

/** The organization in a path, or an empty text for things of the instance. */
export function ownerOf({ organization_id = '' }: { readonly organization_id?: string }): string {
  return organization_id;
}

/**
 * A foreign thing is answered as one that does not exist.
 * @param organizationId empty for things of the instance
 * @param field where its id was, if not in the path
 */
export async function owned<T extends { readonly organization_id: string | null }>(
  organizationId: string,
  reading: Promise<T>,
  field?: string,
): Promise<T> {
  const absent = new Problem('not_found', field === undefined ? {} : { field });
  try {
    const thing = await reading;
    if ((thing.organization_id ?? '') === organizationId) return thing;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
  }
  throw absent;
}

interface GuardNeeds {
  readonly clock: Clock;
  readonly baseUrl: string;
  /** The largest long body, bytes. */
  readonly bodyBytes: number;
  readonly admit: Admit;
  readonly answers: Pick<IdempotentAnswers, 'once'>;
  /** Changes that may end a reader's right. */
  readonly feed: Pick<ChangeFeed, 'listen'>;
  /** The most streams on this server, and of one actor. */
  readonly streams: number;
  readonly streamsPerActor: number;
  /** How often a stream's reader is checked and its connection kept alive, milliseconds. */
  readonly beatMs?: number;
}

const standardBeatMs = 15_000;

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
    // Before the body is read: a caller without the right cannot make the server parse anything.
    onRequest: async (request) => {
      request.setDecorator(
        'admission',
        await orUnavailable(needs.admit(request.raw, operation, checks.params(request)), retryAfterSeconds),
      );
    },
    handler: async (request, reply) => {
      const admitAgain = () =>
        orUnavailable(needs.admit(request.raw, operation, checks.params(request), true), retryAfterSeconds);
      const callBy = (admission: Admission) =>
        toCall(operation, checks, request, reply, admission, admitAgain, needs.clock.now());
      // The right may have ended while the body was sent.
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const admission = isRead ? request.getDecorator<Admission>('admission') : await admitAgain();
      const call = callBy(admission);
      if (binding.stream !== undefined) return streams.open(binding.stream, call, request, reply, admission, operation);
      const callAgain = async () => callBy(await admitAgain());
      const answer = await orUnavailable(
        answerOf(binding, call, callAgain, request, admission, needs),
        retryAfterSeconds,
      );
      return send(reply, operation, answer);
    },
  });
}

/** Room for a few fields. Strangers may sign in, and unfinished bodies stay in memory until their time limit. */
const usualBodyBytes = 16_384;

/** @param long the bytes of operations with long bodies */
export function bodyLimit({ operation, options }: Pick<Binding, 'operation' | 'options'>, long: number): number {
  return options.bodyBytes ?? (operation.longBody ? long : usualBodyBytes);
}

interface InputChecks {
  /** @throws Problem `not_found`: nothing can have such an id */
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
      // A POST without a body counts as one with an empty object.
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
  { actor, address, params }: Admission,
  admitAgain: () => Promise<Admission>,
  now: number,
): Call<Operation> {
  const { rawHeaders } = request.raw;
  const query = checks.query(request);
  const { limit = standardPage, cursor } = query as Paging;
  const ifMatch = headerLines(rawHeaders, 'if-match').join(',') || undefined;
  if (operation.ifMatch) requireIfMatch(ifMatch);
  const { organization_id: organizationId } = params;
  return {
    actor: actor as Actor,
    by: actor === undefined ? 'anonymous' : auditName(actor),
    params,
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
    disconnectSignal: () => disconnectSignal(request.raw.socket),
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
  const key = operation.idempotent ? readIdempotencyKey(request.raw.rawHeaders) : undefined;
  if (key === undefined || admission.actor === undefined || admission.credential === undefined) return work(call);
  return needs.answers.once(
    {
      actor: actorKey(admission.actor),
      credential: admission.credential,
      key,
      request: canonicalJson([operation.id, request.params, request.body ?? {}]),
    },
    // The right may have ended while a twin ran.
    async () => work(await callAgain()),
  );
}

function onceKeyOf(operation: Operation, request: FastifyRequest, actor: Actor | undefined): string | undefined {
  const key = operation.idempotent ? readIdempotencyKey(request.raw.rawHeaders) : undefined;
  return actor === undefined || key === undefined ? undefined : `${actorKey(actor)} ${key}`;
}

function send(reply: FastifyReply, { answer }: Operation, { status, body, tag }: StoredAnswer & { tag?: string }) {
  if (tag !== undefined) reply.header('etag', tag);
  reply.code(status);
  return answer.schema === undefined ? reply.send() : reply.type('application/json').send(Buffer.from(body));
}

/** This API names one time for all causes of a 503. */
const retryAfterSeconds = 2;

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

/** Changes that may end a reader's right. */
const decisive: readonly ChangedKind[] = ['session', 'account', 'management-key', 'organization'];

/** The streams of this server, up to a limit. Each ends when its reader loses the right. */
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
          // While the database is away, streams stay open.
          if (error instanceof Problem && error.status < 500) sink.end();
        }
      };
      open.set(sink, { reader, look });
      // A change after the admission found no stream yet.
      void look();
      // Sessions also end by time, without a change.
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
