import { SafetyCertificateOutlined } from '@ant-design/icons';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { verifyAudit } from '@waxwing/contract/management-api/operations/audit-operations.ts';
import { Alert, Button, Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { useFollowedWork } from '../../parts/marks/use-followed-work.ts';
import { WorkProgress } from '../../parts/marks/work-progress.tsx';
import { CopyBlock } from '../../parts/text/copy-block.tsx';
import { faultText } from '../../parts/text/fault-text.ts';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';

type Verdict = AnswerOf<typeof verifyAudit>;

/** `LINK:MAC`, as in the result of a verification and in the log. */
const headForm = /^\s*(\d{1,15}):([0-9a-fA-F]{64})\s*$/;

/** Verifies the chain of the whole trail, optionally against a head that was noted before. */
export function VerifyButton() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const [form] = Form.useForm<{ head?: string }>();
  const verifying = useChange(verifyAudit);
  const { data, error, isPending } = verifying;
  const followed = useFollowedWork(error, 'verification_under_way', () => {
    if (verifying.variables !== undefined) verifying.mutate(verifying.variables);
  });
  const end = () => {
    setOpen(false);
    verifying.reset();
  };
  return (
    <>
      <Button type="primary" icon={<SafetyCertificateOutlined />} onClick={() => setOpen(true)}>
        {t('audit.verify.button')}
      </Button>
      {isOpen && (
        <Dialog
          width={620}
          title={t('audit.verify.title')}
          okText={t(data === undefined ? 'audit.verify.submit' : 'audit.verify.again')}
          okButtonProps={{ loading: isPending }}
          onOk={form.submit}
          onCancel={end}
        >
          <div className="stack">
            <p className="quiet">{t('audit.verify.what')}</p>
            <Form
              form={form}
              name="verify"
              layout="vertical"
              onFinish={({ head = '' }) => {
                const [, link, mac] = headForm.exec(head) ?? [];
                const noted = link === undefined || mac === undefined ? {} : { head: { link: Number(link), mac } };
                followed.begin();
                verifying.mutate({ body: noted });
              }}
            >
              <Form.Item
                name="head"
                label={t('audit.verify.head')}
                extra={t('audit.verify.headHint')}
                rules={[{ pattern: headForm, message: t('audit.verify.headForm') }]}
              >
                <Input className="mono" autoComplete="off" placeholder="1234:9f86d0…" />
              </Form.Item>
            </Form>
            {error !== null && !followed.hasEnded && <ProblemAlert error={error} />}
            {followed.hasEnded && <Alert type="info" showIcon title={t('audit.verify.ended')} />}
            {(isPending || followed.isFollowing) && (
              <WorkProgress
                work="audit_verification"
                name={t('audit.verify.title')}
                words={(done, total) => t('audit.verify.progress', { done, total })}
                {...(followed.isFollowing && { onTold: followed.told })}
              />
            )}
            {data !== undefined && !isPending && <VerdictPanel verdict={data} />}
          </div>
        </Dialog>
      )}
    </>
  );
}

function VerdictPanel({ verdict }: { readonly verdict: Verdict }) {
  const { t, i18n } = useTranslation();
  const { ok, faults, head, links, entries, pruned_days } = verdict;
  const kept = `${head.link}:${head.mac}`;
  return (
    <div className="stack tight" role="status">
      {ok ? (
        <Alert type="success" showIcon title={t('audit.verify.ok', { link: head.link })} />
      ) : (
        <Alert
          type="error"
          showIcon
          title={t('audit.verify.broken', { count: faults.length })}
          description={
            <ul>
              {faults.map(({ link, reason, code, parameters }) => (
                <li key={`${link} ${reason}`} className="break-anywhere">
                  <span className="figures">{t('audit.verify.atLink', { link })}</span>{' '}
                  {faultText(i18n, 'auditFaults.*', { message: reason, code, parameters })}
                </li>
              ))}
            </ul>
          }
        />
      )}
      <p className="figures">
        {t('audit.verify.counts', { links, count: entries })}
        {pruned_days > 0 && ` ${t('audit.verify.pruned', { count: pruned_days })}`}
      </p>
      {head.link > 0 && (
        <>
          <span className="quiet">{t('audit.verify.keepHead')}</span>
          <CopyBlock text={kept} label={kept} wrapped />
        </>
      )}
    </div>
  );
}
