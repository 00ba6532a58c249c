import { CheckOutlined, CopyOutlined } from '@ant-design/icons';
import { Button, type ButtonProps } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from './copy-text.ts';

const copiedForMs = 2_000;

interface CopyButtonProps extends Pick<ButtonProps, 'type' | 'className'> {
  readonly text: string;
  /** What the text is, for the name of the button. */
  readonly label: string;
  /** The browser did not let it be copied. */
  readonly onRefused: () => void;
}

/** Copies a text, and says so for a moment. */
export function CopyButton({ text, label, onRefused, ...look }: CopyButtonProps) {
  const { t } = useTranslation();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), copiedForMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  async function copy(): Promise<void> {
    const isDone = await copyText(text);
    setCopied(isDone);
    if (!isDone) onRefused();
  }
  return (
    <>
      <Button
        {...look}
        size="small"
        icon={isCopied ? <CheckOutlined /> : <CopyOutlined />}
        aria-label={t('common.copyNamed', { name: label })}
        onClick={() => void copy()}
      />
      <span className="visually-hidden" aria-live="polite">
        {isCopied ? t('common.copied') : ''}
      </span>
    </>
  );
}
