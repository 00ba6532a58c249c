/** Schemas that many operations share. Every object is closed: an unknown field is refused. */
import Type, { type TObject, type TProperties, type TSchema } from 'typebox';

export const closed = { additionalProperties: false } as const;

export const Id = Type.String({
  $id: 'Id',
  pattern: '^[0-9A-Za-z_-]{1,64}$',
  description: 'Opaque. Sorts by creation time.',
});

export const Time = Type.String({ $id: 'Time', format: 'date-time', description: 'RFC 3339, in UTC in answers.' });

export const Name = Type.String({
  $id: 'Name',
  minLength: 1,
  maxLength: 200,
  description: '1 to 200 characters, no control or invisible characters. Surrounding white space is removed.',
});

export const PhoneNumber = Type.String({
  $id: 'PhoneNumber',
  minLength: 1,
  maxLength: 32,
  description: "International with +, or national in the organization's default region.",
});

export const AllowList = Type.Array(Type.String({ maxLength: 64 }), {
  $id: 'AllowList',
  maxItems: 1000,
  description: 'Addresses and CIDR networks, such as 203.0.113.7 and 2001:db8::/32. An empty list admits no address.',
});

export const ClientAddress = Type.Object(
  { address: Type.String({ description: '`unknown` if it could not be determined. No allow-list admits it.' }) },
  { $id: 'ClientAddress', ...closed },
);

/** The code of the sentence that the server says. The console translates by it. */
export const stableCode = (description: string) => Type.String({ pattern: '^[a-z0-9_]+$', description });

export const sentenceParameters = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
  description: "The values in the code's sentence.",
});

const reasonParameters = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
  description:
    "The values in the reason's sentence: names, email addresses, numbers. docs/errors.md lists them. None is a secret.",
});

export type ParametersNamed<Names extends readonly string[]> = Names extends readonly []
  ? Readonly<Record<string, never>>
  : { readonly [Name in Names[number]]: string | number };

export const Fault = Type.Object(
  {
    field: Type.String({ description: 'The place: `files[0]`, `allow[2]`, `certificate`, the name of a file.' }),
    message: Type.String({ description: 'What is wrong and what to do.' }),
    code: Type.Optional(stableCode('Stable. Every fault of certificate material has one.')),
    parameters: Type.Optional(sentenceParameters),
    file: Type.Optional(Type.String({ description: 'The file at fault, by its given name.' })),
  },
  { $id: 'Fault', ...closed },
);
export type Fault = Type.Static<typeof Fault>;

/** RFC 9457, of the type about:blank. */
export const ProblemDocument = Type.Object(
  {
    title: Type.String({ description: 'The reason phrase of the status.' }),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'A sentence for people: what is wrong and what to do.' }),
    code: Type.String({ pattern: '^[a-z0-9_]+$', description: 'Stable. Also in the header Error-Code.' }),
    field: Type.Optional(Type.String({ description: 'The input at fault. Also in the header Error-Field.' })),
    reason: Type.Optional(
      Type.String({
        pattern: '^[a-z_]+$',
        description:
          "Stable: one of the code's reasons. docs/errors.md lists them; the push setting operation lists those of a url. The console translates the detail by it.",
      }),
    ),
    parameters: Type.Optional(reasonParameters),
    faults: Type.Optional(Type.Array(Fault, { minItems: 1, description: 'Every fault of the input.' })),
  },
  { $id: 'Problem', ...closed },
);
export type ProblemDocument = Type.Static<typeof ProblemDocument>;

/** In a path, instead of the id of an organization: in whichever organization it is. */
export const anyOrganization = '-';

export const OrganizationId = Type.String({
  ...Id,
  $id: 'OrganizationId',
  description:
    'An id, or `-`. For a key of an organization `-` is its own organization. For an operator it is the organization of the ' +
    'thing that the path names, or all organizations in the lists that say so.',
});

export const maxPage = 200;
export const standardPage = 50;

const paging = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxPage, default: standardPage, description: 'The most items of one page.' }),
  ),
  cursor: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9_-]{1,512}$', description: 'The `next_cursor` of the page before.' }),
  ),
};

/** The query of a list: `limit`, `cursor` and filters. */
function pageQuery<const Filters extends TProperties>(filters: Filters) {
  return Type.Object({ ...paging, ...filters }, closed);
}

export const searchText = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }));

export interface Paging {
  readonly limit?: number;
  readonly cursor?: string;
}

/** A page: its items, and the cursor of the next page, null at the end. */
function pageOf<const Item extends TSchema>(item: Item) {
  return Type.Object(
    {
      items: Type.Array(item, { maxItems: maxPage }),
      next_cursor: Type.Union([Type.String(), Type.Null()], { description: 'Null: this is the last page.' }),
    },
    closed,
  );
}

/** What an operation says that lists items page by page. @param filters narrow the list, in its query */
export function listOf<const Item extends TSchema, const Filters extends TProperties = Record<never, never>>(
  item: Item,
  filters: Filters = {} as Filters,
) {
  return { query: pageQuery(filters), answer: { status: 200, schema: pageOf(item) }, paged: true } as const;
}

/** For lists that search for rare entries. */
export const partialPage =
  'A request searches a bounded part of the list. A page may have fewer items than requested, even none, although another follows.';

export function nullable<const Schema extends TSchema>(
  schema: Schema,
  options: { readonly description?: string } = {},
) {
  return Type.Union([schema, Type.Null()], options);
}

/** All fields of an object, and some more. */
export function extended<const Base extends TProperties, const More extends TProperties>(
  base: TObject<Base>,
  more: More,
  options: { readonly $id: string; readonly description?: string },
) {
  return Type.Object({ ...base.properties, ...more } as Base & More, { ...closed, ...options });
}
