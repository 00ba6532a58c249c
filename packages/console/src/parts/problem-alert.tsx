import type { Fault } from '@waxwing/contract/management-api/shared-schemas.ts';
import { Alert, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { type ApiProblem, toApiProblem } from '../api/api-problem.ts';
import { faultText } from './fault-text.ts';
import { inputText } from './input-text.ts';
import { problemTexts } from './problem-texts.ts';

export interface ProblemAlertProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}

/** What went wrong, in the reader's language, and what to do about it; beneath, where it is not told in that language, the server's own words. */
export function ProblemAlert({ error, onRetry }: ProblemAlertProps) {
  const { t, i18n } = useTranslation();
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
  // Among the faults of a certificate the fields are names of files, which may be those of inputs.
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
