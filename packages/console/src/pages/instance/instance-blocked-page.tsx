import { getRouteApi, useNavigate } from '@tanstack/react-router';
import {
  instanceBlockedNumbers,
  instanceBlockedWords,
} from '@waxwing/contract/management-api/messaging-list-operations.ts';
import { Tabs } from 'antd';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi, useChange, usePages } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { ListedValues } from '../../parts/listed-values.tsx';
import { PageHead } from '../../parts/page-head.tsx';

const route = getRouteApi('/frame/instance/blocked');

/** What no organization may send, and to whom. */
export function InstanceBlockedPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { tab = 'numbers' } = route.useSearch();
  return (
    <>
      <PageHead title={t('instanceBlocked.title')} lead={t('instanceBlocked.lead')} actions={<Export tab={tab} />} />
      <Tabs
        activeKey={tab}
        onChange={(key) =>
          void navigate({ to: '/instance/blocked', search: { tab: key as typeof tab }, replace: true })
        }
        items={[
          { key: 'numbers', label: t('instanceBlocked.numbers.tab'), children: <Numbers /> },
          { key: 'words', label: t('instanceBlocked.words.tab'), children: <Words /> },
        ]}
      />
    </>
  );
}

function Export({ tab }: { readonly tab: 'numbers' | 'words' }) {
  const { t } = useTranslation();
  const api = useApi();
  const created = t('deployments.columns.created');
  return tab === 'numbers' ? (
    <ExportCsv<{ readonly number: string; readonly created_at: string }>
      fileName="blocked-numbers"
      items={() => everyItem(api, instanceBlockedNumbers.list, {})}
      columns={[
        [t('instanceBlocked.numbers.column'), ({ number }) => number],
        [created, ({ created_at }) => created_at],
      ]}
    />
  ) : (
    <ExportCsv<{ readonly word: string; readonly created_at: string }>
      fileName="blocked-words"
      items={() => everyItem(api, instanceBlockedWords.list, {})}
      columns={[
        [t('instanceBlocked.words.column'), ({ word }) => word],
        [created, ({ created_at }) => created_at],
      ]}
    />
  );
}

function Numbers() {
  const { t } = useTranslation();
  const may = useMay();
  const pages = usePages(instanceBlockedNumbers.list, {});
  const adding = useChange(instanceBlockedNumbers.add);
  const removing = useChange(instanceBlockedNumbers.remove);
  return (
    <ListedValues
      title={t('instanceBlocked.numbers.tab')}
      column={t('instanceBlocked.numbers.column')}
      pages={{ ...pages, items: pages.items?.map(({ number, ...rest }) => ({ ...rest, value: number })) }}
      none={t('instanceBlocked.numbers.none')}
      noneLead={t('instanceBlocked.numbers.noneLead')}
      {...(may(instanceBlockedNumbers.add) && {
        adding: {
          error: adding.error,
          isPending: adding.isPending,
          label: t('instanceBlocked.numbers.add'),
          hint: t('instanceBlocked.numbers.hint'),
          add: (number, onDone) => adding.mutate({ body: { number } }, { onSuccess: onDone }),
        },
      })}
      {...(may(instanceBlockedNumbers.remove) && {
        removing: {
          error: removing.error,
          isPending: removing.isPending,
          remove: (number) => removing.mutate({ body: { number } }),
        },
      })}
    />
  );
}

function Words() {
  const { t } = useTranslation();
  const may = useMay();
  const pages = usePages(instanceBlockedWords.list, {});
  const adding = useChange(instanceBlockedWords.add);
  const removing = useChange(instanceBlockedWords.remove);
  return (
    <ListedValues
      title={t('instanceBlocked.words.tab')}
      column={t('instanceBlocked.words.column')}
      pages={{ ...pages, items: pages.items?.map(({ word, ...rest }) => ({ ...rest, value: word })) }}
      none={t('instanceBlocked.words.none')}
      noneLead={t('instanceBlocked.words.noneLead')}
      {...(may(instanceBlockedWords.add) && {
        adding: {
          error: adding.error,
          isPending: adding.isPending,
          label: t('instanceBlocked.words.add'),
          hint: t('instanceBlocked.words.hint'),
          add: (word, onDone) => adding.mutate({ body: { word } }, { onSuccess: onDone }),
        },
      })}
      {...(may(instanceBlockedWords.remove) && {
        removing: {
          error: removing.error,
          isPending: removing.isPending,
          remove: (word) => removing.mutate({ body: { word } }),
        },
      })}
    />
  );
}
