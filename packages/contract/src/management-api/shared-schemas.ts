/** Schemas that many operations share. Every object is closed: an unknown field is refused, never passed over. */
import Type, { type TObject, type TProperties, type TSchema } from 'typebox';

export const closed = { additionalProperties: false } as const;

export const Id = Type.String({
  $id: 'Id',
  pattern: '^[0-9A-Za-z_-]{1,64}$',
  description: 'Opaque; sorts by the time of making.',
});

export const Time = Type.String({ $id: 'Time', format: 'date-time', description: 'RFC 3339, in UTC in answers.' });

/** The name that people give to something. */
export const Name = Type.String({
  $id: 'Name',
  minLength: 1,
  maxLength: 200,
  description: '1 to 200 characters, no control or invisible characters; white space around it is dropped.',
});

export const PhoneNumber = Type.String({
  $id: 'PhoneNumber',
  minLength: 1,
  maxLength: 32,
  description: 'International with +, or national and read with the default region of the organization.',
});

export const AllowList = Type.Array(Type.String({ maxLength: 64 }), {
  $id: 'AllowList',
  maxItems: 1000,
  description: 'Addresses and CIDR networks, such as 203.0.113.7 and 2001:db8::/32. An empty list admits nobody.',
});

export const ClientAddress = Type.Object(
  { address: Type.String({ description: '`unknown` when it could not be determined: on no allow-list.' }) },
  { $id: 'ClientAddress', ...closed },
);

/** Which of its sentences the server says: by it a console says the same in another language. */
export const stableCode = (description: string) => Type.String({ pattern: '^[a-z0-9_]+$', description });

export const sentenceParameters = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
  description: 'What the sentence of the code is filled with.',
});

const reasonParameters = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
  description:
    'What the sentence of the reason is filled with, where it holds values: a name, a mail address, a number. docs/errors.md lists their names; none is a secret.',
});

/** The parameters of a sentence, by their names. */
export type ParametersNamed<Names extends readonly string[]> = Names extends readonly []
  ? Readonly<Record<string, never>>
  : { readonly [Name in Names[number]]: string | number };

export const Fault = Type.Object(
  {
    field: Type.String({ description: 'Where: `files[0]`, `allow[2]`, `certificate`, the name of a file.' }),
    message: Type.String({ description: 'What is wrong and what to do.' }),
    code: Type.Optional(stableCode('Stable; of certificate material, each fault has one.')),
    parameters: Type.Optional(sentenceParameters),
    file: Type.Optional(Type.String({ description: 'The file it is about, as it was named.' })),
  },
  { $id: 'Fault', ...closed },
);
export type Fault = Type.Static<typeof Fault>;

/** RFC 9457, of the type about:blank. */
export const ProblemDocument = Type.Object(
  {
    title: Type.String({ description: 'The phrase of the status.' }),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'A sentence for people: what is wrong and what to do.' }),
    code: Type.String({ pattern: '^[a-z0-9_]+$', description: 'Stable; also in the header Error-Code.' }),
    field: Type.Optional(Type.String({ description: 'The input at fault; also in the header Error-Field.' })),
    reason: Type.Optional(
      Type.String({
        pattern: '^[a-z_]+$',
        description:
          'Stable: which of its reasons, where a code has several. docs/errors.md lists them by code, those of a URL for pushes its operation. By it a console says the detail in another language.',
      }),
    ),
    parameters: Type.Optional(reasonParameters),
    faults: Type.Optional(Type.Array(Fault, { minItems: 1, description: 'Every fault of the input.' })),
  },
  { $id: 'Problem', ...closed },
);
export type ProblemDocument = Type.Static<typeof ProblemDocument>;

export const inOrganization = Type.Object({ organization_id: Id }, closed);

/** The path's parameters below an organization: `organization_id` and those named. */
export function within<const Names extends string>(...names: readonly Names[]) {
  const properties = Object.fromEntries(['organization_id', ...names].map((name) => [name, Id]));
  return Type.Object(properties as Record<Names | 'organization_id', typeof Id>, closed);
}

export const maxPage = 200;
export const standardPage = 50;

const paging = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxPage, default: standardPage, description: 'Items of one page, at most.' }),
  ),
  cursor: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9_-]{1,512}$', description: 'The `next_cursor` of the page before.' }),
  ),
};

/** The query of a list: `limit`, `cursor` and filters. */
export function pageQuery<const Filters extends TProperties>(filters: Filters) {
  return Type.Object({ ...paging, ...filters }, closed);
}

export interface Paging {
  readonly limit?: number;
  readonly cursor?: string;
}

/** A page: its items, and the cursor of the next page, null at the end. */
export function pageOf<const Item extends TSchema>(item: Item) {
  return Type.Object(
    {
      items: Type.Array(item, { maxItems: maxPage }),
      next_cursor: Type.Union([Type.String(), Type.Null()], { description: 'Null: this is the last page.' }),
    },
    closed,
  );
}

/** Said of a list that looks for what is rare by going through what is not. */
export const partialPage =
  'A request looks at a bounded part of the list: a page may show fewer items than asked for, even none, although another follows.';

export function nullable<const Schema extends TSchema>(
  schema: Schema,
  options: { readonly description?: string } = {},
) {
  return Type.Union([schema, Type.Null()], options);
}

/** All fields of an object, and more. */
export function extended<const Base extends TProperties, const More extends TProperties>(
  base: TObject<Base>,
  more: More,
  options: { readonly $id: string; readonly description?: string },
) {
  return Type.Object({ ...base.properties, ...more } as Base & More, { ...closed, ...options });
}
