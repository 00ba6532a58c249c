import { timeText } from '../../parts/forms/local-time.ts';
import { filtersFrom, oneOf, searchText } from '../../parts/tables/list-filters.ts';

export const pushKinds = ['status', 'uplink'] as const;
export type PushKind = (typeof pushKinds)[number];

export const pushStates = ['waiting', 'delivered', 'failed', 'off'] as const;

export const pushSpans = ['1h', '6h', '24h'] as const;
export type PushSpan = (typeof pushSpans)[number];

export type PushFilters = ReturnType<typeof pushFilters>;

/** The filters of the list of pushes, which are the operation's query as well. Pure. */
export const pushFilters = filtersFrom({
  search: searchText,
  kind: oneOf(pushKinds),
  state: oneOf(pushStates),
  since: timeText,
  until: timeText,
});

export const pushSettingView = filtersFrom({ tab: oneOf(['health']), span: oneOf(pushSpans) });

export function pushListInput(organizationId: string, filters: PushFilters) {
  return { params: { organization_id: organizationId }, query: filters };
}
