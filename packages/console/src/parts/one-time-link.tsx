import { Alert } from 'antd';
import { useTranslation } from 'react-i18next';
import { CommandBlock } from './command-block.tsx';
import { Instant } from './instant.tsx';

/** A link that is shown once, and until when it is good. */
export function OneTimeLink({
  link,
  expiresAt,
  warning,
}: {
  readonly link: string;
  readonly expiresAt: string;
  readonly warning: string;
}) {
  const { t } = useTranslation();
  return (
    <>
      <Alert type="warning" showIcon title={warning} />
      <CommandBlock text={link} label={t('members.link')} wrapped />
      <p className="quiet">
        {t('members.expires')} <Instant at={expiresAt} />
      </p>
    </>
  );
}
