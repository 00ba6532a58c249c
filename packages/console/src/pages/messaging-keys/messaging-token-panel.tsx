import { useTranslation } from 'react-i18next';
import { TokenOnce } from '../../parts/dialogs/token-once.tsx';
import { sendCommands } from './send-commands.ts';

/** The token of a new messaging key, and how to send with it. */
export function MessagingTokenPanel({ token }: { readonly token: string }) {
  const { t } = useTranslation();
  // The console is served from the instance's own address, and refuses to work from any other.
  const { keepToken, send, report } = sendCommands(token, location.origin, t('messaging.keys.token.sample'));
  const commands = [
    { lead: t('deployments.token.keep'), text: keepToken, wrapped: true },
    { lead: t('messaging.keys.token.send'), text: send },
    { lead: t('messaging.keys.token.report'), text: report },
  ];
  return (
    <TokenOnce token={token} title={t('deployments.token.title')} uses={[{ key: 'curl', label: 'curl', commands }]} />
  );
}
