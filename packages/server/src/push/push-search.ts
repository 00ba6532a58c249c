import type { StatusPush, UplinkPush } from '@waxwing/contract/push-request.ts';

/** No phone number has more figures than this (E.164), and no way of writing one has letters. */
const mostFigures = 15;

/**
 * Whether a push is of this batch, or of a phone number with these figures, however both are written. Pure.
 * @param search the id of a batch, or a number or a part of it
 */
export function pushSearch(search: string): (row: { readonly payload: string }) => boolean {
  const figures = search.replace(/\D/g, '');
  if (/[a-z]/i.test(search) || figures.length > mostFigures) {
    return ({ payload }) => {
      const parameters = JSON.parse(payload) as StatusPush | UplinkPush;
      return 'batch_id' in parameters && parameters.batch_id === search;
    };
  }
  return ({ payload }) => {
    const { mobile } = JSON.parse(payload) as StatusPush | UplinkPush;
    return figures !== '' && mobile.replace(/\D/g, '').includes(figures);
  };
}
