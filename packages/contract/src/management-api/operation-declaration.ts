import Type, { type TObject } from 'typebox';
import { type Operation, pathParameters } from './operation.ts';
import { closed, Id, OrganizationId } from './shared-schemas.ts';

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

type Declared<Parts extends Omit<Operation, 'tag'>> = Parts extends { readonly params: TObject }
  ? Parts
  : [NamesIn<Parts['path']>] extends [never]
    ? Parts
    : Parts & { readonly params: TObject<Record<NamesIn<Parts['path']>, typeof Id>> };

/**
 * Declares the operations of one tag. The types of their parts stay known, so that handlers are checked against them. The
 * parameters of a path are ids unless `params` says otherwise.
 */
export function operationsOf<const Tag extends string>(tag: Tag) {
  return <const Parts extends Omit<Operation, 'tag'>>(parts: Parts): Declared<Parts> & { readonly tag: Tag } => {
    const ids = Object.fromEntries(
      pathParameters(parts.path).map((name) => [name, name === 'organization_id' ? OrganizationId : Id]),
    );
    const params = Object.keys(ids).length === 0 ? {} : { params: Type.Object(ids, closed) };
    return { tag, ...params, ...parts } as unknown as Declared<Parts> & { readonly tag: Tag };
  };
}
