/** What the management API consists of: each operation says what goes in, what comes out and what it takes to be allowed. */
import type { Static, TObject, TSchema } from 'typebox';

/** All paths of operations begin here. */
export const managementBase = '/api/v1';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a successful answer is. */
export interface Answer {
  readonly status: 200 | 201 | 202 | 204 | 303;
  /** Of the JSON body, or of the data of one event of a stream; none with 204 and 303. */
  readonly schema?: TSchema;
  /** JSON when left out. */
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
  /** What `may` is asked about the actor. `public` needs none: sign-in and the like. */
  readonly action: string;
  /** Every parameter of the path. */
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** It may be long, a list or a text: as long as the instance is set to take. Others have 16 KiB. */
  readonly longBody?: true;
  readonly answer: Answer;
  /** Codes beyond those that every operation may answer. */
  readonly problems?: readonly string[];
  /** The answer shows a secret, once. */
  readonly secret?: true;
  /** Needs a sign-in or re-authentication of the last five minutes. `true`: no key may do it. `people`: a key may. */
  readonly fresh?: true | 'people';
  /** The answer carries an ETag over these fields of it: the settings, without what changes by itself. */
  readonly tagged?: TObject;
  /** Needs `If-Match` with that ETag. */
  readonly ifMatch?: true;
  /** Honours `Idempotency-Key` for a day. */
  readonly idempotent?: true;
  /** `limit` and `cursor` in the query, `items` and `next_cursor` in the answer. */
  readonly paged?: true;
}

/** Declares an operation; the types of its parts stay known, so that a handler is checked against them. */
export function operation<const Parts extends Operation>(parts: Parts): Parts {
  return parts;
}

type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined;

export type ParamsOf<Of extends Operation> = Of extends { readonly params: infer Schema } ? StaticOf<Schema> : object;
export type QueryOf<Of extends Operation> = Of extends { readonly query: infer Schema } ? StaticOf<Schema> : object;
export type BodyOf<Of extends Operation> = Of extends { readonly body: infer Schema } ? StaticOf<Schema> : undefined;
/** The JSON that a handler gives back, or one event of a stream; undefined where there is no body. */
export type AnswerOf<Of extends Operation> = Of['answer'] extends { readonly schema: infer Schema }
  ? Shown<StaticOf<Schema>>
  : undefined;

/** What is only shown may be read-only all through. */
export type Shown<Value> = Value extends object ? { readonly [Name in keyof Value]: Shown<Value[Name]> } : Value;

/** The names in the path's braces, in their order. */
export function pathParameters(path: string): readonly string[] {
  return [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => name);
}
