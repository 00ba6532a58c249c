import { showFactors } from '@waxwing/contract/management-api/operations/account-operations.ts';
import { useTranslation } from 'react-i18next';
import { useAnswer } from '../../api/api-context.tsx';
import { useMe } from '../../api/use-me.ts';
import { PageHead } from '../../parts/text/page-head.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { Unread } from '../../parts/text/unread.tsx';
import { PasskeySection } from './passkey-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { RecoveryCodeSection } from './recovery-code-section.tsx';
import { SessionSection } from './session-section.tsx';
import { SsoSection } from './sso-section.tsx';
import { TotpSection } from './totp-section.tsx';

export function AccountPage() {
  const { t } = useTranslation();
  const me = useMe();
  const factors = useAnswer(showFactors, {});
  // A failed later read keeps the page: a dialog may hold content that is shown only once.
  if (factors.data === undefined) return <Unread of={factors} />;
  const { password, totp, passkeys, recovery_codes_left, sso } = factors.data;
  return (
    <>
      <PageHead title={t('menu.account')} lead={me.email} />
      <div className="stack" style={{ maxWidth: 860 }}>
        <ProblemAlert error={factors.error} onRetry={() => void factors.refetch()} />
        <PasswordSection hasPassword={password} email={me.email} />
        <TotpSection createdAt={totp?.created_at} />
        <PasskeySection passkeys={passkeys} />
        {(totp !== null || passkeys.length > 0) && <RecoveryCodeSection left={recovery_codes_left} />}
        <SsoSection connectedAt={sso?.created_at} />
        <SessionSection />
      </div>
    </>
  );
}
