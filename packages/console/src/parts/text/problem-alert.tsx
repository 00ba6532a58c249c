import type { Fault } from '@waxwing/contract/management-api/shared-schemas.ts';
import { Alert, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { type ApiProblem, toApiProblem } from '../../api/api-problem.ts';
import { inputText } from '../forms/input-text.ts';
import { faultText } from './fault-text.ts';
import { problemTexts } from './problem-texts.ts';

interface ProblemAlertProps {
  /** Null: nothing is shown. */
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}

/** A problem and its remedy in the reader's language. What has no translation is shown in the server's words. */
export function ProblemAlert({ error, onRetry }: ProblemAlertProps) {
  const { t, i18n } = useTranslation();
  if (error === null) return null;
  const problem = toApiProblem(error);
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      title={problemTexts(i18n, problem).title}
      description={<ProblemDetail problem={problem} />}
      action={
        onRetry !== undefined && (
          <Button size="small" onClick={onRetry}>
            {t('common.retry')}
          </Button>
        )
      }
    />
  );
}

function ProblemDetail({ problem }: { readonly problem: ApiProblem }) {
  const { t, i18n } = useTranslation();
  const { remedy, words } = problemTexts(i18n, problem);
  const isOfInput = problem.code === 'invalid_parameter';
  // The fields of certificate faults are file names, which may equal names of inputs.
  const told = (fault: Fault) =>
    isOfInput && fault.code === undefined ? inputText(i18n, fault) : faultText(i18n, 'certificateFaults.*', fault);
  return (
    <div className="stack tight">
      {remedy !== '' && <span>{remedy}</span>}
      {words !== '' && (
        <span className="break-anywhere">
          {isOfInput && problem.field !== undefined ? inputText(i18n, { field: problem.field, message: words }) : words}
        </span>
      )}
      {problem.faults.length > 0 && (
        <ul>
          {problem.faults.map((fault) => (
            <li key={`${fault.field} ${fault.message}`} className="break-anywhere">
              <code className="mono">{fault.field}</code> {told(fault)}
            </li>
          ))}
        </ul>
      )}
      {problem.requestId !== undefined && problem.status >= 500 && (
        <span className="quiet small">{t('problem.requestId', { id: problem.requestId })}</span>
      )}
    </div>
  );
}
