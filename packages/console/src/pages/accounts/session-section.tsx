import {
  endOtherSessions,
  endSession,
  listSessions,
} from '@waxwing/contract/management-api/operations/account-operations.ts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange, usePages } from '../../api/api-context.tsx';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { formatInstant } from '../../parts/marks/format-instant.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import { Panel } from '../../parts/text/panel.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { browserName } from './browser-name.ts';

export function SessionSection() {
  const { t, i18n } = useTranslation();
  const sessions = usePages(listSessions, {});
  const ending = useChange(endSession);
  const endingOthers = useChange(endOtherSessions);
  const items = sessions.items ?? [];
  return (
    <Panel
      title={t('account.sessions.title')}
      actions={
        items.length > 1 && (
          <ConfirmButton
            danger
            text={t('account.sessions.endOthers')}
            title={t('account.sessions.endOthersTitle')}
            what={t('account.sessions.endOthersWhat')}
            change={endingOthers}
            input={{}}
          />
        )
      }
    >
      <ProblemAlert error={sessions.error} onRetry={() => void sessions.refetch()} />
      <ul>
        {items.map(({ id, current, method, address, user_agent, created_at, seen_at }) => (
          <li key={id} className="settings-row">
            <div>
              <div className="row">
                <span className="mono">{address}</span>
                <span className="quiet">{t(`account.sessions.methods.${method}`)}</span>
                {current && <Mark tone="good">{t('account.sessions.current')}</Mark>}
              </div>
              <div className="quiet small break-anywhere" title={user_agent}>
                {browserName(user_agent) ?? user_agent}
              </div>
              <div className="quiet small">
                {t('account.sessions.begun')} <Instant at={created_at} /> · {t('account.sessions.seen')}{' '}
                <Instant at={seen_at} />
              </div>
            </div>
            {!current && (
              <ConfirmButton
                size="small"
                danger
                text={t('account.sessions.end')}
                label={t('account.sessions.endNamed', { address, begun: formatInstant(created_at, i18n.language) })}
                title={t('account.sessions.endTitle', { address })}
                what={t('account.sessions.endWhat')}
                change={ending}
                input={{ params: { session_id: id } }}
              />
            )}
          </li>
        ))}
      </ul>
      {sessions.hasNextPage && (
        <Button loading={sessions.isFetchingNextPage} onClick={() => void sessions.fetchNextPage()}>
          {t('common.loadMore')}
        </Button>
      )}
    </Panel>
  );
}
