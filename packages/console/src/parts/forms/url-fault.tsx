import { useTranslation } from 'react-i18next';
import type { ApiProblem } from '../../api/api-problem.ts';
import { faultText } from '../text/fault-text.ts';

interface UrlFaultProps {
  readonly url: string;
  readonly problem: ApiProblem;
}

/** Why a URL to which this service shall send is refused. */
export function UrlFault({ url, problem: { message, reason } }: UrlFaultProps) {
  const { i18n } = useTranslation();
  const host = URL.parse(url)?.host ?? url;
  return (
    <span role="alert" className="break-anywhere">
      {faultText(i18n, 'urlFaults.*', { message, parameters: { host }, ...(reason !== undefined && { code: reason }) })}
    </span>
  );
}
