import { Alert } from 'antd';
import { useTranslation } from 'react-i18next';
import { Instant } from '../marks/instant.tsx';
import { CopyBlock } from '../text/copy-block.tsx';
import { ShownOnceModal } from './shown-once-modal.tsx';

interface OneTimeLinkProps {
  readonly title: string;
  /** Who may have it, and for what. */
  readonly warning: string;
  readonly made: { readonly link: string; readonly expires_at: string };
  readonly onEnd: () => void;
}

/** A link that is shown once, and until when it is good. */
export function OneTimeLinkModal({ title, warning, made, onEnd }: OneTimeLinkProps) {
  const { t } = useTranslation();
  return (
    <ShownOnceModal title={title} okText={t('members.linkKept')} onEnd={onEnd}>
      <Alert type="warning" showIcon title={warning} />
      <CopyBlock text={made.link} label={t('members.link')} wrapped />
      <p className="quiet">
        {t('members.expires')} <Instant at={made.expires_at} />
      </p>
    </ShownOnceModal>
  );
}
