import { Tabs } from 'antd';
import { useTranslation } from 'react-i18next';
import { CommandBlock } from '../../parts/command-block.tsx';
import { TokenOnce } from '../../parts/token-once.tsx';
import { fetchCommands } from './fetch-commands.ts';

/** A token in clear, the only time that it is shown, and what to do with it. */
export function TokenPanel({ token, url }: { readonly token: string; readonly url: string }) {
  const { t } = useTranslation();
  const { keepToken, curl, nginx } = fetchCommands(token, url);
  return (
    <div className="stack">
      <TokenOnce title={t('deployments.token.title')} token={token} />
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
