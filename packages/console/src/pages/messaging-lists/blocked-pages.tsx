import { getRouteApi } from '@tanstack/react-router';
import {
  blockedNumbers,
  blockedWords,
  instanceBlockedNumbers,
  instanceBlockedWords,
} from '@waxwing/contract/management-api/operations/messaging-list-operations.ts';
import { useTranslation } from 'react-i18next';
import { useChange, usePages } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { BlockedEntries, BlockedTabs, ofEntry } from './blocked-entries.tsx';
import { type BlockedFilter, type NumberFilter, numberQuery } from './number-filter.ts';

const ofOrganization = getRouteApi('/frame/o/$organizationId/blocked');
const ofInstance = getRouteApi('/frame/instance/blocked');

export function BlockedPage() {
  const { t } = useTranslation();
  const { organizationId } = ofOrganization.useParams();
  const { tab, ...filter } = ofOrganization.useSearch();
  const navigate = ofOrganization.useNavigate();
  const show = (search: BlockedFilter) => void navigate({ to: '.', search, replace: true });
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

export function InstanceBlockedPage() {
  const { t } = useTranslation();
  const { tab, ...filter } = ofInstance.useSearch();
  const navigate = ofInstance.useNavigate();
  const show = (search: BlockedFilter) => void navigate({ to: '.', search, replace: true });
  return (
    <BlockedTabs
      title={t('menu.blockedEverywhere')}
      lead={t('instanceBlocked.lead')}
      tab={tab}
      onShow={show}
      numbers={<Numbers filter={filter} onFilter={show} />}
      words={<Words />}
    />
  );
}

interface ListProps {
  /** Left out: of the instance. Its operations differ from those of an organization in their paths alone. */
  readonly organizationId?: string;
}

interface NumbersProps extends ListProps {
  readonly filter: NumberFilter;
  readonly onFilter: (filter: NumberFilter) => void;
}

function Numbers({ organizationId, filter, onFilter }: NumbersProps) {
  const isOfInstance = organizationId === undefined;
  const { list, add, remove } = isOfInstance
    ? (instanceBlockedNumbers as unknown as typeof blockedNumbers)
    : blockedNumbers;
  const may = useMay(organizationId);
  const params = { organization_id: organizationId ?? '' };
  const pages = usePages(list, { params, query: numberQuery(filter) });
  const inputOf = (number: string) => ({ params, body: { number } });
  const adding = ofEntry(useChange(add), inputOf);
  const removing = ofEntry(useChange(remove), inputOf);
  return (
    <BlockedEntries
      kind="numbers"
      pages={pages}
      entryOf={({ number }) => number}
      filter={filter}
      onFilter={onFilter}
      adding={may(add) && adding}
      removing={may(remove) && removing}
    />
  );
}

function Words({ organizationId }: ListProps) {
  const isOfInstance = organizationId === undefined;
  const { list, add, remove } = isOfInstance ? (instanceBlockedWords as unknown as typeof blockedWords) : blockedWords;
  const may = useMay(organizationId);
  const params = { organization_id: organizationId ?? '' };
  const pages = usePages(list, { params });
  const inputOf = (word: string) => ({ params, body: { word } });
  const adding = ofEntry(useChange(add), inputOf);
  const removing = ofEntry(useChange(remove), inputOf);
  return (
    <BlockedEntries
      kind="words"
      pages={pages}
      entryOf={({ word }) => word}
      adding={may(add) && adding}
      removing={may(remove) && removing}
    />
  );
}
