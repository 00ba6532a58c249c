import { previewMessage } from '@waxwing/contract/management-api/operations/message-operations.ts';
import { Alert } from 'antd';
import { useTranslation } from 'react-i18next';
import { useAnswer } from '../../api/api-context.tsx';
import { usePausedText } from '../../parts/forms/typing-pause.ts';
import { Panel } from '../../parts/text/panel.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';

interface SegmentPreviewProps {
  readonly organizationId: string;
  readonly content: string;
}

/** How the server would encode and split the text, while it is being typed. */
export function SegmentPreview({ organizationId, content }: SegmentPreviewProps) {
  const { t } = useTranslation();
  const asked = usePausedText(content);
  const preview = useAnswer(
    previewMessage,
    { params: { organization_id: organizationId }, body: { content: asked } },
    { enabled: asked !== '', keepsFormer: true },
  );
  const { data, error } = preview;
  const isShown = content !== '' && data !== undefined;
  return (
    <Panel title={t('messaging.send.preview')}>
      <ProblemAlert error={error} />
      <div className="stack tight" aria-live="polite">
        {isShown ? (
          <>
            <div className="row">
              <strong className="figures">{t('messaging.segments', { count: data.segments.length })}</strong>
              <span className="quiet">{t(`messaging.send.encodings.${data.encoding}`)}</span>
            </div>
            {data.segments.length > data.max_segments && (
              <Alert type="error" showIcon title={t('messaging.send.tooLong', { count: data.max_segments })} />
            )}
          </>
        ) : (
          <p className="quiet">{t('messaging.send.previewNone')}</p>
        )}
      </div>
      {isShown && (
        <ol className="stack tight">
          {numbered(data.segments.slice(0, data.max_segments)).map(({ number, text }) => (
            <li key={number}>
              <div className="quiet small figures">{t('messaging.send.segmentNumber', { number })}</div>
              <p className="message-text">{text}</p>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

const numbered = (segments: readonly string[]) => segments.map((text, index) => ({ number: index + 1, text }));
