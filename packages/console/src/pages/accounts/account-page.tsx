import { showFactors } from '@waxwing/contract/management-api/account-operations.ts';
import { Skeleton } from 'antd';
import { useTranslation } from 'react-i18next';
import { useAnswer } from '../../api/api-context.tsx';
import { useMe } from '../../api/use-me.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { PasskeySection } from './passkey-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { RecoveryCodeSection } from './recovery-code-section.tsx';
import { SessionSection } from './session-section.tsx';
import { SsoSection } from './sso-section.tsx';
import { TotpSection } from './totp-section.tsx';

/** How the person signs in, and where they are signed in. */
export function AccountPage() {
  const { t } = useTranslation();
  const me = useMe();
  const factors = useAnswer(showFactors, {});
  const problem = factors.error !== null && (
    <ProblemAlert error={factors.error} onRetry={() => void factors.refetch()} />
  );
  // One read that fails takes nothing away that is there: a dialog may show what is shown only once.
  if (factors.data === undefined) return problem || <Skeleton active />;
  const { password, totp, passkeys, recovery_codes_left, sso } = factors.data;
  return (
    <>
      <PageHead title={t('account.title')} lead={me.email} />
      <div className="stack" style={{ maxWidth: 860 }}>
        {problem}
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
