import { DeleteOutlined, FileTextOutlined, InboxOutlined } from '@ant-design/icons';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import {
  compareImport,
  importCertificate,
  showCertificate,
} from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import type { Fault } from '@waxwing/contract/management-api/shared-schemas.ts';
import { Alert, App, Button, Form, Input, Upload } from 'antd';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnswer, useChange } from '../../api/api-context.tsx';
import { toApiProblem } from '../../api/api-problem.ts';
import { onlyWhoMay } from '../../parts/dialogs/only-who-may.tsx';
import { faultText } from '../../parts/text/fault-text.ts';
import { PageHead } from '../../parts/text/page-head.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { type DroppedFile, faultsByFile, mostFiles, readDroppedFile, withFiles } from './dropped-files.ts';
import { type ImportChoice, ImportReview } from './import-review.tsx';
import { ImportedPanel } from './imported-panel.tsx';

const route = getRouteApi('/frame/o/$organizationId/certificates/import');

/**
 * Imports certificates, chain and key as files, in any form and order. Each fault is shown beside its file. Before anything
 * is stored, the page shows what the files hold and what would change.
 */
export const ImportPage = onlyWhoMay(importCertificate, ImportForm);

function ImportForm() {
  const { t, i18n } = useTranslation();
  const { organizationId } = route.useParams();
  const { onto } = route.useSearch();
  const navigate = useNavigate();
  const { message } = App.useApp();
  const [files, setFiles] = useState<readonly DroppedFile[]>([]);
  const [typed, setTyped] = useState<Typed>({});
  const comparing = useChange(compareImport);
  const importing = useChange(importCertificate, ['deployments']);
  const target = useAnswer(
    showCertificate,
    { params: { organization_id: organizationId, certificate_id: onto ?? '' } },
    { enabled: onto !== undefined },
  );

  if (importing.data !== undefined) {
    return (
      <ImportedPanel
        organizationId={organizationId}
        imported={importing.data}
        onMore={() => {
          importing.reset();
          comparing.reset();
          setFiles([]);
        }}
      />
    );
  }

  const error = importing.error ?? comparing.error;
  const problem = error === null ? undefined : toApiProblem(error);
  const { byFile, others } = faultsByFile(
    files.map(({ name }) => name),
    problem?.faults ?? [],
  );
  const isRejected = problem?.code === 'certificate_rejected';

  function body({ password }: Typed) {
    return {
      files: files.map(({ content }) => content),
      ...(password !== undefined && password !== '' && { password }),
    };
  }

  function compare(given: Typed, target = onto): void {
    setTyped(given);
    importing.reset();
    comparing.mutate({
      params: { organization_id: organizationId },
      body: { ...body(given), ...(target !== undefined && { onto: target }) },
    });
  }

  function store(choice: ImportChoice): void {
    const { name } = typed;
    const isNew = choice.onto === undefined;
    importing.mutate({
      params: { organization_id: organizationId },
      body: { ...body(typed), ...(isNew && name !== undefined && name !== '' && { name }), ...choice },
    });
  }

  function change(next: readonly DroppedFile[]): void {
    setFiles(next);
    importing.reset();
    comparing.reset();
  }

  const title = onto === undefined ? t('certificates.import.title') : t('certificates.import.newVersion');

  if (comparing.data !== undefined && comparing.error === null) {
    return (
      <>
        <PageHead title={title} lead={t('certificates.review.lead')} />
        <div className="stack">
          <ImportReview
            comparison={comparing.data}
            onto={onto}
            isComparing={comparing.isPending}
            isImporting={importing.isPending}
            onCompareWith={(certificateId) => compare(typed, certificateId)}
            onBack={() => change(files)}
            onImport={store}
          />
          {isRejected && <RejectedFaults faults={problem.faults} />}
          {problem !== undefined && !isRejected && <ProblemAlert error={problem} />}
        </div>
      </>
    );
  }

  return (
    <>
      <PageHead
        title={title}
        lead={
          onto === undefined
            ? t('certificates.import.lead')
            : t('certificates.import.ontoLead', { name: target.data?.name ?? '…' })
        }
      />
      <Form
        layout="vertical"
        className="panel"
        style={{ maxWidth: 760 }}
        initialValues={typed}
        onFinish={(given: Typed) => compare(given)}
      >
        <div className="stack">
          <Upload.Dragger
            multiple
            disabled={comparing.isPending}
            showUploadList={false}
            beforeUpload={(file) => {
              // The file was moved or deleted meanwhile, or it is a folder.
              const unreadable = () => void message.error(t('certificates.import.unreadable', { name: file.name }));
              void readDroppedFile(file).then((read) => {
                setFiles((present) => withFiles(present, [read]));
                comparing.reset();
              }, unreadable);
              return false;
            }}
          >
            <p className="ant-upload-drag-icon">
              <InboxOutlined />
            </p>
            <p className="ant-upload-text">{t('certificates.import.drop')}</p>
            <p className="ant-upload-hint">{t('certificates.import.forms')}</p>
          </Upload.Dragger>

          {files.length > 0 && (
            <ul className="stack tight" aria-label={t('certificates.import.files')}>
              {files.map((file) => (
                <li key={file.name} className={byFile.has(file.name) ? 'dropped-file at-fault' : 'dropped-file'}>
                  <div className="row">
                    <FileTextOutlined />
                    <span className="grow break-anywhere">{file.name}</span>
                    <span className="quiet small figures">{t('certificates.import.bytes', { count: file.size })}</span>
                    <Button
                      type="text"
                      size="small"
                      disabled={comparing.isPending}
                      icon={<DeleteOutlined />}
                      aria-label={t('common.removeNamed', { name: file.name })}
                      onClick={() => {
                        change(files.filter(({ name }) => name !== file.name));
                      }}
                    />
                  </div>
                  {byFile.get(file.name)?.map((fault) => (
                    <Alert
                      key={fault.message}
                      type="error"
                      showIcon
                      title={faultText(i18n, 'certificateFaults.*', fault)}
                      style={{ marginBlockStart: 6 }}
                    />
                  ))}
                </li>
              ))}
            </ul>
          )}
          {files.length > mostFiles && (
            <Alert type="warning" showIcon title={t('certificates.import.tooMany', { count: mostFiles })} />
          )}

          {isRejected && others.length > 0 && <RejectedFaults faults={others} />}
          {problem !== undefined && !isRejected && <ProblemAlert error={problem} />}

          <Form.Item name="password" label={t('certificates.import.password')}>
            <Input.Password autoComplete="off" placeholder={t('certificates.import.passwordHint')} />
          </Form.Item>
          {onto === undefined && (
            <Form.Item name="name" label={t('common.name')}>
              <Input maxLength={200} placeholder={t('certificates.import.nameHint')} />
            </Form.Item>
          )}
          <div className="row end">
            <Button
              onClick={() => void navigate({ to: '/o/$organizationId/certificates', params: { organizationId } })}
            >
              {t('common.cancel')}
            </Button>
            <Button
              type="primary"
              htmlType="submit"
              disabled={files.length === 0 || files.length > mostFiles}
              loading={comparing.isPending}
            >
              {t('certificates.import.submit')}
            </Button>
          </div>
        </div>
      </Form>
      <p className="quiet small" style={{ marginBlockStart: 12 }}>
        <Link to="/o/$organizationId/certificates" params={{ organizationId }}>
          {t('certificates.import.backToList')}
        </Link>
      </p>
    </>
  );
}

interface Typed {
  readonly password?: string;
  readonly name?: string;
}

function RejectedFaults({ faults }: { readonly faults: readonly Fault[] }) {
  const { t, i18n } = useTranslation();
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      title={t('problem.certificate_rejected.title')}
      description={
        <ul className="stack tight">
          {faults.map((fault) => (
            <li key={`${fault.field} ${fault.message}`} className="break-anywhere">
              <strong>{fieldName(fault.field, t)}</strong> {faultText(i18n, 'certificateFaults.*', fault)}
            </li>
          ))}
        </ul>
      }
    />
  );
}

function fieldName(field: string, t: TFunction): string {
  if (field === 'certificate' || field === 'key' || field === 'password' || field === 'onto') {
    return t('common.named', { name: t(`certificates.import.fields.${field}`) });
  }
  return t('common.named', { name: field });
}
