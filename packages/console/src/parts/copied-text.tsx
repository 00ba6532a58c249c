import { CheckOutlined, CopyOutlined } from '@ant-design/icons';
import { App, Button } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from './copy-text.ts';

export interface CopiedTextProps {
  /** An id, a serial number, a fingerprint. */
  readonly text: string;
  /** What it is, for the name of the button. */
  readonly label: string;
}

/** A short text that is needed elsewhere, with a button that copies it. */
export function CopiedText({ text, label }: CopiedTextProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  async function copy(): Promise<void> {
    const isDone = await copyText(text);
    setCopied(isDone);
    if (!isDone) message.warning(t('common.notCopied'));
  }
  return (
    <span className="copied-text">
      <span className="mono break-anywhere">{text}</span>
      <Button
        type="text"
        size="small"
        icon={isCopied ? <CheckOutlined /> : <CopyOutlined />}
        aria-label={t('common.copyNamed', { name: label })}
        onClick={() => void copy()}
      />
      <span className="visually-hidden" aria-live="polite">
        {isCopied ? t('common.copied') : ''}
      </span>
    </span>
  );
}
