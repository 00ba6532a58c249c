/** What the pages of pushes are narrowed down to, as it stands in their addresses. Pure. */

import { timeText } from '../../parts/local-time.ts';
import { searchText } from '../../parts/narrowed.ts';

export const pushKinds = ['status', 'uplink'] as const;
export type PushKind = (typeof pushKinds)[number];

export const pushStates = ['waiting', 'delivered', 'failed', 'off'] as const;
export type PushState = (typeof pushStates)[number];

export const pushSpans = ['1h', '6h', '24h'] as const;
export type PushSpan = (typeof pushSpans)[number];

export interface PushFilters {
  /** A phone number or the id of a batch. */
  readonly search?: string;
  readonly kind?: PushKind;
  readonly state?: PushState;
  /** RFC 3339: those accepted then or later. */
  readonly since?: string;
  /** Those accepted before. */
  readonly until?: string;
}

/** Reads an address that people may have changed; what makes no sense is left out. The result is the operation's query, too. */
export function pushFilters(given: Readonly<Record<string, unknown>>): PushFilters {
  const search = searchText(given.search);
  const kind = pushKinds.find((each) => each === given.kind);
  const state = pushStates.find((each) => each === given.state);
  const since = timeText(given.since);
  const until = timeText(given.until);
  return {
    ...(search !== undefined && { search }),
    ...(kind !== undefined && { kind }),
    ...(state !== undefined && { state }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

export interface PushSettingView {
  readonly tab?: 'health';
  readonly span?: PushSpan;
}

export function pushSettingView({ tab, span }: Readonly<Record<string, unknown>>): PushSettingView {
  const known = pushSpans.find((each) => each === span);
  return { ...(tab === 'health' && { tab }), ...(known !== undefined && { span: known }) };
}

/** What the list asks the server for. */
export function pushListInput(organizationId: string, filters: PushFilters) {
  return { params: { organization_id: organizationId }, query: filters };
}
