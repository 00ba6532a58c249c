import { previewMessage } from '@waxwing/contract/management-api/message-operations.ts';
import { Alert } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnswer } from '../../api/api-context.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';

export interface SegmentPreviewProps {
  readonly organizationId: string;
  readonly content: string;
}

const pauseMs = 250;

/** How the server would code and cut the text, while it is being written. */
export function SegmentPreview({ organizationId, content }: SegmentPreviewProps) {
  const { t } = useTranslation();
  const asked = usePaused(content);
  const preview = useAnswer(
    previewMessage,
    { params: { organization_id: organizationId }, body: { content: asked } },
    { enabled: asked !== '', keepsFormer: true },
  );
  const { data, error } = preview;
  const isShown = content !== '' && data !== undefined;
  return (
    <section className="panel stack tight" aria-labelledby="segment-preview">
      <h2 id="segment-preview" className="panel-title">
        {t('messaging.send.preview')}
      </h2>
      {error !== null && <ProblemAlert error={error} />}
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
    </section>
  );
}

const numbered = (segments: readonly string[]) => segments.map((text, index) => ({ number: index + 1, text }));

/** The text as it was when somebody last stopped typing. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
