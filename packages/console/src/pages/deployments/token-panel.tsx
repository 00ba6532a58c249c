import { useTranslation } from 'react-i18next';
import { TokenOnce } from '../../parts/dialogs/token-once.tsx';
import { fetchCommands } from './fetch-commands.ts';

/** The token of a new deployment, and how a server fetches with it. */
export function TokenPanel({ token, url }: { readonly token: string; readonly url: string }) {
  const { t } = useTranslation();
  const { keepToken, curl, nginx } = fetchCommands(token, url);
  const keep = { lead: t('deployments.token.keep'), text: keepToken, wrapped: true };
  return (
    <TokenOnce
      token={token}
      title={t('deployments.token.title')}
      uses={[
        { key: 'curl', label: 'curl', commands: [keep, { lead: t('deployments.token.fetch'), text: curl }] },
        { key: 'nginx', label: 'nginx', commands: [keep, { lead: t('deployments.token.script'), text: nginx }] },
      ]}
    />
  );
}
