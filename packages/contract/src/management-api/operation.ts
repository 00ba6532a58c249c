/** The management API as data: each operation says its input, its output and the right that it needs. */
import type { Static, TObject, TSchema } from 'typebox';

/** All paths of operations begin here. */
export const managementBase = '/api/v1';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A successful answer. */
export interface Answer {
  readonly status: 200 | 201 | 202 | 204 | 303;
  /** The schema of the JSON body, or of one event's data in a stream. None with 204 and 303. */
  readonly schema?: TSchema;
  /** JSON if absent. */
  readonly type?: 'text/event-stream';
}

export interface Operation {
  /** Unique, in camel case: the operationId. */
  readonly id: string;
  readonly method: Method;
  /** Below `/api/v1`, with `{parameters}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** The action whose least role decides. `public` needs no credential. */
  readonly action: string;
  /** Every parameter of the path. `operationsOf` derives it from the path. */
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** The body may be as long as the instance's setting allows. Bodies of other operations may have 16 KiB. */
  readonly longBody?: true;
  readonly answer: Answer;
  /** Codes beyond those that every operation may answer. */
  readonly problems?: readonly string[];
  /** The answer shows a secret, once. */
  readonly secret?: true;
  /**
   * Needs a sign-in or a confirmed identity of the last five minutes. `true`: no key may do it. `people`: a key may.
   */
  readonly fresh?: true | 'people';
  /** The answer carries an ETag over these fields: the settings, without values that change by themselves. */
  readonly tagged?: TObject;
  /** Needs `If-Match` with that ETag. */
  readonly ifMatch?: true;
  /** Honours `Idempotency-Key` for a day. */
  readonly idempotent?: true;
  /** Of a list: for an operator `-` in place of the organization means all organizations. */
  readonly everywhere?: true;
  /** `limit` and `cursor` in the query, `items` and `next_cursor` in the answer. */
  readonly paged?: true;
}

type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined;

export type ParamsOf<Of extends Operation> = Of extends { readonly params: infer Schema } ? StaticOf<Schema> : object;
export type QueryOf<Of extends Operation> = Of extends { readonly query: infer Schema } ? StaticOf<Schema> : object;
export type BodyOf<Of extends Operation> = Of extends { readonly body: infer Schema } ? StaticOf<Schema> : undefined;
/** The JSON that a handler returns, or one event of a stream. Undefined where there is no body. */
export type AnswerOf<Of extends Operation> = Of['answer'] extends { readonly schema: infer Schema }
  ? Shown<StaticOf<Schema>>
  : undefined;

/** A value that callers only read. */
export type Shown<Value> = Value extends object ? { readonly [Name in keyof Value]: Shown<Value[Name]> } : Value;

/** The names in the path's braces, in order. */
export function pathParameters(path: string): readonly string[] {
  return [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => name);
}
