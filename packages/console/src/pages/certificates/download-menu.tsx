import { DownloadOutlined } from '@ant-design/icons';
import { useMutation } from '@tanstack/react-query';
import { exportCertificate, exportChain } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { App, Button, Dropdown, Form, Input } from 'antd';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../../api/api-context.tsx';
import { toApiProblem } from '../../api/api-problem.ts';
import type { Certificate } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { FormModal } from '../../parts/forms/form-modal.tsx';
import { problemSentence } from '../../parts/text/problem-texts.ts';
import { bytesOfBase64, saveFile } from '../../parts/text/save-file.ts';

interface DownloadMenuProps {
  readonly certificate: Pick<Certificate, 'id' | 'organization_id' | 'name' | 'version'>;
  /** Left out: the current one. */
  readonly version?: { readonly id: string; readonly number: number };
  readonly size?: 'small' | 'middle';
}

type Choice = 'chain' | 'leaf' | 'pem' | 'pkcs12';

/** Downloads a certificate as files. Those with the private key need the permission and a fresh confirmation. */
export function DownloadMenu({ certificate, version, size = 'middle' }: DownloadMenuProps) {
  const { t, i18n } = useTranslation();
  const { message } = App.useApp();
  const { call } = useApi();
  const may = useMay(certificate.organization_id);
  const [asksPassword, setAsksPassword] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const params = { organization_id: certificate.organization_id, certificate_id: certificate.id };
  const which = version === undefined ? {} : { version: version.id };

  async function download(choice: Choice): Promise<void> {
    // The menu closes with the focused entry. A dialog that opens now returns the focus to the button.
    button.current?.focus();
    if (choice === 'pkcs12') {
      setAsksPassword(true);
      return;
    }
    setBusy(true);
    try {
      const { files } = await (choice === 'pem'
        ? call(exportCertificate, { params, body: { format: 'pem', ...which } })
        : call(exportChain, { params, body: { format: choice === 'leaf' ? 'der' : 'pem', ...which } }));
      if (choice === 'pem') saveFile(`${fileStem(files)}.pem`, joined(files), 'application/x-pem-file');
      else saveFiles(files);
    } catch (error) {
      const problem = toApiProblem(error);
      // Closing the confirmation is a change of mind, not an error.
      if (problem.code !== 'reauthentication_required') message.error(problemSentence(i18n, problem));
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <Dropdown
        trigger={['click']}
        disabled={certificate.version === null}
        menu={{
          items: [
            { key: 'chain', label: t('certificates.download.chain') },
            { key: 'leaf', label: t('certificates.download.leaf') },
            ...(may(exportCertificate)
              ? [
                  { type: 'divider' as const },
                  { key: 'pem', label: t('certificates.download.pem') },
                  { key: 'pkcs12', label: t('certificates.download.pkcs12') },
                ]
              : []),
          ],
          onClick: ({ key }) => void download(key as Choice),
        }}
      >
        <Button
          ref={button}
          size={size}
          icon={<DownloadOutlined />}
          loading={isBusy}
          aria-label={
            version === undefined
              ? t('certificates.download.named', { name: certificate.name })
              : t('certificates.download.versionNamed', { number: version.number })
          }
        >
          {t('certificates.download.button')}
        </Button>
      </Dropdown>
      {asksPassword && (
        <Pkcs12Modal
          onEnd={() => setAsksPassword(false)}
          download={async (password) => {
            const body = { format: 'pkcs12' as const, password, ...which };
            saveFiles((await call(exportCertificate, { params, body })).files);
          }}
        />
      )}
    </>
  );
}

type Files = readonly { readonly name: string; readonly base64: string }[];

/** The common name of the files, without an extension. */
function fileStem([first]: Files): string {
  return first?.name.replace(/\.[^.]*$/, '') ?? 'certificate';
}

/** One file instead of two: browsers ask before they save a second one. Servers accept it for both. */
function joined(files: Files): readonly BlobPart[] {
  return files.map(({ base64 }) => bytesOfBase64(base64));
}

function saveFiles(files: Files): void {
  for (const { name, base64 } of files) saveFile(name, bytesOfBase64(base64), 'application/octet-stream');
}

interface Pkcs12ModalProps {
  readonly onEnd: () => void;
  readonly download: (password: string) => Promise<void>;
}

function Pkcs12Modal({ onEnd, download }: Pkcs12ModalProps) {
  const { t } = useTranslation();
  const downloading = useMutation({ mutationFn: download, onSuccess: onEnd });
  return (
    <FormModal<{ password: string }>
      title={t('certificates.download.pkcs12')}
      lead={t('certificates.download.passwordWhy')}
      submit={t('certificates.download.button')}
      width={440}
      saving={downloading}
      onSave={({ password }) => downloading.mutate(password)}
      onEnd={onEnd}
    >
      <Form.Item name="password" label={t('certificates.download.password')} rules={[{ required: true }]}>
        <Input.Password autoFocus autoComplete="new-password" />
      </Form.Item>
    </FormModal>
  );
}
