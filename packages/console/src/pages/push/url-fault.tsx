import { useTranslation } from 'react-i18next';
import type { ApiProblem } from '../../api/api-problem.ts';

const reasons = [
  'malformed',
  'scheme',
  'user_info',
  'port',
  'host',
  'parameter',
  'local_name',
  'unresolved',
  'not_public',
  'own_address',
] as const;

/** Why a URL is not taken: in the reader's language, and with what the server says of this very one. */
export function UrlFault({ problem }: { readonly problem: ApiProblem }) {
  const { t } = useTranslation();
  const known = reasons.find((each) => each === problem.reason);
  return (
    <span role="alert" className="break-anywhere">
      {known !== undefined && <strong>{t(`push.settings.urlFaults.${known}`)} </strong>}
      {problem.message}
    </span>
  );
}
