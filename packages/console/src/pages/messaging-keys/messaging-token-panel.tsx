import { useTranslation } from 'react-i18next';
import { CommandBlock } from '../../parts/command-block.tsx';
import { TokenOnce } from '../../parts/token-once.tsx';
import { sendCommands } from './send-commands.ts';

/** The token of a messaging key, the only time that it is shown, and how to send with it. */
export function MessagingTokenPanel({ token }: { readonly token: string }) {
  const { t } = useTranslation();
  const title = t('messaging.keys.token.title');
  // The console is served from the instance's own address, and refuses to work from any other.
  const { keepToken, send, report } = sendCommands(token, location.origin, t('messaging.keys.token.sample'));
  return (
    <div className="stack">
      <TokenOnce title={title} token={token} />
      <div className="stack tight">
        <span className="quiet">{t('messaging.keys.token.keep')}</span>
        <CommandBlock text={keepToken} label={t('messaging.keys.token.keep')} wrapped />
      </div>
      <div className="stack tight">
        <span className="quiet">{t('messaging.keys.token.send')}</span>
        <CommandBlock text={send} label={t('messaging.keys.token.send')} />
      </div>
      <div className="stack tight">
        <span className="quiet">{t('messaging.keys.token.report')}</span>
        <CommandBlock text={report} label={t('messaging.keys.token.report')} />
      </div>
    </div>
  );
}
