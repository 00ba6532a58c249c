import { getRouteApi, useNavigate } from '@tanstack/react-router';
import {
  instanceBlockedNumbers,
  instanceBlockedWords,
} from '@waxwing/contract/management-api/messaging-list-operations.ts';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi, useChange, usePages } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { BlockedEntries, BlockedTabs, ofEntry } from '../messaging-lists/blocked-entries.tsx';
import { type BlockedFilter, type NumberFilter, numberQuery } from '../messaging-lists/number-filter.ts';

const route = getRouteApi('/frame/instance/blocked');

/** What no organization may send, and to whom. */
export function InstanceBlockedPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { tab, ...filter } = route.useSearch();
  const show = (search: BlockedFilter) => void navigate({ to: '/instance/blocked', search, replace: true });
  return (
    <BlockedTabs
      title={t('instanceBlocked.title')}
      lead={t('instanceBlocked.lead')}
      tab={tab}
      onShow={show}
      numbers={<Numbers filter={filter} onFilter={show} />}
      words={<Words />}
    />
  );
}

interface NumbersProps {
  readonly filter: NumberFilter;
  readonly onFilter: (filter: NumberFilter) => void;
}

function Numbers({ filter, onFilter }: NumbersProps) {
  const api = useApi();
  const may = useMay();
  const input = { query: numberQuery(filter) };
  const pages = usePages(instanceBlockedNumbers.list, input);
  const inputOf = (number: string) => ({ body: { number } });
  const adding = ofEntry(useChange(instanceBlockedNumbers.add), inputOf);
  const removing = ofEntry(useChange(instanceBlockedNumbers.remove), inputOf);
  return (
    <BlockedEntries
      kind="numbers"
      pages={pages}
      all={(signal) => everyItem(api, instanceBlockedNumbers.list, input, signal)}
      entryOf={({ number }) => number}
      filter={filter}
      onFilter={onFilter}
      adding={may(instanceBlockedNumbers.add) && adding}
      removing={may(instanceBlockedNumbers.remove) && removing}
    />
  );
}

function Words() {
  const api = useApi();
  const may = useMay();
  const pages = usePages(instanceBlockedWords.list, {});
  const inputOf = (word: string) => ({ body: { word } });
  const adding = ofEntry(useChange(instanceBlockedWords.add), inputOf);
  const removing = ofEntry(useChange(instanceBlockedWords.remove), inputOf);
  return (
    <BlockedEntries
      kind="words"
      pages={pages}
      all={(signal) => everyItem(api, instanceBlockedWords.list, {}, signal)}
      entryOf={({ word }) => word}
      adding={may(instanceBlockedWords.add) && adding}
      removing={may(instanceBlockedWords.remove) && removing}
    />
  );
}
