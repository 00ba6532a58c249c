import { Alert, Tabs } from 'antd';
import { useTranslation } from 'react-i18next';
import { CommandBlock } from '../../parts/command-block.tsx';
import { fetchCommands } from './fetch-commands.ts';

/** A token in clear, the only time that it is shown, and what to do with it. */
export function TokenPanel({ token, url }: { readonly token: string; readonly url: string }) {
  const { t } = useTranslation();
  const { keepToken, curl, nginx } = fetchCommands(token, url);
  return (
    <div className="stack">
      <Alert type="warning" showIcon title={t('deployments.token.once')} />
      <div className="stack tight">
        <strong>{t('deployments.token.title')}</strong>
        <CommandBlock text={token} label={t('deployments.token.title')} wrapped />
      </div>
      <Tabs
        items={[
          {
            key: 'curl',
            label: 'curl',
            children: (
              <div className="stack tight">
                <span className="quiet">{t('deployments.token.keep')}</span>
                <CommandBlock text={keepToken} label={t('deployments.token.keep')} wrapped />
                <span className="quiet">{t('deployments.token.fetch')}</span>
                <CommandBlock text={curl} label="curl" />
              </div>
            ),
          },
          {
            key: 'nginx',
            label: 'nginx',
            children: (
              <div className="stack tight">
                <span className="quiet">{t('deployments.token.keep')}</span>
                <CommandBlock text={keepToken} label={t('deployments.token.keep')} wrapped />
                <span className="quiet">{t('deployments.token.script')}</span>
                <CommandBlock text={nginx} label="nginx" />
              </div>
            ),
          },
        ]}
      />
    </div>
  );
}
