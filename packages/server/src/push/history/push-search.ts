import { readStoredContent } from '../outbox/push-event.ts';

/** No phone number has more figures than this (E.164), and no way of writing one has letters. */
const mostFigures = 15;

/**
 * Whether a push is of this batch, or of a phone number with these figures, however both are written. Pure.
 * @param search the id of a batch, or a number or a part of it
 */
export function pushSearch(search: string): (row: { readonly payload: string }) => boolean {
  const figures = search.replace(/\D/g, '');
  const parameterOf = (payload: string, name: string): string | undefined => {
    const content = readStoredContent(payload);
    return 'query' in content ? content.query[name] : undefined;
  };
  if (/[a-z]/i.test(search) || figures.length > mostFigures) {
    return ({ payload }) => parameterOf(payload, 'batch_id') === search;
  }
  return ({ payload }) =>
    figures !== '' && (parameterOf(payload, 'mobile')?.replace(/\D/g, '').includes(figures) ?? false);
}
