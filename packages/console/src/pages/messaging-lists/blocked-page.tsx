import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { blockedNumbers, blockedWords } from '@waxwing/contract/management-api/messaging-list-operations.ts';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi, useChange, usePages } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { BlockedEntries, BlockedTabs, ofEntry } from './blocked-entries.tsx';
import { type BlockedFilter, type NumberFilter, numberQuery } from './number-filter.ts';

const route = getRouteApi('/frame/o/$organizationId/blocked');

/** What an organization never sends. */
export function BlockedPage() {
  const { t } = useTranslation();
  const { organizationId } = route.useParams();
  const { tab, ...filter } = route.useSearch();
  const navigate = useNavigate();
  const show = (search: BlockedFilter) =>
    void navigate({ to: '/o/$organizationId/blocked', params: { organizationId }, search, replace: true });
  return (
    <BlockedTabs
      title={t('messaging.blocked.title')}
      lead={t('messaging.blocked.lead')}
      tab={tab}
      onShow={show}
      numbers={<Numbers organizationId={organizationId} filter={filter} onFilter={show} />}
      words={<Words organizationId={organizationId} />}
    />
  );
}

interface NumbersProps {
  readonly organizationId: string;
  readonly filter: NumberFilter;
  readonly onFilter: (filter: NumberFilter) => void;
}

function Numbers({ organizationId, filter, onFilter }: NumbersProps) {
  const api = useApi();
  const may = useMay(organizationId);
  const params = { organization_id: organizationId };
  const input = { params, query: numberQuery(filter) };
  const pages = usePages(blockedNumbers.list, input);
  const inputOf = (number: string) => ({ params, body: { number } });
  const adding = ofEntry(useChange(blockedNumbers.add), inputOf);
  const removing = ofEntry(useChange(blockedNumbers.remove), inputOf);
  return (
    <BlockedEntries
      kind="numbers"
      pages={pages}
      all={(signal) => everyItem(api, blockedNumbers.list, input, signal)}
      entryOf={({ number }) => number}
      filter={filter}
      onFilter={onFilter}
      adding={may(blockedNumbers.add) && adding}
      removing={may(blockedNumbers.remove) && removing}
    />
  );
}

function Words({ organizationId }: { readonly organizationId: string }) {
  const api = useApi();
  const may = useMay(organizationId);
  const params = { organization_id: organizationId };
  const pages = usePages(blockedWords.list, { params });
  const inputOf = (word: string) => ({ params, body: { word } });
  const adding = ofEntry(useChange(blockedWords.add), inputOf);
  const removing = ofEntry(useChange(blockedWords.remove), inputOf);
  return (
    <BlockedEntries
      kind="words"
      pages={pages}
      all={(signal) => everyItem(api, blockedWords.list, { params }, signal)}
      entryOf={({ word }) => word}
      adding={may(blockedWords.add) && adding}
      removing={may(blockedWords.remove) && removing}
    />
  );
}
