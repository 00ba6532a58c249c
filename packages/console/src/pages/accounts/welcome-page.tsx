import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { acceptLink, describeLink } from '@waxwing/contract/management-api/operations/sign-in-operations.ts';
import { Button, Form, Input, Spin } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnswer, useApi } from '../../api/api-context.tsx';
import { ApiProblem } from '../../api/api-problem.ts';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { SignedOutPage } from './signed-out-page.tsx';

/** The target of a one-time link. Its token is in the fragment, which no server and no log sees. */
export function WelcomePage() {
  const { t } = useTranslation();
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token') ?? '');
  // A truncated link is treated like an expired one.
  const isWhole = /^[\w-]{43}$/.test(token);
  const link = useAnswer(describeLink, { body: { token } }, { enabled: isWhole });
  const title = t(link.data === undefined ? 'welcome.title' : `welcome.${link.data.kind}`);
  const problem = !isWhole ? new ApiProblem({ code: 'link_expired', status: 410 }) : (link.error ?? undefined);

  if (problem !== undefined) {
    return (
      <SignedOutPage title={t('welcome.title')}>
        <ProblemAlert error={problem} />
      </SignedOutPage>
    );
  }
  if (link.data === undefined) {
    return (
      <SignedOutPage title={title}>
        <Spin />
      </SignedOutPage>
    );
  }
  const { email, organization, role, needs_password: needsPassword, kind } = link.data;
  const lead =
    organization !== null && role !== null
      ? t('welcome.invitationLead', { organization: organization.name, role: t(`roles.${role}`) })
      : t(kind === 'reset' ? 'welcome.resetLead' : 'welcome.activationLead');
  return (
    <SignedOutPage title={title} lead={lead}>
      <AcceptForm token={token} email={email} needsPassword={needsPassword} />
    </SignedOutPage>
  );
}

interface AcceptFormProps {
  readonly token: string;
  readonly email: string;
  readonly needsPassword: boolean;
}

function AcceptForm({ token, email, needsPassword }: AcceptFormProps) {
  const { t } = useTranslation();
  const { call } = useApi();
  const client = useQueryClient();
  const navigate = useNavigate();
  const accepting = useMutation({
    mutationFn: ({ password }: { password?: string }) =>
      call(acceptLink, { body: { token, ...(password !== undefined && { password }) } }),
    onSuccess: async () => {
      client.clear();
      await navigate({ to: '/', replace: true });
    },
  });

  return (
    <div className="stack">
      <ProblemAlert error={accepting.error} />
      <Form layout="vertical" onFinish={accepting.mutate}>
        {/* For password managers: whose password this is. */}
        <Form.Item label={t('signIn.email')} htmlFor="email">
          <Input id="email" value={email} readOnly autoComplete="username" />
        </Form.Item>
        {needsPassword ? (
          <>
            <Form.Item
              name="password"
              label={t('welcome.newPassword')}
              extra={t('welcome.passwordRule')}
              rules={[{ required: true }, { min: 10, message: t('welcome.tooShort') }]}
            >
              <Input.Password autoFocus autoComplete="new-password" />
            </Form.Item>
            <Form.Item
              name="again"
              label={t('welcome.again')}
              dependencies={['password']}
              rules={[
                { required: true },
                ({ getFieldValue }) => ({
                  validator: (_rule, value: string) =>
                    value === getFieldValue('password')
                      ? Promise.resolve()
                      : Promise.reject(new Error(t('welcome.differs'))),
                }),
              ]}
            >
              <Input.Password autoComplete="new-password" />
            </Form.Item>
          </>
        ) : (
          <p className="lead">{t('welcome.signedInNeeded', { email })}</p>
        )}
        <Button type="primary" htmlType="submit" block loading={accepting.isPending}>
          {t(needsPassword ? 'welcome.submit' : 'welcome.join')}
        </Button>
      </Form>
    </div>
  );
}
