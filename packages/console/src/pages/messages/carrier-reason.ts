import type { TFunction } from 'i18next';
import { formatInstant } from '../../parts/marks/format-instant.ts';
import { sentenceReader } from '../../parts/text/read-sentence.ts';

/** Why a carrier was chosen: the server's sentences, which are in English, in the reader's language. Pure. */

const readReason = sentenceReader({
  only: 'the only matching carrier',
  onlyDown: 'the only matching carrier, which is down',
  onlyRefused: 'the only matching carrier, which refused it for now',
  noneNow: 'first by priority, as no matching carrier takes it now',
  first: 'priority {{priority}}, the first of {{all}} matching carriers',
  byWeight: 'priority {{priority}}, by weight among {{some}} of {{all}} matching carriers',
  afterRefused: 'next after {{name}}, which refused it for now',
  afterResting: 'next after {{name}}, which refuses everything for now',
  afterDown: 'next after {{name}}, which has been down since {{since}}',
});

/** @returns in the server's words where the sentence is not known. Times are told in the reader's zone. */
export function carrierReason(t: TFunction, language: string, reason: string): string {
  const known = readReason(reason);
  if (known === undefined) return reason;
  const { since, ...values } = known.parameters;
  const at = since === undefined ? {} : { since: formatInstant(since, language) };
  return t(`messaging.carrierReasons.${known.code}`, { ...values, ...at });
}
