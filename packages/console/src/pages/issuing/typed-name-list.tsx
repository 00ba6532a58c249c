import { CheckCircleFilled, CloseCircleFilled, InfoCircleFilled } from '@ant-design/icons';
import { mostRequestedNames } from '@waxwing/contract/requested-names.ts';
import { useTranslation } from 'react-i18next';
import type { TypedName, TypedNames } from './typed-names.ts';

/** Of more names only those are shown of which something is to be said. */
const namesShown = 24;

/** What is said of each name while it is typed: those with a fault first. */
export function TypedNameList({ typed }: { readonly typed: TypedNames }) {
  const { t } = useTranslation();
  if (typed.names.length === 0) return null;
  const isLong = typed.names.length > namesShown;
  const good = typed.names.filter((name) => !isAtFault(name) && !(isLong && name.kind === 'name'));
  const sorted = [...typed.names.filter(isAtFault), ...good];
  return (
    <div className="stack tight" role="status" aria-label={t('issuing.request.checked')}>
      {sorted.length > 0 && (
        <ul className="typed-names">
          {sorted.map((name) => (
            <li key={name.text} className={isAtFault(name) ? 'bad' : ''}>
              <NameIcon name={name} /> <span className="mono break-anywhere">{name.text}</span>
              {name.kind !== 'name' && <span className="small"> {t(`issuing.request.names.${name.kind}`)}</span>}
            </li>
          ))}
        </ul>
      )}
      <span className="quiet small figures">
        {t('issuing.request.nameCount', { count: typed.names.length, most: mostRequestedNames })}
        {typed.doubles > 0 && ` ${t('issuing.request.doubles', { count: typed.doubles })}`}
      </span>
    </div>
  );
}

const goodKinds: readonly TypedName['kind'][] = ['name', 'wildcard', 'address'];
const isAtFault = ({ kind }: TypedName): boolean => !goodKinds.includes(kind);

function NameIcon({ name }: { readonly name: TypedName }) {
  if (isAtFault(name)) return <CloseCircleFilled className="tone bad" />;
  return name.kind === 'name' ? (
    <CheckCircleFilled className="tone good" />
  ) : (
    <InfoCircleFilled className="tone info" />
  );
}
