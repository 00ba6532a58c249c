import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import {
  blockedNumbers,
  blockedWords,
  instanceBlockedNumbers,
  instanceBlockedWords,
} from '@waxwing/contract/management-api/operations/messaging-list-operations.ts';
import { Tabs } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange, usePages } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { PageHead } from '../../parts/text/page-head.tsx';
import { BlockedEntries, ofEntry } from './blocked-entries.tsx';
import { type BlockedFilter, blockedFilter, type NumberFilter, numberQuery } from './number-filter.ts';

/** The blocked numbers and words of an organization, or of the instance. */
export function BlockedPage() {
  const { t } = useTranslation();
  const { organizationId } = useParams({ strict: false });
  const { tab = 'numbers', ...filter } = blockedFilter(useSearch({ strict: false }));
  const navigate = useNavigate();
  const show = (search: BlockedFilter) => void navigate({ to: '.', search, replace: true });
  const isOfInstance = organizationId === undefined;
  return (
    <>
      <PageHead
        title={t(isOfInstance ? 'menu.blockedEverywhere' : 'messaging.blocked.title')}
        lead={t(isOfInstance ? 'instanceBlocked.lead' : 'messaging.blocked.lead')}
      />
      <Tabs
        activeKey={tab}
        onChange={(key) => show(key === 'words' ? { tab: 'words' } : {})}
        items={[
          {
            key: 'numbers',
            label: t('messaging.blocked.tabs.numbers'),
            children: <Numbers organizationId={organizationId} filter={filter} onFilter={show} />,
          },
          {
            key: 'words',
            label: t('messaging.blocked.tabs.words'),
            children: <Words organizationId={organizationId} />,
          },
        ]}
      />
    </>
  );
}

interface ListProps {
  /** Undefined: of the instance. Its operations differ from those of an organization in their paths alone. */
  readonly organizationId: string | undefined;
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
