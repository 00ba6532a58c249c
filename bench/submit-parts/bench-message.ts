export const benchAccount = { id: 'bench', password: 'sesame' };
/** Of GSM's alphabet: one segment, an octet each. */
export const contentOfBench = 'Your code is 123456';
/** Of numbers in E.164 without `+`; eight digits follow. */
export const numberPrefix = '86138';

export function numberOfEvent(event: number): string {
  return `${numberPrefix}${String(event).padStart(8, '0')}`;
}
